"""Metrics, and the configuration of logging."""
