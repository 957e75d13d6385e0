"""The OpenAPI document.

This package is slow to import, so only `/docs` and `make openapi` use it.
"""
