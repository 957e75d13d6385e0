"""Collects metrics and configures logging."""
