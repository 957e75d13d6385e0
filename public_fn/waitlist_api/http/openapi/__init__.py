"""The OpenAPI document. Only the route `/docs` and `make openapi` import this package.

Importing the package is slow, so other requests must not import it.
"""
