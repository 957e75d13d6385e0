"""Recognizes states of the stores that differ only in how long the steps took.

The model checker tests only one of these states. The times in a state are replaced by numbers that
preserve their order and the longer gaps between them. Gaps of less than a second are dropped,
because no rule of the service depends on them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import pairwise
from typing import Any

from waitlist_shared.ranks import TICKETS_PER_MILLISECOND, TIER, ticket_of_millis

MOMENT = TICKETS_PER_MILLISECOND
SECOND = 1000 * MOMENT
# Every deadline in a model checker case is at most a day away.
HORIZON = 24 * 3600 * SECOND
TIMES = re.compile(r"(?<![0-9A-Za-z.])\d{12,17}(?![0-9A-Za-z])|\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z")


@dataclass(frozen=True)
class Text:
    """A hash of a state's text, and the times that were removed from the text."""

    digest: bytes
    times: tuple[int, ...]

    @classmethod
    def of(cls, value: Any, since_millis: int) -> "Text":
        since, times = ticket_of_millis(since_millis), []

        def taken_out(found: re.Match[str]) -> str:
            tier, ticket = _ticket(found[0])
            if not since <= ticket <= since + HORIZON:
                return found[0]
            times.append(ticket)
            return f"{tier}@"

        rest = TIMES.sub(taken_out, value if isinstance(value, str) else repr(value))
        return cls(blake2b(rest.encode(), digest_size=16).digest(), tuple(times))


def digest_of(texts: Iterable[Text], since_millis: int) -> bytes:
    """Return a hash that is the same for states that differ only in how long the steps took."""
    found = list(texts)
    since = ticket_of_millis(since_millis)
    places = dict(_places(sorted({since, *(time for text in found for time in text.times)})))
    hash_ = blake2b(digest_size=16)
    for text in found:
        hash_.update(text.digest)
        hash_.update(repr([places[time] for time in text.times]).encode())
    return hash_.digest()


def _places(times: list[int]) -> Iterator[tuple[int, int]]:
    place = 0
    yield times[0], place
    for earlier, later in pairwise(times):
        gap = later - earlier
        if gap >= MOMENT:
            gap = max(MOMENT, (gap + SECOND // 2) // SECOND * SECOND)
        place += gap
        yield later, place


def _ticket(text: str) -> tuple[int, int]:
    """Return the tier and the ticket number that a text contains. Times have tier 0."""
    if text.endswith("Z"):
        millis = int(datetime.fromisoformat(text).timestamp() * 1000 + 0.5)
        return 0, ticket_of_millis(millis)
    number = int(text)
    if len(text) == MILLIS_DIGITS and text.startswith("17"):
        return 0, ticket_of_millis(number)
    return number // TIER, number % TIER


MILLIS_DIGITS = 13
