"""Simulates the launch's customers: who enters, who exits, and when."""

import heapq
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tools.demo.queue import Signup
from tools.local.api_client import ApiClient
from waitlist_cli.errors import CliError

OFFER_SECONDS, PASS_SECONDS = 20, 60
NO_SHOWS, DECLINES, STAYS = 0.15, 0.05, 0.02
LONGEST_TO_ENTER, SHORTEST_INSIDE, LONGEST_INSIDE = 3.0, 1.0, 4.0
PAGE, PAGES = 100, 10
WORKERS = 16
TOO_LATE = 409


def policy(people: int) -> dict[str, Any]:
    """With this policy, everyone is admitted within a minute or two."""
    return {
        "rate": {"count": max(1, people // 40), "per": "second"},
        "max_inside": max(2, people // 8),
        "offer_seconds": OFFER_SECONDS,
        "pass_seconds": PASS_SECONDS,
        "no_show": "leave",
    }


@dataclass
class Launch:
    """`counts` says how many customers entered, exited, declined, were too late or did nothing."""

    client: ApiClient
    waitlist_id: str
    signups: Sequence[Signup]
    random: Random = field(default_factory=lambda: Random(15))
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._admin = f"/v1/admin/waitlists/{self.waitlist_id}"
        self._by_id = {signup.entry_id: signup for signup in self.signups}
        self._plan: list[tuple[float, str, str]] = []
        self._seen: set[str] = set()

    def configure(self, **settings: Any) -> None:
        body = {"name": "Launch", "admission": policy(len(self.signups)), **settings}
        self.client.operator("PUT", self._admin, json=body)

    def step(self, now: float) -> None:
        for entry_id in self._offered():
            if entry_id not in self._seen:
                self._seen.add(entry_id)
                self._decide(entry_id, now)
        due = []
        while self._plan and self._plan[0][0] <= now:
            due.append(heapq.heappop(self._plan))
        with ThreadPoolExecutor(WORKERS) as pool:
            done = list(pool.map(lambda action: self._act(action[1], action[2]), due))
        for (_, verb, entry_id), is_done in zip(due, done, strict=True):
            self.counts[verb if is_done else "too late"] += 1
            if verb == "enter" and is_done:
                self._plan_exit(entry_id, now)

    def look(self, signup: Signup) -> dict[str, Any]:
        """The service makes offers when a customer polls."""
        path = f"/v1/waitlists/{self.waitlist_id}/entries/{signup.entry_id}"
        return dict(self.client.customer("GET", path, signup.token))

    def stats(self) -> dict[str, Any]:
        return dict(self.client.operator("GET", f"{self._admin}/stats"))

    def _offered(self) -> list[str]:
        found: list[str] = []
        params: dict[str, str | int] = {"status": "offered", "limit": PAGE}
        for _ in range(PAGES):
            page = self.client.operator("GET", f"{self._admin}/entries", params=params)
            found += [entry["entry_id"] for entry in page["entries"]]
            if page["cursor"] is None:
                break
            params["cursor"] = page["cursor"]
        return found

    def _decide(self, entry_id: str, now: float) -> None:
        chance = self.random.random()
        if chance < NO_SHOWS:
            self.counts["no-show"] += 1
            return
        verb = "decline" if chance < NO_SHOWS + DECLINES else "enter"
        self._later(now + self.random.uniform(0, LONGEST_TO_ENTER), verb, entry_id)

    def _plan_exit(self, entry_id: str, now: float) -> None:
        if self.random.random() >= STAYS:
            seconds = self.random.uniform(SHORTEST_INSIDE, LONGEST_INSIDE)
            self._later(now + seconds, "exit", entry_id)

    def _later(self, at: float, verb: str, entry_id: str) -> None:
        heapq.heappush(self._plan, (at, verb, entry_id))

    def _act(self, verb: str, entry_id: str) -> bool:
        """Act for a customer. Return False if it is too late because the offer or the pass has
        ended.
        """
        path = f"/v1/waitlists/{self.waitlist_id}/entries/{entry_id}/{verb}"
        body = {"to": "leave"} if verb == "decline" else None
        try:
            self.client.customer("POST", path, self._by_id[entry_id].token, json=body)
        except CliError as error:
            if error.status == TOO_LATE:
                return False
            raise
        return True
