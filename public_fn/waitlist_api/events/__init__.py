"""Publishes changes in the table's stream as events on the event bus."""
