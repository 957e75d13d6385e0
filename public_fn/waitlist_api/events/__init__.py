"""Publishes changes to entries as events on the event bus.

The changes come from DynamoDB Streams.
"""
