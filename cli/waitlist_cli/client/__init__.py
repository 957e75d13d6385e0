"""A client for the service's HTTP API."""
