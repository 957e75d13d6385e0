"""The correlation id: it joins the log lines of one request, from the client to Redis."""

import logging
import re
from typing import Any

FIELD = "correlation_id"
# What a client may choose: UUIDs and ULIDs, for no name, address or number of a person has such a
# shape, and the id is written into every log.
UUID = r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
CHOSEN = re.compile(rf"({UUID}|{ULID})\Z")
# What AWS chooses: API Gateway's ids look like base64, Lambda's are UUIDs.
GIVEN = re.compile(r"[A-Za-z0-9+/=_-]{1,64}\Z")


def chosen(value: object) -> str:
    """Return an id that a client has chosen; empty if its form may not be logged."""
    return value if isinstance(value, str) and CHOSEN.match(value) else ""


def given(message: object) -> str:
    """Return the id that an event or a message of our own carries; empty if it has none."""
    value = message.get(FIELD) if isinstance(message, dict) else None
    return value if isinstance(value, str) and GIVEN.match(value) else ""


class Correlation:
    """The id of the current request, empty between two requests.

    One object per process, because it handles one request at a time. It is no context variable,
    because the threads that a request starts share its id.
    """

    def __init__(self) -> None:
        self.id = ""
        self._marks_records = False

    def mark_log_records(self) -> None:
        """Have every log record carry the id, whichever library writes it."""
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
