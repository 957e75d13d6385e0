"""The routes of customers and of health checks; each parses, calls a service, maps the result."""
