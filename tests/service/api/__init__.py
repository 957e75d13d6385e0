"""What callers of the HTTP API get for any request. The whole service runs in one process."""
