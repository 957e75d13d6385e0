"""Sends entry events to the operator's webhook, in order for each entry."""
