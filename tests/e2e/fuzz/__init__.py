"""Schemathesis tests the running service against its OpenAPI document."""
