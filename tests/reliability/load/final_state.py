"""Reads the service's data after the load has ended and maintenance has run."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.reliability.load.customers import ENTRIES
from tests.reliability.load.history import History
from tests.reliability.load.operators import ADMIN
from tests.reliability.load.plan import WAITLIST_ID
from tools.local.api_client import ApiClient
from tools.local.functions import MAINTENANCE_NAME
from waitlist_cli.errors import CliError
from waitlist_shared.ids import entry_id_of

# Maintenance completes an interrupted request one minute after the request began, measured by the
# interrupted function's clock.
INTENT_SECONDS = 62
SETTLE_SECONDS = 60
READERS = 8
LOOKS = 50
MAINTENANCE = f"/2015-03-31/functions/{MAINTENANCE_NAME}/invocations"

T = TypeVar("T")


@dataclass(frozen=True)
class Seen:
    person: str
    status: str
    position: int | None
    total: int | None
    priority: int


@dataclass(frozen=True)
class FinalState:
    """A waitlist's state at the end of a load test.

    `admissions` counts how many times each customer was admitted. `own_positions` are the positions
    that customers' own requests returned.
    """

    line: tuple[Seen, ...]
    aside: tuple[Seen, ...]
    stats: Mapping[str, Any]
    admissions: Mapping[str, int]
    own_positions: Mapping[str, int | None]


class Reader:
    def __init__(
        self,
        client: ApiClient,
        now: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._now = now
        self._pause = pause

    def settle(self, lease_seconds: float, history: History, load_ended: float) -> None:
        if history.has_unknown():
            self._pause(max(0.0, load_ended + INTENT_SECONDS - self._now()))
        end = self._now() + lease_seconds + SETTLE_SECONDS
        while True:
            self._maintain()
            if self._stats()["offered"] == 0 or self._now() > end:
                return
            self._pause(1)

    def read(self, history: History) -> FinalState:
        line = tuple(self._pages("waiting"))
        aside = (*self._pages("offered"), *self._pages("parked"))
        tokens = {
            operation.person: operation.answer["entry_token"]
            for operation in history.of("signup")
            if operation.is_done
        }
        completed = {operation.person for operation in history.of("complete", "enter")}
        looking = [one.person for one in line if one.person in tokens]
        looking = looking[:: max(1, len(looking) // LOOKS)]
        return FinalState(
            line=line,
            aside=aside,
            stats=self._stats(),
            admissions=_each(completed, lambda person: self._admissions(_id(person))),
            own_positions=_each(
                looking, lambda person: self._own_position(_id(person), tokens[person])
            ),
        )

    def _maintain(self) -> None:
        failure = self._client.customer("POST", MAINTENANCE, json={})
        if failure is not None:
            raise CliError(f"maintenance failed: {failure}")

    def _stats(self) -> Mapping[str, Any]:
        stats: Mapping[str, Any] = self._client.operator("GET", f"{ADMIN}/stats")
        return stats

    def _pages(self, status: str) -> Iterator[Seen]:
        cursor: str | None = ""
        while cursor is not None:
            query = {"status": status, "limit": "100", **({"cursor": cursor} if cursor else {})}
            page = self._client.operator("GET", f"{ADMIN}/entries", params=query)
            for entry in page["entries"]:
                yield Seen(
                    person=entry["customer_id"] or f"entry {entry['entry_id']}, not recorded",
                    status=entry["status"],
                    position=entry["position"],
                    total=entry["total"],
                    priority=entry["priority"],
                )
            cursor = page["cursor"]

    def _admissions(self, entry_id: str) -> int:
        person = self._client.operator("GET", f"{ADMIN}/entries/{entry_id}")
        return sum(event["event"] == "admitted" for event in person["history"])

    def _own_position(self, entry_id: str, token: str) -> int | None:
        entry = self._client.customer("GET", f"{ENTRIES}/{entry_id}", token)
        position: int | None = entry["position"]
        return position


def _id(person: str) -> str:
    return entry_id_of(WAITLIST_ID, person)


def _each(people: Iterable[str], ask: Callable[[str], T]) -> dict[str, T]:
    asked = list(people)
    with ThreadPoolExecutor(READERS) as pool:
        return dict(zip(asked, pool.map(ask, asked), strict=True))
