"""Metrics and the set-up of logs."""
