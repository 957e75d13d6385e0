"""The customer page: its files, its HTML document and its Content-Security-Policy."""
