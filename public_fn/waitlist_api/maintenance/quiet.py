"""Decide whether a maintenance run can skip a waitlist."""

from collections.abc import Container, Iterable
from zlib import crc32

from waitlist_api.estimates.pace import OVER, UNKNOWN
from waitlist_api.maintenance.notifier import may_be_due
from waitlist_api.maintenance.steps import Step
from waitlist_api.records.journal import MINUTE
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.schedule import next_instant
from waitlist_api.settings.waitlist import schedule_of
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError

# Even a waitlist without changes is maintained every 6 to 12 hours. An audit reads at most one day
# of changes, so the interval must be shorter than a day. It depends on the waitlist id, so that not
# all waitlists are maintained at the same time.
SHORTEST_SKIP = 6 * 60 * MINUTE


def is_quiet(
    waitlist: WaitlistRecord,
    answer: c.Result | WaitlistError,
    changed: Container[str] | None,
    now_millis: int,
    steps: Iterable[Step],
) -> bool:
    """Return whether nothing has changed and no work is due, so that maintenance can skip the
    waitlist.

    `changed` contains the ids of the waitlists that have changes in the journal.
    """
    if waitlist.deleting or waitlist.rebuild is not None:
        return False
    if not isinstance(answer, c.StatsResult) or answer.state != "warm" or answer.is_due:
        return False
    if changed is None or waitlist.waitlist_id in changed:
        return False
    checkpoint = waitlist.checkpoint
    if (answer.epoch, answer.beat) != (checkpoint.epoch, checkpoint.beat):
        return False
    return (
        answer.last_stamp == checkpoint.stamp
        and not checkpoint.is_unfinished
        and answer.clock_stamp - checkpoint.stamp < _longest_silence(waitlist)
        and answer.settings_version >= waitlist.version
        and "building" not in (answer.segments_state, waitlist.segments_state)
        and not (answer.waiting and answer.pace not in (UNKNOWN, OVER))
        and not may_be_due(waitlist, answer, now_millis)
        and not any(step.is_due(waitlist, answer) for step in steps)
        and not _has_instant(waitlist, answer.scheduled_until, now_millis)
    )


def _longest_silence(waitlist: WaitlistRecord) -> int:
    """Return how long maintenance can skip a waitlist that has no changes."""
    return SHORTEST_SKIP + crc32(waitlist.waitlist_id.encode()) % SHORTEST_SKIP


def _has_instant(waitlist: WaitlistRecord, counted_until: int, now_millis: int) -> bool:
    """Return whether a scheduled time has passed but Redis has not made its slots available yet."""
    following = next_instant(schedule_of(waitlist.settings), counted_until)
    return following is not None and following.millis <= now_millis
