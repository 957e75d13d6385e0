"""The operator's command line. It calls the HTTP API and imports no code of the service."""
