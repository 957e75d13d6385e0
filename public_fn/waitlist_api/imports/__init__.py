"""Bulk import. One request adds many entries, and their joining times decide their places."""
