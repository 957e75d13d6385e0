"""Reads a waitlist's state from DynamoDB and Redis at the end of a case.

Customers have short names.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.reliability.model.client import NAMES, WAITLIST_ID
from tests.reliability.model.testbed import Testbed
from tests.support.model import QUOTA, RATE, SCHEDULE, Event
from waitlist_api.queue.client import send_batch
from waitlist_api.records.entry import HISTORY, PRESENT
from waitlist_api.records.table import decode
from waitlist_queue import keys
from waitlist_shared import contracts as c

Item = dict[str, Any]
PAID = ":paid"
PAYERS = {"q": QUOTA, "r": RATE, "s": SCHEDULE}
DAY_MICROS = 24 * 3600 * 1_000_000


@dataclass(frozen=True)
class Note:
    """What Redis stores about an entry that is not waiting."""

    state: str
    token: str
    rank: int
    ticket: int
    attempts: int


@dataclass(frozen=True)
class Segmented:
    """All entries' segments, according to Redis and to the records in DynamoDB.

    `state` comes from the waitlist's record. `waiting` contains the members of the index in Redis.
    """

    state: str
    of_people: dict[str, frozenset[str]]
    waiting: frozenset[str]
    recorded: dict[str, frozenset[str]]


@dataclass(frozen=True)
class Invitation:
    """An invitation, according to DynamoDB.

    `states` counts the invitation's offers by state. `ends` says how these offers ended, according
    to the customers' histories.
    """

    is_running: bool
    states: Counter[str]
    ends: dict[str, list[str]]


@dataclass(frozen=True)
class FinalState:
    """The final state of a waitlist: the sets in Redis, the entries' records, the customers'
    positions, and the counters.

    `numbers` counts how many times each call number was given out, which must be at most once.
    `line` contains all waiting entries, and `passed_over` contains the waiting entries that are not
    ready. `reasons` says why an entry is not ready, whatever its status is. `questions` contains
    the time by which a customer must answer. `stamps` contains the stamps (logical timestamps) of
    the events in `histories`. `slots` counts the offers that Redis may still make, by their payer
    (rate, schedule or quota). `paid` contains the payer of each offer. `claimed` contains the
    claims of a waitlist that limits them. It is None until Redis has counted them. `is_first_life`
    is false if the queue was rebuilt or moved since the waitlist was created.
    """

    line: dict[str, int]
    passed_over: dict[str, int]
    held: dict[str, int]
    claimed: dict[str, int] | None
    parked: dict[str, int]
    dirty: dict[str, int]
    inside: dict[str, int]
    notes: dict[str, Note]
    reasons: dict[str, str]
    questions: dict[str, int]
    tries: dict[str, int]
    moved: dict[str, int]
    paid: dict[str, str]
    slots: Counter[str]
    last_ticket: int
    segments: Segmented
    invitations: dict[str, Invitation]
    records: dict[str, Item]
    admissions: Counter[str]
    signups: Counter[str]
    numbers: Counter[str]
    traces: frozenset[str]
    histories: dict[str, tuple[Event, ...]]
    stamps: dict[str, tuple[int, ...]]
    views: dict[str, Any]
    stats: Any
    is_first_life: bool
    now_millis: int

    @property
    def order(self) -> list[str]:
        return sorted(self.line, key=lambda name: self.line[name])


def observe(testbed: Testbed) -> FinalState:
    (ready, passed_over, held, parked, dirty, inside), hashes, last_ticket = _redis(testbed)
    items = [item for (pk, _), item in testbed.table.items.items() if pk.startswith("ENTRY#")]
    records = [decode(item) for item in items if item["sk"]["S"] == "RECORD"]
    stats, *views = send_batch(
        testbed.elsewhere.services.queue,
        [
            c.Stats(waitlist_id=WAITLIST_ID),
            *(c.Position(waitlist_id=WAITLIST_ID, entry_id=entry_id) for entry_id in NAMES),
        ],
    )
    claims, readiness, tries, moved = hashes
    return FinalState(
        line={**ready, **passed_over},
        passed_over=passed_over,
        held=held,
        claimed=_claimed(testbed),
        parked=parked,
        dirty=dirty,
        # After a rebuild, Redis may have a pass for a customer who has exited. The admission
        # policy's next run removes this pass.
        inside={name: until for name, until in inside.items() if until > testbed.clock.millis},
        notes={name: _note(packed) for name, packed in claims.items()},
        reasons={name: packed.partition(";")[2] for name, packed in readiness.items()},
        questions={
            name: int(deadline)
            for name, packed in readiness.items()
            if (deadline := packed.partition(";")[0].partition(",")[2])
        },
        tries={name: int(count) for name, count in tries.items()},
        moved={name: int(ticket) for name, ticket in moved.items()},
        paid=_paid(testbed),
        slots=_slots(testbed),
        last_ticket=last_ticket,
        segments=_segmented(testbed),
        invitations=_invitations(testbed),
        records={_name(record["entry_id"]): record for record in records},
        admissions=_tally(items, "admitted"),
        signups=_tally(items, "joined"),
        numbers=Counter(
            str(item["call_number"]["S"])
            for item in items
            if item.get("event") == {"S": "joined"} and "call_number" in item
        ),
        histories=_histories(items),
        stamps=_stamps(items),
        traces=frozenset(_name(item["pk"]["S"].rpartition("#")[2]) for item in items),
        views=dict(zip(NAMES.values(), views, strict=True)),
        stats=stats,
        is_first_life=getattr(stats, "epoch", None) == testbed.epoch,
        now_millis=testbed.clock.millis,
    )


def _redis(testbed: Testbed) -> tuple[list[dict[str, int]], list[dict[str, str]], int]:
    pipeline = testbed.redis.raw.pipeline(transaction=False)
    sets = (keys.queue, keys.not_ready, keys.held, keys.parked, keys.dirty, keys.inside)
    for key in sets:
        pipeline.zrange(key(WAITLIST_ID), 0, -1, withscores=True)
    for key in (keys.claims, keys.readiness, keys.attempts, keys.tickets_of_moved):
        pipeline.hgetall(key(WAITLIST_ID))
    pipeline.hget(keys.meta(WAITLIST_ID), "last_ticket")
    *found, last_ticket = pipeline.execute()
    zsets = [
        {_name(one.decode()): int(score) for one, score in zset} for zset in found[: len(sets)]
    ]
    hashes = [
        {_name(one.decode()): value.decode() for one, value in hash_.items() if b":" not in one}
        for hash_ in found[len(sets) :]
    ]
    return zsets, hashes, int(last_ticket or 0)


def _claimed(testbed: Testbed) -> dict[str, int] | None:
    if not testbed.redis.raw.hexists(keys.meta(WAITLIST_ID), "claims_indexed"):
        return None
    found = testbed.redis.raw.zrange(keys.claimed(WAITLIST_ID), 0, -1, withscores=True)
    return {_name(one.decode()): int(deadline) for one, deadline in found}


def _paid(testbed: Testbed) -> dict[str, str]:
    found = testbed.redis.raw.hgetall(keys.claims(WAITLIST_ID))
    claims = {name.decode(): value.decode() for name, value in found.items()}
    payments = {
        name.removesuffix(PAID): payment.split(" ")
        for name, payment in claims.items()
        if name.endswith(PAID)
    }
    return {
        _name(entry_id): PAYERS[by[0]]
        for entry_id, (token, by) in payments.items()
        if entry_id in claims and _is_open_offer(_note(claims[entry_id]), token)
    }


def _is_open_offer(note: Note, token: str) -> bool:
    return note.state == "offered" and note.token == token


def _slots(testbed: Testbed) -> Counter[str]:
    """Return how many more offers the quota, the schedule and the rate allow Redis to make."""
    names = ("quota", "quota_open", "schedule_version", "scheduled", "rate_count", "bucket_at")
    values = testbed.redis.raw.hmget(keys.meta(WAITLIST_ID), names)
    quota, taken, schedule_version, scheduled, has_rate, bucket_at = (
        int(float(one or 0)) for one in values
    )
    days = (int(testbed.redis_clock.now_micros()) - bucket_at) // DAY_MICROS
    return +Counter(
        {
            QUOTA: quota - taken,
            SCHEDULE: scheduled if schedule_version else 0,
            RATE: min(1, days) if has_rate else 0,
        }
    )


def _segmented(testbed: Testbed) -> Segmented:
    config = testbed.elsewhere.services.waitlist_records.get(WAITLIST_ID)
    if config is None or not config.segments.declared:
        return Segmented("ready", {}, frozenset(), {})
    entries = testbed.elsewhere.services.entries.get_many(WAITLIST_ID, list(NAMES))
    tags = testbed.redis.raw.hgetall(keys.tags(WAITLIST_ID))
    index = testbed.redis.raw.zrange(keys.segments(WAITLIST_ID), 0, -1)
    return Segmented(
        state=config.segments_state,
        of_people={
            _name(entry_id.decode()): frozenset(packed.decode().split(",")[:-1])
            for entry_id, packed in tags.items()
        },
        waiting=frozenset(member.decode() for member in index),
        recorded={
            _name(entry_id): frozenset(config.segments.find(record.attributes))
            for entry_id, record in entries.items()
            if record.status in PRESENT
        },
    )


# How an invited customer's offer ended, for each event in the customer's history.
FATES = {
    "admitted": "entered",
    "declined": "declined",
    "no_show": "missed",
    "withdrawn": "withdrawn",
    "left": "left",
    # The customer has declined the offer and left the waitlist in a single request.
    "left declined": "declined",
    # An operator who has an offer's token can end the offer as if it were a claim.
    "released": "missed",
    "parked": "missed",
}


def _invitations(testbed: Testbed) -> dict[str, Invitation]:
    items = testbed.table.items
    found = [decode(item) for item in items.values()]
    states: dict[str, Counter[str]] = {}
    for item in found:
        if item["pk"].startswith("INVITEES#"):
            invitation_id = item["pk"].split("#")[2]
            states.setdefault(invitation_id, Counter())[item["state"]] += 1
    return {
        item["invitation_id"]: Invitation(
            item["running"],
            states.get(item["invitation_id"], Counter()),
            _fates(found, item["invitation_id"]),
        )
        for item in found
        if item["pk"].startswith("INVITATIONS#") and "running" in item
    }


def _fates(items: list[Item], invitation_id: str) -> dict[str, list[str]]:
    fates: dict[str, list[str]] = {}
    events = [item for item in items if item["sk"].startswith(HISTORY)]
    for item in sorted(events, key=lambda item: str(item["sk"])):
        own = fates.setdefault(_name(item["entry_id"]), [])
        word = " ".join(filter(None, (item["event"], item.get("reason"))))
        fate = FATES.get(word) or FATES.get(item["event"])
        if own and own[-1] == "open" and fate:
            own[-1] = fate
        if item.get("detail", {}).get("invitation") == invitation_id:
            own.append("open")
    return fates


def _note(packed: str) -> Note:
    state, token, rank, ticket, attempts, _stamp = packed.split("|")
    return Note(state, token, int(rank), int(ticket), int(attempts))


def _tally(items: list[Item], event: str) -> Counter[str]:
    word = {"S": event}
    return Counter(_name(item["entry_id"]["S"]) for item in items if item.get("event") == word)


def _histories(items: list[Item]) -> dict[str, tuple[Event, ...]]:
    found: dict[str, tuple[Event, ...]] = {}
    events = [item for item in items if item["sk"]["S"].startswith(HISTORY)]
    for item in map(decode, sorted(events, key=lambda item: str(item["sk"]["S"]))):
        name = _name(item["entry_id"])
        event = Event(item["event"], item["by"], item.get("reason", ""))
        found[name] = (*found.get(name, ()), event)
    return found


def _stamps(items: list[Item]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for item in sorted(items, key=lambda item: str(item["sk"]["S"])):
        if item["sk"]["S"].startswith(HISTORY):
            name = _name(item["entry_id"]["S"])
            stamp = item["sk"]["S"].removeprefix(HISTORY).partition("#")[0]
            found[name] = (*found.get(name, ()), int(stamp))
    return found


def _name(entry_id: str) -> str:
    return NAMES.get(entry_id, entry_id)
