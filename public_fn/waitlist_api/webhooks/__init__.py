"""Sends entry events to the operator's webhook. The events of each entry arrive in order."""
