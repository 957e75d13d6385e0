"""Sends each entry's events to the operator's webhook in order."""
