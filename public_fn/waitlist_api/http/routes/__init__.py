"""The routes: each parses, calls a service and maps the result."""
