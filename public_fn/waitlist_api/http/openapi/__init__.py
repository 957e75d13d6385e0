"""The OpenAPI document.

Only the route `/docs` and `make openapi` import this package, so that other requests do not load
its models.
"""
