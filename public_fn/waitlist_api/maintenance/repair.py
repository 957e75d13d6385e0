"""Compares an entry in Redis with its record, and decides on the repair."""

from typing import Literal, cast

from waitlist_api.queue.messages import STATE_OF, drop_of, drop_of_erased, restore_of
from waitlist_api.records.entry import ENDED, PRESENT, EntryRecord
from waitlist_api.records.journal import EDITED, Change
from waitlist_api.records.places import Placed
from waitlist_api.records.segments import Segments
from waitlist_shared import contracts as c

# States of ended and erased entries in Redis: done is kept for late retries.
NOWHERE = ("absent", "done")
# States of an entry that a repair replaces.
Somewhere = Literal["waiting", "held", "parked", "done"]


def may_differ(change: Change, look: c.InspectResult) -> bool:
    """Return whether Redis may have lost a change; the record may have a later one."""
    if change.status == EDITED:
        return True
    if change.status in STATE_OF:
        is_there = (look.state, look.rank) == (STATE_OF[change.status], change.rank)
        return not is_there or look.time_millis < change.until_millis
    return look.state not in NOWHERE


def repair_of(
    change: Change, record: EntryRecord | None, look: c.InspectResult, segments: Segments
) -> c.Restore | c.Drop | None:
    """Return the repair; None if Redis agrees with the record, or reconcile is responsible."""
    if record is None or record.status in ENDED:
        if look.state in NOWHERE:
            return None
        # Redis still has the place, so it has not counted the admission.
        return drop_of(record, counts=True) if record is not None else drop_of_erased(change)
    if max(look.stamp, look.unsettled_stamp) > record.stamp:
        # Redis has a newer decision than the record: reconcile records it, and an unrecorded hold
        # expires by itself.
        return None
    if record.status not in PRESENT or _agrees(record, look, segments):
        return None
    expected = None
    if look.state != "absent":
        expected = c.Seen(state=cast(Somewhere, look.state), rank=look.rank)
    return restore_of(Placed.from_record(record), segments, expected=expected)


def _agrees(record: EntryRecord, look: c.InspectResult, segments: Segments) -> bool:
    if (look.state, look.rank) != (STATE_OF[record.status], record.rank):
        return False
    if segments.declared and record.attributes_version > (look.attributes_version or 0):
        return False
    if record.status != "offered":
        return True
    # Redis may hold it for longer: an extension that is not recorded was not acknowledged.
    is_as_long = look.time_millis >= (record.claimed_until_millis or 0)
    return look.token == record.claim_token and is_as_long
