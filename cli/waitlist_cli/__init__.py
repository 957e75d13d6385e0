"""The operator's command line: everything over HTTP, nothing of the server imported."""
