"""Sends the events of entries to the operator's webhook, in order for each entry."""
