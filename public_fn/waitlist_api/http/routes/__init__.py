"""HTTP routes. Each route parses a request, calls a service and builds the response."""
