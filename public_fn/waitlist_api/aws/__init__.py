"""AWS clients whose calls respect the deadline of the current request."""
