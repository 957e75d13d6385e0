"""Sends the demo's requests in parallel, with a progress bar for each kind of request."""

import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from tools.demo.people import Person
from tools.local.api_client import ApiClient

# A policy whose rate makes a customer behind 2,000 others wait for about three minutes.
POLICY = {
    "rate": {"count": 600, "per": "minute"},
    "offer_seconds": 120,
    "pass_seconds": 600,
    "no_show": "leave",
}
PAGE = {
    "text": "A table at the corner bakery.",
    "colour": "#0b6e4f",
    # A signup's profile may contain only these fields.
    "fields": [
        {"name": "name", "label": "Your name", "required": True},
        {"name": "email", "label": "Email", "type": "email"},
        {"name": "city", "label": "City"},
        {"name": "party_size", "label": "How many are you?"},
    ],
}
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Signup:
    person: Person
    entry_id: str
    token: str
    position: int


class DemoQueue:
    """Up to `workers` requests run at the same time."""

    def __init__(self, client: ApiClient, waitlist_id: str, console: Console, workers: int) -> None:
        self.waitlist_id = waitlist_id
        self._client = client
        self._console = console
        self._workers = workers
        self._entries = f"/v1/waitlists/{waitlist_id}/entries"
        self._admin = f"/v1/admin/waitlists/{waitlist_id}"

    def open(self) -> None:
        self._configure()

    def begin_to_admit(self) -> None:
        """The customer page shows more if the waitlist has an admission policy."""
        self._configure(admission=POLICY)

    def _configure(self, **settings: Any) -> None:
        body = {"name": "Demo", "page": PAGE, **settings}
        self._client.operator("PUT", self._admin, json=body)

    def sign_up(self, people: Sequence[Person]) -> list[Signup]:
        """Sign everyone up at the same time. Return their signups by position."""
        signups = self._each("Signing up", self._sign_up, people)
        return sorted(signups, key=lambda signup: signup.position)

    def leave(self, signups: Sequence[Signup]) -> None:
        self._each("Leaving", self._leave, signups)

    def bump(self, signups: Sequence[Signup], **where: Any) -> None:
        """Move people. The request contains exactly one of the fields `priority`, `places` and
        `to`.
        """
        self._each(f"Bumping ({_words(where)})", lambda signup: self._bump(signup, where), signups)

    def positions(self, signups: Sequence[Signup]) -> list[int]:
        return [self._entry(signup)["position"] for signup in signups]

    def head(self, count: int) -> list[dict[str, Any]]:
        page = self._client.operator("GET", f"{self._admin}/entries", params={"limit": count})
        return list(page["entries"])

    def stats(self) -> dict[str, Any]:
        return dict(self._client.operator("GET", f"{self._admin}/stats"))

    def _sign_up(self, person: Person) -> Signup:
        answer = self._client.customer(
            "POST",
            self._entries,
            json={"customer_id": person.customer_id, "profile": person.profile},
            key=str(uuid.uuid4()),
        )
        position = answer["position"]
        if position is None:
            # Customers who sign up while the queue is being rebuilt receive their position later.
            path = f"{self._entries}/{answer['entry_id']}"
            position = self._client.customer("GET", path, answer["entry_token"])["position"]
        return Signup(person, answer["entry_id"], answer["entry_token"], position)

    def _leave(self, signup: Signup) -> None:
        self._client.customer("DELETE", f"{self._entries}/{signup.entry_id}", signup.token)

    def _bump(self, signup: Signup, where: dict[str, Any]) -> None:
        path = f"{self._admin}/entries/{signup.entry_id}/bump"
        self._client.operator("POST", path, json=where, key=str(uuid.uuid4()))

    def _entry(self, signup: Signup) -> dict[str, Any]:
        path = f"{self._entries}/{signup.entry_id}"
        return dict(self._client.customer("GET", path, signup.token))

    def _each(
        self, words: str, call: Callable[[Item], Result], items: Sequence[Item]
    ) -> list[Result]:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _RateColumn(),
            TextColumn("time left"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self._console) as progress:
            task = progress.add_task(words, total=len(items))
            pool = ThreadPoolExecutor(self._workers)
            try:
                calls = [pool.submit(call, item) for item in items]
                for done in as_completed(calls):
                    done.result()
                    progress.advance(task)
                return [done.result() for done in calls]
            finally:
                # After an error or Ctrl-C, do not send the remaining requests.
                pool.shutdown(cancel_futures=True)


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.0f}/s" if speed else "", style="progress.data.speed")


def _words(where: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in where.items())
