"""AWS clients, and the request deadline that limits each of their calls."""
