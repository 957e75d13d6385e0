"""The error for a row that cannot be sent."""


class InvalidRow(Exception):
    """The row cannot be sent. The message says why."""
