"""Schemathesis over the OpenAPI document, against the running service."""
