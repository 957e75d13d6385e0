"""Bulk import: adds many entries in one request, each at the place of its own joining time."""
