"""Builds the API's OpenAPI document.

Importing this package is slow, so only `/docs` and `make openapi` import it.
"""
