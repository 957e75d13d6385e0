"""A waitlist behind the private function, which is called with JSON, as in Lambda."""

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from redis import Redis

from tools.local.ports import HOST
from waitlist_queue import keys
from waitlist_queue.app import compose
from waitlist_queue.config import Config
from waitlist_shared.errors import QueueUnavailable
from waitlist_shared.ids import entry_id_of, new_epoch, new_join_id
from waitlist_shared.limits import MAX_BATCH
from waitlist_shared.ranks import TIER, ticket_at

MEMBERS_PER_COMMAND = 1000
DAY_MILLIS = 86_400_000
OUTCOMES_OF_REPEATS = ("already", "absent", "repeat")


class BenchError(Exception):
    """An operation failed during the measurement, so its time means nothing."""


class Disturbed(BenchError):
    """Redis did not answer in time because the machine is busy, so the measurement is repeated."""


class Handler:
    """The private function, which takes and returns JSON and logs a line to standard output."""

    def __init__(self, port: int) -> None:
        config = Config(
            redis_url=f"redis://{HOST}:{port}",
            redis_cluster=False,
            log_level="INFO",
            metrics_namespace="Waitlist/bench",
        )
        self._handle = compose(config).handle

    def ask(self, payload: str) -> str:
        return json.dumps(self._handle(json.loads(payload)))


class Line:
    def __init__(
        self,
        handler: Handler,
        waitlist_id: str,
        segments_version: int = 0,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self._handler = handler
        self.waitlist_id = waitlist_id
        self.queue_key = keys.queue(waitlist_id)
        self._segments = {"segments_version": segments_version} if segments_version else {}
        self._made = 0
        whole = {"version": 1, "segments_version": segments_version, **(settings or {})}
        init = {"settings": whole, "mode": "create", "epoch": new_epoch()}
        check([handler.ask(self._payload("init", **init))], "created")

    def newcomers(self, count: int) -> list[str]:
        first, self._made = self._made, self._made + count
        numbers = range(first, self._made)
        return [entry_id_of(self.waitlist_id, f"customer-{number}") for number in numbers]

    def join(self, members: Sequence[str]) -> None:
        self.ask_all([self.signup(member) for member in members], "joined")

    def ask_all(self, payloads: Sequence[str], outcome: str) -> None:
        """If Redis does not answer a batch in time, resend it, as real callers do."""
        for start in range(0, len(payloads), MAX_BATCH):
            together = batch(payloads[start : start + MAX_BATCH])
            try:
                check([self._handler.ask(together)], outcome)
            except Disturbed:
                check([self._handler.ask(together)], outcome, *OUTCOMES_OF_REPEATS)

    def fill(self, bare: Redis, members: Sequence[str]) -> None:
        """Give the members the ranks of customers who have just signed up."""
        rank = 255 * TIER + ticket_at(datetime.now(UTC)) - len(members)
        for start in range(0, len(members), MEMBERS_PER_COMMAND):
            some = members[start : start + MEMBERS_PER_COMMAND]
            bare.zadd(self.queue_key, {member: rank + n for n, member in enumerate(some, start)})

    def rest(self, members: Sequence[str]) -> None:
        """Pause the members for a day, which is longer than any measurement takes."""
        until = time.time_ns() // 1_000_000 + DAY_MILLIS
        readiness = [1, [{"reason": "resting", "until_millis": until}]]
        messages = [
            self._payload("tag", entry_id=member, join_id=new_join_id(), readiness=readiness)
            for member in members
        ]
        self.ask_all(messages, "tagged")

    def signup(self, member: str) -> str:
        stay = {"entry_id": member, "join_id": new_join_id()}
        return self._payload("signup", **stay, **self._segments)

    def message(self, op: str) -> str:
        return self._payload(op)

    def position(self, member: str) -> str:
        return self._payload("position", entry_id=member, is_poll=True)

    def leave(self, member: str) -> str:
        return self._payload("leave", entry_id=member, join_id=new_join_id())

    def bump(self, member: str, form: str, value: int | str) -> str:
        where = {form: value, "once_key": secrets.token_hex(16)}
        return self._payload("bump", entry_id=member, **where)

    def claim(self, count: int) -> str:
        return self._payload("claim", count=count)

    def claim_by(self, filters: Sequence[str]) -> str:
        return self._payload("claim", count=1, filters=filters, **self._segments)

    def admit(self, count: int | None) -> str:
        """If `count` is None, the admission policy decides how many people receive offers."""
        return self._payload("admit", settings_version=1, count=count)

    def complete_all(self, entries: Sequence[dict[str, Any]]) -> str:
        return batch([self.complete(entry) for entry in entries])

    def complete(self, entry: dict[str, Any]) -> str:
        return self._payload("complete", entry_id=entry["entry_id"], token=entry["token"])

    def stats(self) -> str:
        return self._payload("stats")

    def _payload(self, operation: str, **fields: Any) -> str:
        return json.dumps({"v": 1, "op": operation, "waitlist_id": self.waitlist_id, **fields})


def batch(payloads: Sequence[str]) -> str:
    return f'{{"v": 1, "op": "batch", "requests": [{", ".join(payloads)}]}}'


def sent(payload: str) -> str:
    return f'{{"correlation_id": "{uuid4()}", {payload[1:]}'


def check(answers: Sequence[str], *outcomes: str) -> None:
    for answer in map(json.loads, answers):
        for result in answer.get("results", [answer]):
            if result.get("code") == QueueUnavailable.code:
                raise Disturbed(result["message"])
            if result.get("outcome") not in outcomes:
                raise BenchError(f"expected one of the outcomes {outcomes}, but got {result}")
