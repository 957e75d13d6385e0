"""Measure whether the response time reveals that an address is on the waitlist.

Each pair of requests uses a known and an unknown address in random order, so other load on the
computer affects both alike. A Mann-Whitney rank test compares the times. If they do not differ, its
result z is near 0, and |z| exceeds 2.58 in only one of a hundred runs.
"""

import random
import re
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from math import sqrt
from statistics import median
from typing import Any
from unittest.mock import patch

from tools.bench.public import PublicBench
from tools.bench.targets import Row, Target
from waitlist_api.http.even_times import EvenTimes

LIST, OPEN = "/v1/waitlists/secret", "/v1/waitlists/open"
RULES = {"field": "email", "verify": "before_offer"}
INSEPARABLE = Target("≤", 2.58)
Ask = Callable[[str], object]


class SecrecyBench(PublicBench):
    """Measures signups, requests for a link, and address changes.

    The service delays its answers to signups and requests for a link so that all answers take the
    same time, and the benchmark measures these requests with and without the delay. An address
    change is not delayed. Its time does not depend on the new address, because the service does not
    read that address's record.
    """

    def rows(self, tick: Callable[[], None]) -> list[Row]:
        """Measure each kind of request.

        Requests that are usually delayed are also measured without the delay, just for comparison.
        """
        with self.function():
            self.request("PUT", "/v1/admin/waitlists/secret", {"name": "S", "identity": RULES})
            known = [f"known-{number}@example.com" for number in range(self._sizes.pairs)]
            with _without_pause():
                for address in known:
                    self._sign_up_by(address)
            requests = (("signup", self._sign_up_by), ("link", self._ask_for_link))
            rows = []
            for name, ask in requests:
                with _without_pause():
                    rows.append(_row(f"{name}, without the pause", ask, known, "w", None, tick))
                rows.append(_row(f"{name}, with the pause", ask, known, "a", INSEPARABLE, tick))
            self._open(known)
            rows.append(_row("change of address", self._change_to, known, "c", INSEPARABLE, tick))
            return rows

    def _open(self, known: Sequence[str]) -> None:
        """Create a waitlist whose responses are not delayed.

        For each known address, two people sign up: the owner of the address, and someone who will
        later try to take it over.
        """
        rules = {**RULES, "verify": "off"}
        self.request("PUT", OPEN.replace("/v1", "/v1/admin"), {"name": "O", "identity": rules})
        self._askers = []
        for address in known:
            for email in (address, address.replace("known", "asker")):
                self._last = self.request("POST", f"{OPEN}/entries", {"profile": {"email": email}})
            self._askers.append(self._last)

    def _change_to(self, address: str) -> Any:
        self._last = self._askers[int(re.sub(r"\D", "", address))]
        path = f"{OPEN}/entries/{self._last['entry_id']}"
        return self.request("PATCH", path, {"profile": {"email": address}})

    def _sign_up_by(self, address: str) -> Any:
        return self.request("POST", f"{LIST}/entries", {"profile": {"email": address}})

    def _ask_for_link(self, address: str) -> Any:
        return self.request("POST", f"{LIST}/links", {"email": address})


def _row(
    name: str,
    ask: Ask,
    known: Sequence[str],
    mark: str,
    target: Target | None,
    tick: Callable[[], None],
) -> Row:
    """Measure pairs of a known and an unknown address.

    The unknown addresses contain `mark`, so no other measurement uses them.
    """
    times: dict[bool, list[float]] = {True: [], False: []}
    for address in known:
        pair = [(True, address), (False, address.replace("known", f"ne{mark}er"))]
        random.shuffle(pair)
        for is_known, email in pair:
            times[is_known].append(_millis(ask, email))
        tick()
    ours, others = times[True], times[False]
    z = rank_z(ours, others)
    return Row(
        name=f"{name}: |z| of {len(known)} pairs",
        beside="an unknown address",
        ratio=abs(z),
        spread=None,
        ours=f"{median(ours):.2f} ms, z {z:+.2f}",
        baseline=f"{median(others):.2f} ms",
        target=target,
    )


def _millis(ask: Ask, address: str) -> float:
    began = time.perf_counter()
    ask(address)
    return (time.perf_counter() - began) * 1000


def rank_z(ours: Sequence[float], others: Sequence[float]) -> float:
    """Return Mann-Whitney's z, which is near 0 if the two samples are alike."""
    ranked = sorted([(value, True) for value in ours] + [(value, False) for value in others])
    ranks = sum(rank for rank, (_, is_ours) in enumerate(ranked, 1) if is_ours)
    n, m = len(ours), len(others)
    above = ranks - n * (n + 1) / 2
    return (above - n * m / 2) / sqrt(n * m * (n + m + 1) / 12)


def _without_pause() -> Any:
    return patch.object(EvenTimes, "since", lambda *_: nullcontext())
