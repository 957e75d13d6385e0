"""The HTTP API, as the command line calls it."""
