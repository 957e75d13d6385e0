"""Why a row of a file cannot be sent."""


class InvalidRow(Exception):
    """A row that cannot be sent; the message says why."""
