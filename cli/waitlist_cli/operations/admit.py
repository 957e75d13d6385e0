"""Offers slots to the first people in a queue, in several requests if there are many people."""

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
    """Yield the entries that each request gave a slot. Stop after a request that gave no slot.

    If `refill` is true, each request adds to the quota, even if it gives no slot yet. A count of 0
    ends the quota. Each request has its own Idempotency-Key, which is derived from `key`. A
    repeated request may return fewer entries than the first time, because some offers have ended.
    A short response is therefore no reason to stop.
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
