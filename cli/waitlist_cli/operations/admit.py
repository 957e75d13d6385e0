"""Offers slots to the first people of a queue, in as many calls as that takes."""

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
    """Yield the entries that each call gave a slot; end after a call that gave none.

    With `refill` each call adds to the quota, also those that give no slot yet. A count of 0 ends
    the quota. Each call has its own Idempotency-Key, made of `key`. A repeat may list fewer entries
    than the first time, because some offers have ended, so a shorter answer is not the end.
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
