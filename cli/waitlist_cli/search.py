"""Finds people by a part of their customer id."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from waitlist_cli.paging import pages

if TYPE_CHECKING:
    from waitlist_cli.api import Api

STATUSES = ("waiting", "offered", "parked")


def found_people(
    api: "Api", waitlist_id: str, text: str, most: int, on_limit: Callable[[str], object]
) -> Iterator[dict[str, Any]]:
    """Yield the people on the list whose customer id contains `text`, in any case.

    Looks at `most` people of each status, and calls `on_limit` with a status that may have more.
    """
    wanted = text.casefold()
    for status in STATUSES:
        seen = 0
        for person in pages(api, f"/{waitlist_id}/entries", "entries", most, status=status):
            seen += 1
            if wanted in (person["customer_id"] or "").casefold():
                yield person
        if seen == most:
            on_limit(status)
