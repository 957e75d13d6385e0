"""The HTTP API. Only this package handles requests, responses and OpenAPI."""
