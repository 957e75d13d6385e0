"""HTTP routes. Each route parses the request, calls a service and maps the result to a response."""
