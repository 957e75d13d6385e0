"""The files of the customer's page, its HTML document and its security policy."""
