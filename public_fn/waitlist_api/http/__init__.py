"""The HTTP API: everything that knows requests, responses and OpenAPI."""
