"""The operator's command line. It calls the HTTP API and does not import the service's code."""
