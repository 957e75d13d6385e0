"""Builds the OpenAPI document of the API.

The import of this package is slow. Only `/docs` and `make openapi` import it, so that no other
request has to wait.
"""
