"""Encode and decode pagination cursors. A cursor contains the position at which a page starts."""

import base64
import binascii
import json
import re
from collections.abc import Sequence

from waitlist_api.errors import FieldError, InvalidFields
from waitlist_shared import ids
from waitlist_shared.limits import MAX_RANK, MIN_RANK

ENTRY_ID = re.compile(ids.ENTRY_ID)
ENDED = re.compile(r"([0-9]{1,15})-((?:[a-z2-7]{26}){0,16})")
# A history event's sort key, which contains the event's timestamp and name.
EVENT = r"[0-9]{16}#[a-z_]{1,32}"
INVALID = FieldError(
    "query.cursor", "is not a valid cursor for this list. Leave it out to start with the first page"
)


def encode(position: int | str | list[int | str] | None) -> str | None:
    """Encode the position at which the next page starts. Return None if there is no next page."""
    if position is None:
        return None
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")


def decode_rank(cursor: str | None) -> int | None:
    """Return the rank after which the page starts. Raise InvalidFields if the cursor is invalid."""
    if cursor is None:
        return None
    rank = _decode(cursor)
    if not isinstance(rank, int) or isinstance(rank, bool) or not MIN_RANK <= rank <= MAX_RANK:
        raise InvalidFields(INVALID)
    return rank


def decode_off_queue(cursor: str | None) -> tuple[int, str | None]:
    """Return the time and the entry id after which the page starts.

    Raise InvalidFields if the cursor is invalid.
    """
    if cursor is None:
        return 0, None
    match _decode(cursor):
        case [int(time), str(entry_id)] if 0 <= time <= MAX_RANK and ENTRY_ID.fullmatch(entry_id):
            return time, entry_id
    raise InvalidFields(INVALID)


def encode_ended(millis: int, entry_ids: Sequence[str]) -> str:
    """Encode a time and up to 16 entry ids as a cursor.

    Unlike other cursors, this one is not encoded in Base64, which would make it a third longer.
    """
    return f"{millis}-{''.join(entry_ids)}"


def decode_ended(cursor: str) -> tuple[int, list[str]]:
    """Decode a cursor from `encode_ended`, and return the time and the entry ids.

    Raise InvalidFields if the cursor is invalid.
    """
    found = ENDED.fullmatch(cursor)
    if found is None:
        raise InvalidFields(INVALID)
    text = found[2]
    return int(found[1]), [text[at : at + 26] for at in range(0, len(text), 26)]


def decode_text(cursor: str | None) -> str | None:
    """Return the waitlist id after which the page starts.

    Raise InvalidFields if the cursor is invalid.
    """
    return _decode_id(cursor, ids.WAITLIST_ID)


def decode_segment(cursor: str | None) -> str | None:
    """Return the segment id after which the page starts.

    Raise InvalidFields if the cursor is invalid.
    """
    return _decode_id(cursor, ids.SEGMENT_ID)


def decode_event(cursor: str | None) -> str | None:
    """Return the sort key of the history event after which the page starts.

    Raise InvalidFields if the cursor is invalid.
    """
    return _decode_id(cursor, EVENT)


def _decode_id(cursor: str | None, pattern: str) -> str | None:
    if cursor is None:
        return None
    text = _decode(cursor)
    if not isinstance(text, str) or not re.fullmatch(pattern, text):
        raise InvalidFields(INVALID)
    return text


def _decode(cursor: str) -> object:
    try:
        return json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError) as error:
        raise InvalidFields(INVALID) from error
