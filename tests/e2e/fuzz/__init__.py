"""Fuzz tests: Schemathesis sends generated requests to the running service, and checks the
responses against the OpenAPI document.
"""
