"""Imports people from a file."""
