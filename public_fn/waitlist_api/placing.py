"""The message that gives an intent to join its place."""

from waitlist_api.records.entry import EntryRecord
from waitlist_api.segments.declared import Segments
from waitlist_api.segments.tagging import tags_of
from waitlist_shared import contracts as c


def place_of(record: EntryRecord, segments: Segments) -> c.Signup | c.Enlist:
    """Return the message for a place behind everybody, or of an import for the one it wants."""
    stay = {
        "waitlist_id": record.waitlist_id,
        "entry_id": record.entry_id,
        "join_id": record.join_id,
        **tags_of(segments, record),
    }
    if record.wanted is None:
        return c.Signup(**stay)
    return c.Enlist(**stay, ticket=record.wanted, priority=record.wanted_priority)
