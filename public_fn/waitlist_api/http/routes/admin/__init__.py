"""The operators' routes."""
