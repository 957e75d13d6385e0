"""A client for the HTTP API of the service. The command line uses it."""
