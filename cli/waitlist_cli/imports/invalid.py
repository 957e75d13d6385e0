"""Defines the error for a row that cannot be sent."""


class InvalidRow(Exception):
    """Raised for a row that cannot be sent. The message contains the reason."""
