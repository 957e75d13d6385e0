"""Offers slots to the first people in a queue."""

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
    """Offer `count` slots, and yield the entries that each request offered a slot.

    If `refill` is true, the requests fill a quota instead. A count of 0 ends the quota.
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
        # A repeated request leaves out offers that have ended, so only an empty response means that
        # nobody is left. A quota goes on even if nobody gets a slot yet.
        if not found and not refill:
            return
        yield found
