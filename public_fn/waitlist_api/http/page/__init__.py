"""The files, the HTML document and the Content-Security-Policy of the customer page."""
