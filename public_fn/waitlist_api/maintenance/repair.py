"""Compare an entry in Redis with its record, and decide how to repair Redis."""

from msgspec.structs import replace

from waitlist_api.queue.messages import drop_of, drop_of_erased
from waitlist_api.queue.repair import is_of_another_stay, restore_of_lost
from waitlist_api.records.entry import ENDED, EntryRecord
from waitlist_api.records.journal import EDITED, EXITED, Change
from waitlist_api.records.segments import Segments
from waitlist_shared import contracts as c

# The states in Redis of an entry whose signup has ended. Redis keeps such an entry as `done` for a
# while to recognise late retries, and then removes it.
NOWHERE = ("absent", "done")
# The states in Redis that match each status of a record.
STATES = {"waiting": ("waiting",), "offered": ("held", "offered"), "parked": ("parked",)}


def may_differ(change: Change, inspection: c.InspectResult) -> bool:
    """Return whether Redis may have lost this change."""
    if change.status == EDITED:
        return True
    if change.status in STATES:
        is_there = inspection.state in STATES[change.status] and inspection.rank == change.rank
        return not is_there or inspection.time_millis < change.until_millis
    if inspection.state not in NOWHERE:
        return True
    if change.status in (EXITED, "left"):
        return inspection.time_millis > 0
    return inspection.time_millis < change.until_millis


def decide_repair(
    change: Change,
    record: EntryRecord | None,
    inspection: c.InspectResult,
    segments: Segments,
    now_millis: int,
) -> c.Restore | c.Drop | None:
    """Return a message that corrects the entry in Redis, or None if nothing needs correcting."""
    is_gone = inspection.state in NOWHERE
    if record is None:
        return None if is_gone else drop_of_erased(change, inspection.ticket)
    if record.status not in ENDED:
        return restore_of_lost(record, inspection, segments, now_millis)
    if is_gone and _is_inside_right(record, inspection, now_millis):
        return None
    if not is_gone and is_of_another_stay(record, inspection):
        return replace(drop_of(record, now_millis=now_millis), ticket=inspection.ticket)
    # The signup has ended. If its entry is still in the queue and the customer was admitted, Redis
    # has not counted the admission yet, and counts it when it removes the entry.
    return drop_of(record, counts=not is_gone, now_millis=now_millis)


def _is_inside_right(record: EntryRecord, inspection: c.InspectResult, now_millis: int) -> bool:
    """Return whether Redis and the record agree about whether the customer is inside."""
    if inspection.time_millis <= now_millis:
        return record.inside_until(now_millis) == 0
    return record.inside_until(now_millis) > 0
