"""Whether an entry is ready, as callers see it."""

from typing import Any

from waitlist_api.clock import iso
from waitlist_api.entries.position import EntryView
from waitlist_shared import contracts as c

FIELDS = ("ready", "not_ready", "ready_ahead", "rest_until", "delayed_until", "confirm_by")


def readiness_fields(
    view: EntryView, recorded: c.Readiness | None = None, now_millis: int = 0
) -> dict[str, Any]:
    """Return the fields of `WithReadiness`; all are null of an entry that does not wait.

    Where Redis was not asked, the record says why the entry is not ready.
    """
    if view.status != "waiting":
        return dict.fromkeys(FIELDS)
    reasons = view.not_ready
    if reasons is None:
        given = () if recorded is None else recorded.not_ready
        reasons = tuple(one for one in given if not 0 < one.until_millis <= now_millis)
    ends = {one.reason: iso(one.until_millis) for one in reasons if one.until_millis}
    return {
        "ready": not reasons,
        "not_ready": [one.reason for one in reasons] or None,
        "ready_ahead": ready_ahead_of(view),
        "rest_until": ends.get("resting"),
        "delayed_until": ends.get("delayed"),
        "confirm_by": iso(view.confirm_by_millis) if view.confirm_by_millis else None,
    }


def ready_ahead_of(view: EntryView) -> int | None:
    """Return how many ready entries are ahead: on a list on which all are, those ahead."""
    if view.ready_ahead is not None or view.position is None:
        return view.ready_ahead
    return view.position - 1
