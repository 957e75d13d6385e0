"""Examples of requests to the private function, one for each outcome that a Lua script declares in
its header.

A new operation must be added here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from tests.support.line import EPOCH, Answer, Line, accepted, readiness_of
from tests.support.stores import empty_redis
from waitlist_queue.operations import call_of, operation_of, results_of
from waitlist_queue.scripts import FOLDER, load
from waitlist_shared.contracts import REQUESTS
from waitlist_shared.ranks import ROOM, TIER

LATER_EPOCH = "0000bbbb"
TOKEN = "a" * 40
FOREIGN = "f" * 40


def warm(line: Line) -> Line:
    line.init()
    line.all_sign_up(["ann", "bob"])
    return line


def hydrating(line: Line) -> Line:
    line.init(mode="open")
    return line


def building(line: Line) -> Line:
    warm(line).init(version=2, segments_version=2)
    return line


def left(line: Line) -> Line:
    warm(line).leave("bob")
    return line


def with_settings(line: Line, **settings: Any) -> Line:
    line.init(**settings)
    line.signup("ann")
    return line


def restored(line: Line, rank: int = 1) -> Line:
    line.restore("eve", rank=rank, ticket=1)
    return line


def held(line: Line, seconds: int = 60) -> Line:
    deadline = line.clock.millis + 1_000 * seconds
    line.init()
    line.restore("bob", rank=2, ticket=2, state="held", token=TOKEN, time_millis=deadline)
    return line


def offered(line: Line, seconds: int = 60, **settings: Any) -> Line:
    deadline = line.clock.millis + 1_000 * seconds
    line.init(admission=True, pass_seconds=60, **settings)
    line.restore("bob", rank=2, ticket=2, state="offered", token=TOKEN, time_millis=deadline)
    return line


def asked(line: Line, seconds: float = 0) -> Line:
    warm(line).ask("bob", version=1, seconds=seconds)
    return line


def by(line: Line, verb: str) -> Answer:
    return line.send(verb, entry_id=line.id_of("bob"))


def done(line: Line, verb: str) -> Line:
    assert by(line, verb)["ok"]
    return line


def _renew(line: Line) -> Answer:
    return line.send("renew", entry_id=line.id_of("bob"), ticket=2)


def _over(line: Line) -> Line:
    done(offered(line, max_inside=1), "enter").signup("eve")
    line.clock.advance(seconds=60)
    line.send("admit")
    return line


def _no_show(line: Line) -> Line:
    offered(line, seconds=0, no_show="leave").expire()
    return line


def _admit_once(line: Line, once_body: str = "b" * 32) -> Answer:
    return line.send("admit", count=1, once_key="a" * 32, once_body=once_body)


def _admitted_once(line: Line) -> Line:
    assert _admit_once(warm(line))["ok"]
    return line


def _admit_within(line: Line, version: int) -> Answer:
    segment = line.within("red", version=version)["segments"][0]
    return line.send("admit", count=1, segment=segment, segments_version=version)


def _admit_one(line: Line) -> Answer:
    return line.send("admit", entry_id=line.id_of("bob"))


def _claim_one(line: Line) -> Answer:
    return line.send("claim", entry_id=line.id_of("bob"))


def _full_of_claims(line: Line) -> Line:
    with_settings(line, max_claims=1).signup("ann")
    line.signup("bob")
    line.claim()
    return line


def _held_back(line: Line) -> Line:
    line.init()
    line.insert("bob", readiness=readiness_of(1, held_back=0))
    return line


def _full_inside(line: Line) -> Line:
    with_settings(line, max_inside=1).signup("bob")
    line.send("admit")
    return line


def expiring(line: Line, op: str, *, holds: int = 1, **fields: Any) -> Answer:
    """The service would run the script again until all expired entries have returned. Here, the
    script runs once.
    """
    ends = {"state": "held", "token": TOKEN, "time_millis": line.clock.millis + 1}
    for number in range(1, holds + 1):
        place = {"rank": number, "ticket": number, "stamp": number}
        accepted(line.send("restore", **line.stay(f"person {number}"), **place, **ends))
    line.clock.advance(seconds=1)
    request: Any = msgspec.convert(line.message(op, **fields), REQUESTS[op])
    (answer,) = results_of([request], line.store.run(call_of([request])))
    return answer


def _expiring_entry(line: Line, op: str, **fields: Any) -> Answer:
    return expiring(line, op, entry_id=line.id_of("bob"), **fields)


def _expiring_stay(line: Line, op: str, **fields: Any) -> Answer:
    return _expiring_entry(line, op, join_id="00000001", **fields)


# A single run of a script returns at most 200 expired entries to the queue.
TOO_MANY = 201


def _ends_of_holds(verb: str, word: str) -> dict[tuple[str, str], Callable[[Line], Answer]]:
    def send(line: Line, token: str = TOKEN) -> Answer:
        return line.send(verb, entry_id=line.id_of("bob"), token=token)

    return {
        (verb, word): lambda line: send(held(line)),
        (verb, "cold"): send,
        (verb, "not_held"): lambda line: send(warm(line)),
        (verb, "claim_mismatch"): lambda line: send(held(line), FOREIGN),
        (verb, "claim_expired"): lambda line: send(held(line, seconds=0)),
    }


OUTCOMES: dict[tuple[str, str], Callable[[Line], Answer]] = {
    ("init", "created"): lambda line: line.init(),
    ("init", "expiring"): lambda line: expiring(
        warm(line), "init", mode="configure", epoch=EPOCH, settings={"version": 2}
    ),
    ("init", "exists"): lambda line: warm(line).init(),
    ("init", "warmed"): lambda line: hydrating(line).init(),
    ("init", "cold"): lambda line: line.init(mode="finish_rebuild"),
    ("signup", "joined"): lambda line: warm(line).signup("eve"),
    ("signup", "already"): lambda line: warm(line).signup("bob"),
    ("signup", "cold"): lambda line: line.signup("bob"),
    ("signup", "rebuilding"): lambda line: _rebuilding_with_capacity(line).signup("bob"),
    ("signup", "gone"): lambda line: left(line).signup("bob"),
    ("signup", "not_open_yet"): lambda line: with_settings(line, opens_millis=2**50).signup("bob"),
    ("signup", "waitlist_closed"): lambda line: with_settings(line, open=False).signup("bob"),
    ("signup", "waitlist_full"): lambda line: with_settings(line, capacity=1).signup("bob"),
    ("signup", "stale_segments"): lambda line: building(line).signup("eve"),
    ("leave", "left"): lambda line: warm(line).leave("bob"),
    ("leave", "absent"): lambda line: left(line).leave("bob"),
    ("leave", "cold"): lambda line: line.leave("bob"),
    ("drop", "dropped"): lambda line: warm(line).drop("bob"),
    ("drop", "present"): lambda line: warm(line).drop("bob", unless_placed=True),
    ("drop", "absent"): lambda line: left(line).drop("bob"),
    ("drop", "cold"): lambda line: line.drop("bob"),
    ("bump", "moved"): lambda line: warm(line).bump("bob", to="front"),
    ("bump", "repeat"): lambda line: _bumped(line).bump("bob", once=1, to="front"),
    ("bump", "cold"): lambda line: line.bump("bob", to="front"),
    ("bump", "rebuilding"): lambda line: hydrating(line).bump("bob", to="front"),
    ("bump", "not_waiting"): lambda line: left(line).bump("bob", to="front"),
    ("bump", "no_room"): lambda line: restored(warm(line), rank=255 * TIER - ROOM).bump(
        "bob", to="front"
    ),
    ("position", "waiting"): lambda line: warm(line).position("bob"),
    ("position", "absent"): lambda line: left(line).position("bob"),
    ("position", "held"): lambda line: held(line).position("bob"),
    ("position", "parked"): lambda line: _parked(line).position("bob"),
    ("position", "done"): lambda line: _admitted(line).position("bob"),
    ("position", "cold"): lambda line: line.position("bob"),
    ("position", "rebuilding"): lambda line: hydrating(line).position("bob"),
    ("position", "stale_segments"): lambda line: _position_within(building(line), version=1),
    ("position", "segments_building"): lambda line: _position_within(building(line), version=2),
    ("position", "offered"): lambda line: offered(line).position("bob"),
    ("position", "no_show"): lambda line: _no_show(line).position("bob"),
    ("admit", "admitted"): lambda line: warm(line).send("admit", count=1),
    ("admit", "repeat"): lambda line: _admit_once(_admitted_once(line)),
    ("admit", "behind"): lambda line: with_settings(line, admission=True, schedule_version=1).send(
        "admit", settings_version=1, schedule_version=1, schedule_from=1
    ),
    ("admit", "cold"): lambda line: line.send("admit"),
    ("admit", "rebuilding"): lambda line: hydrating(line).send("admit"),
    ("admit", "waitlist_paused"): lambda line: with_settings(line, paused=True).send("admit"),
    ("admit", "expiring"): lambda line: expiring(warm(line), "admit", holds=TOO_MANY),
    ("admit", "stale_segments"): lambda line: _admit_within(building(line), version=1),
    ("admit", "segments_building"): lambda line: _admit_within(building(line), version=2),
    ("admit", "idempotency_key_reused"): lambda line: _admit_once(_admitted_once(line), "c" * 32),
    ("enter", "entered"): lambda line: by(offered(line), "enter"),
    ("enter", "repeat"): lambda line: by(done(offered(line), "enter"), "enter"),
    ("enter", "cold"): lambda line: by(line, "enter"),
    ("enter", "not_offered"): lambda line: by(warm(line), "enter"),
    ("enter", "offer_expired"): lambda line: by(offered(line, seconds=0), "enter"),
    ("admit", "not_waiting"): lambda line: _admit_one(held(line)),
    ("admit", "entry_not_ready"): lambda line: _admit_one(_held_back(line)),
    ("admit", "inside_full"): lambda line: _admit_one(_full_inside(line)),
    ("admit", "admission_over"): lambda line: with_settings(line, until_millis=1).send(
        "admit", count=1
    ),
    ("withdraw", "withdrawn"): lambda line: by(offered(line), "withdraw"),
    ("withdraw", "repeat"): lambda line: by(done(offered(line), "withdraw"), "withdraw"),
    ("withdraw", "cold"): lambda line: by(line, "withdraw"),
    ("withdraw", "not_offered"): lambda line: by(warm(line), "withdraw"),
    ("withdraw", "offer_expired"): lambda line: by(offered(line, seconds=0), "withdraw"),
    ("withdraw", "expiring"): lambda line: expiring(
        offered(line), "withdraw", holds=TOO_MANY, entry_id=line.id_of("bob")
    ),
    ("decline", "declined"): lambda line: by(offered(line), "decline"),
    ("decline", "repeat"): lambda line: by(done(offered(line), "decline"), "decline"),
    ("decline", "cold"): lambda line: by(line, "decline"),
    ("decline", "not_offered"): lambda line: by(warm(line), "decline"),
    ("decline", "offer_expired"): lambda line: by(offered(line, seconds=0), "decline"),
    ("renew", "renewed"): lambda line: _renew(done(offered(line), "enter")),
    ("renew", "absent"): lambda line: _renew(offered(line)),
    ("renew", "inside_full"): lambda line: _renew(_over(line)),
    ("renew", "cold"): lambda line: _renew(line),
    ("exit", "exited"): lambda line: by(done(offered(line), "enter"), "exit"),
    ("exit", "absent"): lambda line: by(offered(line), "exit"),
    ("exit", "cold"): lambda line: by(line, "exit"),
    ("list_waiting", "listed"): lambda line: warm(line).list_waiting(),
    ("list_waiting", "cold"): lambda line: line.list_waiting(),
    ("list_waiting", "rebuilding"): lambda line: hydrating(line).list_waiting(),
    ("stats", "stats"): lambda line: warm(line).stats(),
    ("stats", "cold"): lambda line: line.stats(),
    ("board", "board"): lambda line: warm(line).board(),
    ("board", "cold"): lambda line: line.board(),
    ("board", "rebuilding"): lambda line: hydrating(line).board(),
    ("board", "counts_hidden"): lambda line: with_settings(line, hide_counts=True).board(),
    ("restore", "restored"): lambda line: warm(line).restore("eve", rank=1, ticket=1),
    ("restore", "present"): lambda line: warm(line).restore("bob", rank=1, ticket=1),
    ("restore", "gone"): lambda line: left(line).restore("bob", rank=1, ticket=1),
    ("restore", "cold"): lambda line: line.restore("bob", rank=1, ticket=1),
    ("restore", "stale_segments"): lambda line: building(line).restore("bob", rank=1, ticket=1),
    ("restore", "stale_epoch"): lambda line: hydrating(line).restore(
        "bob", rank=1, ticket=1, epoch=LATER_EPOCH
    ),
    ("purge", "purged"): lambda line: line.send("purge"),
    ("claim", "claimed"): lambda line: warm(line).claim(),
    ("claim", "repeat"): lambda line: _claimed_once(line).claim(once=1),
    ("claim", "idempotency_key_reused"): lambda line: _claimed_for(line, "0").claim(
        once=1, once_body="1" * 32
    ),
    ("claim", "cold"): lambda line: line.claim(),
    ("claim", "rebuilding"): lambda line: hydrating(line).claim(),
    ("claim", "waitlist_paused"): lambda line: with_settings(line, paused=True).claim(),
    ("claim", "expiring"): lambda line: expiring(warm(line), "claim", holds=TOO_MANY, count=1),
    ("position", "expiring"): lambda line: _expiring_entry(warm(line), "position"),
    ("stats", "expiring"): lambda line: expiring(warm(line), "stats"),
    ("list_waiting", "expiring"): lambda line: expiring(warm(line), "list_waiting"),
    ("list_off_queue", "expiring"): lambda line: expiring(
        warm(line), "list_off_queue", which="held"
    ),
    ("board", "expiring"): lambda line: expiring(warm(line), "board"),
    ("segments", "expiring"): lambda line: expiring(warm(line), "segments", segments_version=0),
    ("signup", "expiring"): lambda line: _expiring_stay(warm(line), "signup"),
    ("insert", "expiring"): lambda line: _expiring_stay(warm(line), "insert", ticket=16),
    ("bump", "expiring"): lambda line: _expiring_entry(
        warm(line), "bump", once_key="a" * 32, to="front"
    ),
    ("redrive", "expiring"): lambda line: _expiring_entry(_parked(line), "redrive"),
    ("release", "expiring"): lambda line: _expiring_entry(held(line), "release", token=TOKEN),
    ("decline", "expiring"): lambda line: _expiring_entry(offered(line), "decline"),
    ("claim", "not_waiting"): lambda line: _claim_one(held(line)),
    ("claim", "entry_not_ready"): lambda line: _claim_one(_held_back(line)),
    ("claim", "claims_full"): lambda line: _claim_one(_full_of_claims(line)),
    ("claim", "stale_segments"): lambda line: _claim_within(building(line), version=1),
    ("claim", "segments_building"): lambda line: _claim_within(building(line), version=2),
    ("heartbeat", "beats"): lambda line: warm(line).send("heartbeat"),
    ("heartbeat", "behind"): lambda line: warm(line).send("heartbeat", epoch=EPOCH, known_beat=1),
    ("heartbeat", "outdated"): lambda line: warm(line).send("heartbeat", epoch=EPOCH, known_beat=2),
    ("heartbeat", "cold"): lambda line: line.send("heartbeat"),
    ("heartbeat", "rebuilding"): lambda line: hydrating(line).send("heartbeat"),
    ("inspect", "inspected"): lambda line: warm(line).send("inspect", entry_id=line.id_of("bob")),
    ("inspect", "cold"): lambda line: line.send("inspect", entry_id=line.id_of("bob")),
    ("inspect", "rebuilding"): lambda line: hydrating(line).send(
        "inspect", entry_id=line.id_of("bob")
    ),
    ("draw_stamp", "drawn"): lambda line: hydrating(line).send("draw_stamp"),
    ("draw_stamp", "cold"): lambda line: line.send("draw_stamp"),
    ("mark_dirty", "marked"): lambda line: warm(line).mark_dirty("bob"),
    ("mark_dirty", "absent"): lambda line: left(line).mark_dirty("bob"),
    ("mark_dirty", "cold"): lambda line: line.mark_dirty("bob"),
    ("mark_dirty", "rebuilding"): lambda line: hydrating(line).mark_dirty("bob"),
    ("tag", "tagged"): lambda line: building(line).tag("bob", "red", version=2),
    ("tag", "kept"): lambda line: warm(line).tag("bob", version=0),
    ("tag", "absent"): lambda line: building(line).tag("eve", "red", version=2),
    ("end_wait", "ended"): lambda line: asked(line).end_wait("bob"),
    ("end_wait", "kept"): lambda line: asked(line, seconds=60).end_wait("bob"),
    ("end_wait", "cold"): lambda line: line.end_wait("bob"),
    ("end_wait", "rebuilding"): lambda line: hydrating(line).end_wait("bob"),
    ("tag", "cold"): lambda line: line.tag("bob", "red"),
    ("tag", "gone"): lambda line: left(line).tag("bob", version=0),
    ("tag", "stale_segments"): lambda line: warm(line).tag("bob", "red"),
    ("untagged", "untagged"): lambda line: building(line).untagged(2),
    ("untagged", "ready"): lambda line: warm(line).untagged(0),
    ("untagged", "cold"): lambda line: line.untagged(),
    ("untagged", "rebuilding"): lambda line: hydrating(line).untagged(0),
    ("untagged", "stale_segments"): lambda line: building(line).untagged(1),
    ("segments", "segments"): lambda line: warm(line).send("segments", segments_version=0),
    ("segments", "cold"): lambda line: line.send("segments", segments_version=0),
    ("segments", "rebuilding"): lambda line: hydrating(line).send("segments", segments_version=0),
    ("segments", "stale_segments"): lambda line: building(line).send(
        "segments", segments_version=1
    ),
    ("segments", "segments_building"): lambda line: building(line).send(
        "segments", segments_version=2
    ),
    ("allocate_tickets", "allocated"): lambda line: warm(line).send("allocate_tickets", count=1),
    ("allocate_tickets", "cold"): lambda line: line.send("allocate_tickets", count=1),
    ("allocate_tickets", "rebuilding"): lambda line: hydrating(line).send(
        "allocate_tickets", count=1
    ),
    ("insert", "joined"): lambda line: warm(line).insert("eve"),
    ("insert", "already"): lambda line: warm(line).insert("bob"),
    ("insert", "cold"): lambda line: line.insert("bob"),
    ("insert", "rebuilding"): lambda line: _rebuilding_with_capacity(line).insert("bob"),
    ("insert", "gone"): lambda line: left(line).insert("bob"),
    ("insert", "stale_segments"): lambda line: building(line).insert("eve"),
    ("insert", "waitlist_full"): lambda line: with_settings(line, capacity=1).insert("bob"),
    ("redrive", "redriven"): lambda line: _parked(line).redrive("bob"),
    ("redrive", "repeat"): lambda line: _redriven(line).redrive("bob"),
    ("redrive", "not_parked"): lambda line: held(line).redrive("bob"),
    ("redrive", "cold"): lambda line: line.redrive("bob"),
    ("redrive", "rebuilding"): lambda line: hydrating(line).redrive("bob"),
    ("restore_many", "restored"): lambda line: _restore_many(hydrating(line)),
    ("restore_many", "cold"): lambda line: _restore_many(line),
    ("restore_many", "stale_epoch"): lambda line: _restore_many(hydrating(line), epoch="0000bbbb"),
    ("restore_many", "stale_segments"): lambda line: _restore_many(
        hydrating(line), segments_version=9
    ),
    ("expire", "expired"): lambda line: warm(line).expire(),
    ("expire", "cold"): lambda line: line.expire(),
    ("expire", "rebuilding"): lambda line: hydrating(line).expire(),
    ("settle", "settled"): lambda line: warm(line).settle("bob", 5),
    ("settle", "changed"): lambda line: _parked(line).settle("bob", 5),
    ("settle", "cold"): lambda line: line.settle("bob", 5),
    ("list_off_queue", "listed"): lambda line: warm(line).list_off_queue("held"),
    ("list_off_queue", "cold"): lambda line: line.list_off_queue("held"),
    ("list_off_queue", "rebuilding"): lambda line: hydrating(line).list_off_queue("held"),
    **_ends_of_holds("complete", "completed"),
    ("complete", "repeat"): lambda line: _admitted(line).complete("bob", TOKEN),
    **_ends_of_holds("release", "released"),
    ("release", "repeat"): lambda line: _released(line).release("bob", TOKEN),
    **_ends_of_holds("extend", "extended"),
    **_ends_of_holds("park", "parked"),
    ("park", "repeat"): lambda line: _parked(line).park("bob", TOKEN),
}


def _rebuilding_with_capacity(line: Line) -> Line:
    line.init(mode="open", capacity=5)
    return line


def _position_within(line: Line, version: int) -> Answer:
    asked = {"segments": [line.segment("red")], "segments_version": version}
    return line.position("bob", **asked)


def _claim_within(line: Line, version: int) -> Answer:
    return line.claim(segment=line.segment("red"), segments_version=version)


def _restore_many(line: Line, **fields: Any) -> Answer:
    stay = [*line.stay("bob").values(), 5, 5, 5]
    return line.send("restore_many", **{"epoch": EPOCH, "stays": [stay], **fields})


def _claimed_once(line: Line) -> Line:
    warm(line).claim(once=1)
    return line


def _claimed_for(line: Line, digit: str) -> Line:
    warm(line).claim(once=1, once_body=digit * 32)
    return line


def _parked(line: Line) -> Line:
    held(line).park("bob", TOKEN)
    return line


def _released(line: Line) -> Line:
    held(line).release("bob", TOKEN)
    return line


def _redriven(line: Line) -> Line:
    _parked(line).redrive("bob")
    return line


def _admitted(line: Line) -> Line:
    held(line).complete("bob", TOKEN)
    return line


def _bumped(line: Line) -> Line:
    warm(line).bump("bob", once=1, to="front")
    return line


def example(operation: str) -> Any:
    for cause in (cause for (verb, _), cause in OUTCOMES.items() if verb == operation):
        line = RecordingLine(empty_redis())
        if cause(line)["ok"]:
            message = next(one for one in reversed(line.sent) if one["op"] == operation)
            return msgspec.convert(message, REQUESTS[operation])
    raise LookupError(f"add rows for {operation} to OUTCOMES")


@dataclass
class RecordingLine(Line):
    """Records the messages that a test sends."""

    sent: list[Any] = field(default_factory=list)

    def handle(self, message: Any) -> Answer:
        self.sent.append(message)
        return super().handle(message)


@pytest.mark.parametrize(("verb", "outcome"), OUTCOMES)
def test_every_outcome_of_every_script_comes_about(line: Line, verb: str, outcome: str) -> None:
    answer = OUTCOMES[verb, outcome](line)
    assert outcome == (answer["outcome"] if answer["ok"] else answer["code"])


def test_no_outcome_is_left_untried() -> None:
    scripts = map(load, FOLDER.glob("*.lua"))
    declared = {(script.name, word) for script in scripts for word in script.returns}
    tried = {(operation_of(REQUESTS[op]).script.name, outcome) for op, outcome in OUTCOMES}
    assert tried == declared
