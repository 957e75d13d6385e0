"""Compares an entry that has a place in the record with Redis, and decides on the repair."""

from typing import cast

from waitlist_api.queue.messages import EntryMessage, restore_of
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.lifecycle import state_of
from waitlist_api.records.places import IndexRow
from waitlist_api.records.segments import Segments
from waitlist_shared import contracts as c


def is_of_another_stay(record: EntryRecord, inspection: c.InspectResult) -> bool:
    """Return whether Redis has a place of another stay of the recorded customer."""
    return inspection.state != "absent" and inspection.ticket not in (None, record.ticket)


class RestoringLost(EntryMessage, frozen=True):
    """Restores a recorded place if Redis, as it was inspected, has lost it."""

    inspection: c.InspectResult

    def to_request(self, segments: Segments) -> c.Restore | None:
        return restore_of_lost(self.record, self.inspection, segments)


def restore_of_lost(
    record: EntryRecord, inspection: c.InspectResult, segments: Segments, now_millis: int = 0
) -> c.Restore | None:
    """Return the message that restores a recorded place; None if Redis has not lost it.

    With `now_millis` it has lost no delay that is over.

    Then the two agree, or Redis has a newer decision: reconcile records it, and an unrecorded hold
    expires by itself. A decision about another stay is none: that stay is over.
    """
    if record.status not in PRESENT:
        return None
    if not is_of_another_stay(record, inspection):
        is_newer = max(inspection.stamp, inspection.unsettled_stamp) > record.stamp
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
        delayed_until = record.delayed_until_millis or 0
        return inspection.time_millis >= delayed_until or delayed_until <= now_millis
    if record.status != "offered":
        return True
    # Redis may hold it for longer: an extension that is not recorded was not acknowledged.
    is_as_long = inspection.time_millis >= (record.claimed_until_millis or 0)
    return inspection.token == record.claim_token and is_as_long
