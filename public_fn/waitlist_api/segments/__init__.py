"""Segments: the index of entries by attributes, positions and depths within it."""
