"""A waitlist for tests of the private function.

Tests refer to customers by name. Each message is converted to JSON and back.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from waitlist_queue.connections import OWN_RUN_ID, Client
from waitlist_queue.service import QueueService
from waitlist_queue.store import RedisStore
from waitlist_shared import contracts
from waitlist_shared.errors import BY_CODE
from waitlist_shared.ids import entry_id_of, segment_id_of

Answer = dict[str, Any]
WAITLIST_ID = "bakery-opening"
EPOCH = "0000aaaa"
NEW_YEAR_MICROS = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000
SECOND_MICROS = 1_000_000
HOUR_MICROS = 3600 * SECOND_MICROS
PAGE = 100
SETTINGS = contracts.Settings.__struct_fields__


@dataclass
class Clock:
    """A clock for the Redis scripts that stands still until a test advances it."""

    micros: int = NEW_YEAR_MICROS

    def __call__(self) -> int:
        return self.micros

    @property
    def millis(self) -> int:
        return self.micros // 1000

    def advance(self, micros: int = 0, seconds: int = 0) -> None:
        self.micros += micros + seconds * SECOND_MICROS


@dataclass
class Line:
    """Sends messages about one waitlist to the private function.

    Tests read and change the keys in Redis through `client`, which the private function also uses
    unless `connect` is given.
    """

    client: Any
    clock: Clock = field(default_factory=Clock)
    waitlist_id: str = WAITLIST_ID
    connect: Callable[[], Client] | None = None
    now_micros: Callable[[], int | str] | None = None
    server_run_id: str | None = None

    def __post_init__(self) -> None:
        store = RedisStore(
            self.connect or self._connect,
            self.now_micros or self.clock,
            lambda: OWN_RUN_ID if self.server_run_id is None else self.server_run_id,
        )
        # The service limits its work by time and by the number of steps. Here, time stands still,
        # so that a slow machine gives the same results as a fast one.
        self.store = store
        self.service = QueueService(store, monotonic=lambda: 0)
        self._names: dict[str, str] = {}
        self._once_keys = 0

    def _connect(self) -> Client:
        client: Client = self.client
        return client

    def of(self, waitlist_id: str) -> "Line":
        """Return a second waitlist on the same service."""
        other = Line(self.client, self.clock, waitlist_id)
        other.service = self.service
        return other

    def handle(self, message: Any) -> Answer:
        """Send a message to the private function as JSON, and fail if the response breaks the
        contract.
        """
        answer: Answer = json.loads(json.dumps(self.service.handle(json.loads(_json(message)))))
        _check_contract(message, answer)
        return answer

    def message(self, op: str, **fields: Any) -> dict[str, Any]:
        return {"v": 1, "op": op, "waitlist_id": self.waitlist_id, **fields}

    def send(self, op: str, **fields: Any) -> Answer:
        return self.handle(self.message(op, **fields))

    def id_of(self, name: str) -> str:
        entry_id = entry_id_of(self.waitlist_id, name)
        self._names[entry_id] = name
        return entry_id

    def name_of(self, entry_id: str) -> str:
        return self._names[entry_id]

    def stay(self, name: str, stay: int = 1) -> dict[str, str]:
        """The message fields that identify one of a customer's signups."""
        return {"entry_id": self.id_of(name), "join_id": f"{stay:08x}"}

    def init(
        self, mode: str = "create", epoch: str = EPOCH, version: int = 1, **fields: Any
    ) -> Answer:
        """Send the `init` message.

        Arguments named in SETTINGS become the waitlist's settings.
        """
        settings = {name: fields.pop(name) for name in SETTINGS if name in fields}
        settings["version"] = version
        return self.send("init", mode=mode, epoch=epoch, settings=settings, **fields)

    def signup(self, name: str, stay: int = 1, **fields: Any) -> Answer:
        return self.send("signup", **self.stay(name, stay), **fields)

    def insert(self, name: str, ticket: int = 16, stay: int = 1, **fields: Any) -> Answer:
        return self.send("insert", **self.stay(name, stay), ticket=ticket, **fields)

    def allocate_tickets(self, count: int = 0, *shared_milliseconds: tuple[int, int]) -> Answer:
        return self.send("allocate_tickets", count=count, shared_milliseconds=shared_milliseconds)

    def segment(self, name: str) -> str:
        return segment_id_of(self.waitlist_id, {"segment": name})

    def within(self, *names: str, edit: int = 0, version: int = 1) -> dict[str, Any]:
        """Return the message fields that say which segments an entry belongs to.

        `edit` is the number of times that the entry's attributes have changed.
        """
        return {
            "segments": [self.segment(name) for name in names],
            "attributes_version": edit,
            "segments_version": version,
        }

    def tag(self, name: str, *names: str, stay: int = 1, **versions: int) -> Answer:
        return self.send("tag", **self.stay(name, stay), **self.within(*names, **versions))

    def rest(self, name: str, version: int, seconds: int = 60, **fields: Any) -> Answer:
        """Pause an entry for a number of seconds.

        `version` counts the changes to the entry's record.
        """
        return self.readiness(name, version, resting=self.clock.millis + 1000 * seconds, **fields)

    def readiness(self, name: str, version: int, stay: int = 1, **reasons: int) -> Answer:
        """Tell Redis why an entry cannot get an offer or be claimed.

        `reasons` maps each reason to the time at which it ends, or to 0 if it has no end.
        """
        readiness = readiness_of(version, **reasons)
        return self.send("tag", **self.stay(name, stay), readiness=readiness)

    def ask(self, name: str, version: int, seconds: float = 60, **reasons: int) -> Answer:
        """Ask a customer to confirm within `seconds` that they are still waiting."""
        confirm_by = self.clock.millis + int(1000 * seconds)
        readiness = [*readiness_of(version, **reasons), confirm_by]
        return self.send("tag", **self.stay(name), readiness=readiness)

    def end_wait(self, name: str, action: str = "park", **fields: Any) -> Answer:
        """Park or remove a customer who did not confirm in time that they are still waiting.

        The message names the latest request for confirmation, unless `fields` names a different
        one.
        """
        found = self.position(name)
        named = {"ticket": found.get("ticket") or 1, "confirm_by_millis": 1, "settings_version": 1}
        if found.get("confirm_by_millis"):
            named["confirm_by_millis"] = found["confirm_by_millis"]
        return self.send(
            "end_wait", entry_id=self.id_of(name), action=action, **{**named, **fields}
        )

    def mark_dirty(self, name: str) -> Answer:
        return self.send("mark_dirty", entry_id=self.id_of(name))

    def untagged(self, segments_version: int = 1, **fields: Any) -> Answer:
        return self.send("untagged", segments_version=segments_version, **fields)

    def segment_counts(self, *names: str) -> dict[str, int]:
        """Return how many entries are waiting in each segment.

        `names` must contain every segment that has entries.
        """
        known = {self.segment(name): name for name in names}
        answer = accepted(self.send("segments", segments_version=1))
        return {known[depth["segment"]]: depth["waiting"] for depth in answer["depths"]}

    def claim_within(self, segment: str, count: int = 1, **fields: Any) -> list[str]:
        fields.setdefault("segments_version", 1)
        return list(self.claimed(count, segment=self.segment(segment), **fields))

    def all_sign_up(self, names: Iterable[str]) -> list[Answer]:
        return [accepted(self.signup(name)) for name in names]

    def leave(self, name: str, stay: int = 1, **fields: Any) -> Answer:
        return self.send("leave", **self.stay(name, stay), **fields)

    def drop(self, name: str, stay: int = 1, **fields: Any) -> Answer:
        return self.send("drop", **self.stay(name, stay), **fields)

    def bump(self, name: str, once: int | None = None, **where: Any) -> Answer:
        """Move an entry in the queue, with a new idempotency key unless `once` is given."""
        if once is None:
            self._once_keys += 1
            once = 2**64 + self._once_keys
        once_key = once_key_of(once)
        return self.send("bump", entry_id=self.id_of(name), once_key=once_key, **where)

    def restore(self, name: str, rank: int, ticket: int, stay: int = 1, **fields: Any) -> Answer:
        fields.setdefault("stamp", ticket)
        if "expected" in fields:
            fields.setdefault("when", "unchanged")
        return self.send("restore", **self.stay(name, stay), rank=rank, ticket=ticket, **fields)

    def claim(self, count: int = 1, once: int | None = None, **fields: Any) -> Answer:
        if once is not None:
            fields["once_key"] = once_key_of(once)
        return self.send("claim", count=count, **fields)

    def claimed(self, count: int = 1, **fields: Any) -> dict[str, Answer]:
        entries = accepted(self.claim(count, **fields))["entries"]
        return {self._names[entry["entry_id"]]: entry for entry in entries}

    def complete(self, name: str, token: str) -> Answer:
        return self._on_hold("complete", name, token)

    def release(self, name: str, token: str, **fields: Any) -> Answer:
        return self._on_hold("release", name, token, **fields)

    def extend(self, name: str, token: str, **fields: Any) -> Answer:
        return self._on_hold("extend", name, token, **fields)

    def park(self, name: str, token: str) -> Answer:
        return self._on_hold("park", name, token)

    def redrive(self, name: str, **fields: Any) -> Answer:
        return self.send("redrive", entry_id=self.id_of(name), **fields)

    def expire(self, min_age_seconds: int = 0, **fields: Any) -> Answer:
        return self.send("expire", min_age_seconds=min_age_seconds, **fields)

    def dirty(self, min_age_seconds: int = 0, **fields: Any) -> dict[str, Answer]:
        """Return the new places of entries that have changed in Redis but perhaps not in DynamoDB
        yet.
        """
        places = accepted(self.expire(min_age_seconds, **fields))["places"]
        return {self._names[place["entry_id"]]: place for place in places}

    def settle(self, name: str, seen_stamp: int, **fields: Any) -> Answer:
        return self.send("settle", entry_id=self.id_of(name), seen_stamp=seen_stamp, **fields)

    def list_off_queue(self, which: str, **fields: Any) -> Answer:
        return self.send("list_off_queue", which=which, **fields)

    def off_queue(self, which: str, **fields: Any) -> list[str]:
        entries = accepted(self.list_off_queue(which, **fields))["entries"]
        return [self._names[entry["entry_id"]] for entry in entries]

    def _on_hold(self, op: str, name: str, token: str, **fields: Any) -> Answer:
        return self.send(op, entry_id=self.id_of(name), token=token, **fields)

    def position(self, name: str, **fields: Any) -> Answer:
        return self.send("position", entry_id=self.id_of(name), **fields)

    def list_waiting(self, **fields: Any) -> Answer:
        return self.send("list_waiting", **fields)

    def board(self) -> Answer:
        return self.send("board")

    def stats(self, **fields: Any) -> Answer:
        return self.send("stats", **fields)

    def entries(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = []
        after: dict[str, int] = {}
        while True:
            page = accepted(self.list_waiting(limit=PAGE, **after))
            entries += page["entries"]
            if page["next_rank"] is None:
                return entries
            after = {"after": page["next_rank"]}

    def order(self) -> list[str]:
        return [self._names[entry["entry_id"]] for entry in self.entries()]

    def contents(self) -> dict[str, object]:
        return {key: self._value(key) for key in sorted(self.client.scan_iter(count=1000))}

    def _value(self, key: str) -> object:
        kind = self.client.type(key)
        if kind == "hash":
            return self.client.hgetall(key)
        if kind == "zset":
            return self.client.zrange(key, 0, -1, withscores=True)
        return self.client.get(key)


def readiness_of(version: int, **reasons: int) -> list[Any]:
    """Return the reasons why an entry cannot get an offer or be claimed, in the format of messages
    to Redis. A reason without an end has the end time 0.
    """
    return [version, [{"reason": name, "until_millis": end} for name, end in reasons.items()]]


def once_key_of(number: int) -> str:
    return f"{number:032x}"


def accepted(answer: Answer) -> Answer:
    assert answer["ok"], answer
    return answer


def _json(message: Any) -> str:
    return json.dumps(message)


def _check_contract(message: Any, answer: Answer) -> None:
    """Check a response against the contract.

    The check adds unknown fields, because a newer private function may send fields that the public
    function does not know yet.
    """
    if not answer["ok"]:
        assert answer["code"] in BY_CODE, answer
        assert answer["message"], answer
    elif message["op"] == "batch":
        for request, own_answer in zip(message["requests"], answer["results"], strict=True):
            _check_contract(request, own_answer)
    else:
        result = contracts.RESULTS[contracts.REQUESTS[message["op"]]]
        decoded = msgspec.convert(_with_new_fields(answer), result)
        assert decoded == msgspec.convert(answer, result)


def _with_new_fields(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {**{name: _with_new_fields(part) for name, part in answer.items()}, "new_field": [1]}
    return [_with_new_fields(part) for part in answer] if isinstance(answer, list) else answer
