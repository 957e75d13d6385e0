"""What callers of the HTTP API get, whatever they send: the whole service in one process."""
