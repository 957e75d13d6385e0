"""The customer page's files, HTML document and Content-Security-Policy."""
