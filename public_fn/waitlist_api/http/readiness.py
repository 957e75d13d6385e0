"""The response fields that describe whether an entry is ready to be served."""

from typing import Any

from waitlist_api.clock import iso
from waitlist_api.entries.position import EntryView
from waitlist_api.http.schemas.entries import WithReadiness
from waitlist_shared import contracts as c

# The field that says when a reason ends is usually named after the reason, as in `delayed_until`.
# The fields of these reasons have other names.
ENDS = {"resting": "rest_until", "declined": "delayed_until"}


def readiness_fields(
    view: EntryView, recorded: c.Readiness | None = None, now_millis: int = 0
) -> dict[str, Any]:
    """Return the fields of `WithReadiness`. If the entry is not waiting, all fields are null."""
    if view.status != "waiting":
        return dict.fromkeys(WithReadiness.model_fields)
    reasons = view.not_ready
    if reasons is None:
        given = () if recorded is None else recorded.not_ready
        reasons = tuple(reason for reason in given if not 0 < reason.until_millis <= now_millis)
    ends = {
        ENDS.get(item.reason, f"{item.reason}_until"): iso(item.until_millis)
        for item in reasons
        if item.until_millis
    }
    return {
        **dict.fromkeys(WithReadiness.model_fields),
        **ends,
        "ready": not reasons,
        "not_ready": [item.reason for item in reasons] or None,
        "ready_ahead": count_ready_ahead(view),
        "confirm_by": iso(view.confirm_by_millis) if view.confirm_by_millis else None,
    }


def count_ready_ahead(view: EntryView) -> int | None:
    """Return how many entries ahead are ready."""
    if view.ready_ahead is not None or view.position is None:
        return view.ready_ahead
    return view.position - 1
