"""Compares an entry in Redis with its record, and decides on the repair."""

from typing import Literal, cast

from waitlist_api.queue.messages import drop_of, drop_of_erased, restore_of, state_of
from waitlist_api.records.entry import ENDED, PRESENT, EntryRecord
from waitlist_api.records.journal import EDITED, EXITED, Change
from waitlist_api.records.places import Placed
from waitlist_api.records.segments import Segments
from waitlist_shared import contracts as c

# States of ended and erased entries in Redis: done is kept for late retries.
NOWHERE = ("absent", "done")
# States of an entry that a repair replaces.
Somewhere = Literal["waiting", "held", "offered", "parked", "done"]
# States in Redis that a status in the record can have.
STATES = {"waiting": ("waiting",), "offered": ("held", "offered"), "parked": ("parked",)}


def may_differ(change: Change, look: c.InspectResult) -> bool:
    """Return whether Redis may have lost a change; the record may have a later one."""
    if change.status == EDITED:
        return True
    if change.status in STATES:
        is_there = look.state in STATES[change.status] and look.rank == change.rank
        return not is_there or look.time_millis < change.until_millis
    if look.state not in NOWHERE:
        return True
    if change.status in (EXITED, "left"):
        return look.time_millis > 0
    return look.time_millis < change.until_millis


def repair_of(
    change: Change,
    record: EntryRecord | None,
    look: c.InspectResult,
    segments: Segments,
    now_millis: int,
) -> c.Restore | c.Drop | None:
    """Return the repair; None if Redis agrees with the record, or reconcile is responsible."""
    if record is None or record.status in ENDED:
        if look.state in NOWHERE and (record is None or _is_inside_right(record, look, now_millis)):
            return None
        # Redis still has the place, so it has not counted the admission.
        if record is None:
            return drop_of_erased(change)
        return drop_of(record, counts=look.state not in NOWHERE, now_millis=now_millis)
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
    if (look.state, look.rank) != (state_of(record), record.rank):
        return False
    if segments.declared and record.attributes_version > (look.attributes_version or 0):
        return False
    if record.status != "offered":
        return True
    # Redis may hold it for longer: an extension that is not recorded was not acknowledged.
    is_as_long = look.time_millis >= (record.claimed_until_millis or 0)
    return look.token == record.claim_token and is_as_long


def _is_inside_right(record: EntryRecord, look: c.InspectResult, now_millis: int) -> bool:
    """Return whether Redis has an ended entry's customer inside just as the record has."""
    if look.time_millis <= now_millis:
        return record.inside_until(now_millis) == 0
    return record.inside_until(now_millis) > 0
