"""Compare imports with single signups. Both go through the whole service, as `make run` starts
it.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count, islice
from typing import Any, Self

import httpx

from tools.bench.queue_client import BenchError
from tools.bench.rounds import Round, measure
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target
from tools.local.operator import local_operator
from tools.local.service import LocalService
from tools.local.settings import Settings
from waitlist_shared.limits import MAX_BATCH

LIST = "/v1/admin/waitlists/bench"
SIGNUPS = "/v1/waitlists/bench/entries"
TIMEOUT_SECONDS = 60
TARGET = Target("≥", 4.0)
# The target is to import 100,000 rows within five minutes.
LEAST_PER_SECOND = 100_000 / 300


class ImportBench:
    """Compares imports with signups.

    The client has one connection and sends one request at a time.
    """

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._ending = ExitStack()
        self._operator = local_operator()
        self._numbers = count()

    def __enter__(self) -> Self:
        service = self._ending.enter_context(LocalService(Settings(port=0)))
        self._http = self._ending.enter_context(
            httpx.Client(base_url=service.url, timeout=TIMEOUT_SECONDS, trust_env=False)
        )
        self._http.put(LIST, json={"name": "Bench"}, auth=self._operator).raise_for_status()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    def rows(self, tick: Callable[[], None]) -> list[Row]:
        rounds, people = self._sizes.import_rounds, self._sizes.imported_per_round
        speed = measure(lambda: self._round(people), people, rounds, tick)
        beside = Row(
            name=f"import of {people}",
            beside="single signups",
            ratio=speed.ratio,
            spread=(speed.low, speed.high),
            ours=f"{speed.ours_per_second:,.0f}/s",
            baseline=f"{speed.baseline_per_second:,.0f}/s",
            target=TARGET,
        )
        long = self._long(self._sizes.imported)
        tick()
        return [beside, long]

    def _round(self, people: int) -> Round:
        rows, bodies = self._people(people), self._people(people)
        joined: list[int] = []
        return Round(
            ours=lambda: joined.append(self._import(rows)),
            baseline=lambda: joined.append(sum(self._sign_up(body) for body in bodies)),
            verify=lambda: _check(joined, people),
        )

    def _long(self, people: int) -> Row:
        rows = self._people(people)
        start = time.perf_counter()
        joined = [self._import(rows[at : at + MAX_BATCH]) for at in range(0, people, MAX_BATCH)]
        seconds = time.perf_counter() - start
        _check([sum(joined)], people)
        return Row(
            name=f"import of {people:,}",
            beside="100,000 in 5 minutes",
            ratio=people / seconds / LEAST_PER_SECOND,
            spread=None,
            ours=f"{people / seconds:,.0f}/s",
            baseline=f"{LEAST_PER_SECOND:,.0f}/s",
            target=Target("≥", 1.0),
        )

    def _people(self, people: int) -> list[dict[str, Any]]:
        return [
            {"customer_id": f"customer-{number:07d}", "profile": {"name": f"Person {number}"}}
            for number in islice(self._numbers, people)
        ]

    def _import(self, rows: list[dict[str, Any]]) -> int:
        body = {"entries": rows}
        answer = self._http.post(f"{LIST}/import", json=body, auth=self._operator)
        answer.raise_for_status()
        return int(answer.json()["joined"])

    def _sign_up(self, body: dict[str, Any]) -> int:
        return int(self._http.post(SIGNUPS, json=body).status_code == httpx.codes.CREATED)


def _check(joined: list[int], people: int) -> None:
    if any(number != people for number in joined):
        raise BenchError(f"{people} people should have joined on each side, but {joined} did")
