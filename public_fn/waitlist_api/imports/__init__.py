"""Bulk import: many entries in one request, each placed by its own joining time."""
