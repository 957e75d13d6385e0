"""Offers slots to the first people in a queue. Many people need several requests."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

MOST_ADMITTED = 100


def admissions(
    api: "Api",
    waitlist_id: str,
    count: int,
    filter_: dict[str, str] | None = None,
    *,
    key: str,
    filters: list[dict[str, str]] | None = None,
    refill: bool = False,
) -> Iterator[list[dict[str, Any]]]:
    """Send the requests, and yield for each request the entries that got a slot.

    The function stops after a request in which nobody got a slot. If `refill` is true, each request
    adds to the quota, so the function goes on even if nobody gets a slot yet. A count of 0 ends the
    quota.

    The Idempotency-Key of each request is derived from `key`. If a request is repeated, its
    response can be shorter, because some offers have ended since then. A short response is
    therefore no reason to stop.
    """
    for number, first in enumerate(range(0, max(1, count), MOST_ADMITTED), start=1):
        body: dict[str, Any] = {"count": min(MOST_ADMITTED, count - first), "filter": filter_}
        if filters:
            body["filters"] = filters
        if refill:
            body["refill"] = True
        found = api.operator("POST", f"/{waitlist_id}/admit", body, key=f"{key}.{number}")[
            "entries"
        ]
        if not found and not refill:
            return
        yield found
