"""The correlation id, which all log lines about the same client request share."""

import logging
import re
from typing import Any

FIELD = "correlation_id"
# A client may send a UUID or a ULID as its correlation id. Other ids are ignored, because they may
# contain personal data.
UUID = r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
CLIENT_ID = re.compile(rf"({UUID}|{ULID})\Z")
# The format of the request ids that AWS generates.
AWS_ID = re.compile(r"[A-Za-z0-9+/=_-]{1,64}\Z")


def accept_client_id(value: object) -> str:
    """Return the correlation id from a client, or an empty string if it is not a UUID or ULID."""
    return value if isinstance(value, str) and CLIENT_ID.match(value) else ""


def read_correlation_id(message: object) -> str:
    """Return the correlation id of an event or message, or an empty string if there is none."""
    value = message.get(FIELD) if isinstance(message, dict) else None
    return value if isinstance(value, str) and AWS_ID.match(value) else ""


class Correlation:
    """Stores the correlation id of the current request. Between requests, it is empty."""

    def __init__(self) -> None:
        # Do not store the id in a context variable. Several threads can work on the same request,
        # and each thread would have its own context variables.
        self.id = ""
        self._marks_records = False

    def mark_log_records(self) -> None:
        """Add the correlation id to every log record, including records from libraries."""
        if self._marks_records:
            return
        self._marks_records = True
        make = logging.getLogRecordFactory()

        def marked(*arguments: Any, **options: Any) -> logging.LogRecord:
            record = make(*arguments, **options)
            if self.id:
                setattr(record, FIELD, self.id)
            return record

        logging.setLogRecordFactory(marked)
