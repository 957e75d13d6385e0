"""The OpenAPI document. Only `/docs` and `make openapi` import it: no request needs its models."""
