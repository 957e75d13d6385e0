"""Compare the record of an entry with its state in Redis, and decide how to repair Redis."""

from typing import cast

from waitlist_api.queue.messages import EntryMessage, restore_of
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.lifecycle import state_of
from waitlist_api.records.places import IndexRow
from waitlist_api.records.segments import Segments
from waitlist_shared import contracts as c


def is_of_another_stay(record: EntryRecord, inspection: c.InspectResult) -> bool:
    """Return whether the entry in Redis belongs to a different signup by the same customer."""
    return inspection.state != "absent" and inspection.ticket not in (None, record.ticket)


class RestoringLost(EntryMessage, frozen=True):
    """A request that restores an entry. It is sent only if Redis has lost the entry."""

    inspection: c.InspectResult

    def to_request(self, segments: Segments) -> c.Restore | None:
        return restore_of_lost(self.record, self.inspection, segments)


def restore_of_lost(
    record: EntryRecord, inspection: c.InspectResult, segments: Segments, now_millis: int = 0
) -> c.Restore | None:
    """Return the request that restores an entry if Redis has lost it.

    Return None if Redis still has the recorded state.
    """
    if record.status not in PRESENT:
        return None
    if not is_of_another_stay(record, inspection):
        is_newer = max(inspection.stamp, inspection.dirty_stamp) > record.stamp
        if is_newer or _agrees(record, inspection, segments, now_millis):
            return None
    expected = None
    if inspection.state != "absent":
        expected = c.Seen(state=cast("c.PlaceState", inspection.state), rank=inspection.rank)
    return restore_of(IndexRow.from_record(record), segments, expected=expected)


def _agrees(
    record: EntryRecord, inspection: c.InspectResult, segments: Segments, now_millis: int
) -> bool:
    if (inspection.state, inspection.rank) != (state_of(record), record.rank):
        return False
    if segments.declared and record.attributes_version > (inspection.attributes_version or 0):
        return False
    readiness = record.readiness
    if readiness is not None and readiness.version > (inspection.readiness_version or 0):
        return False
    if record.status == "waiting":
        delayed_until = record.hold.delayed_until_millis or 0
        return inspection.time_millis >= delayed_until or delayed_until <= now_millis
    if record.status != "offered":
        return True
    # A claim can end later in Redis than in the record if an operator's request to extend it failed
    # after Redis had extended it. A longer claim in Redis does no harm, so it needs no repair.
    is_as_long = inspection.time_millis >= (record.hold.until_millis or 0)
    return inspection.token == record.hold.token and is_as_long
