"""AWS clients, and the deadline that Lambda sets for each of their calls."""
