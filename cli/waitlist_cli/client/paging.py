"""Reads the API's lists page by page."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

PAGE = 100


def pages(
    api: "Api", path: str, name: str, most: int | None = None, **params: str
) -> Iterator[dict[str, Any]]:
    """Yield the first `most` items of a list, or all items if `most` is None.

    Each request reads one page.
    """
    left, cursor = most, None
    while left is None or left > 0:
        limit = PAGE if left is None else min(left, PAGE)
        query: dict[str, str | int] = {**params, "limit": limit}
        if cursor:
            query["cursor"] = cursor
            # Only the first request uses `first`, the position to start at. Each later request
            # starts at the previous response's cursor.
            query.pop("first", None)
        page = api.operator("GET", path, params=query)
        found = page[name]
        yield from found
        cursor = page["cursor"]
        if cursor is None:
            return
        left = None if left is None else left - len(found)
