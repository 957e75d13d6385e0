"""Estimate how long customers wait."""
