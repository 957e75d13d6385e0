"""The command line's client of the HTTP API."""
