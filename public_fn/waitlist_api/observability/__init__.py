"""Metrics and logging setup."""
