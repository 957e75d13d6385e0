"""Applies random operations on claims, at random times, to the queue in Redis and to a model in
Python.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
)

from tests.support import model
from tests.support.counters import NO_OFFERS
from tests.support.line import (
    HOUR_MICROS,
    NEW_YEAR_MICROS,
    SECOND_MICROS,
    Answer,
    Line,
    accepted,
    readiness_of,
)
from tests.support.model import ASIDE, AT_BACK, MAX_ATTEMPTS, ON_LIST, State, Stay, Waitlist

NAMES = [f"person {number}" for number in range(8)]
LEASE = 60
HOUR_SECONDS = 3600
DECISIONS_KEPT = 16
VERBS = {"release": "released", "park": "parked"}
HELD: State = "offered"
REASONS = ("is_held_back", "is_unverified")
# The word that Redis uses for each state in the model.
IN_REDIS = {"waiting": "waiting", "offered": "held", "parked": "parked", "admitted": "done"}
# The clock jumps to a deadline, to a moment just before it, far ahead, or back.
SECONDS = [1, LEASE - 1, LEASE, LEASE, -5]
JUMPS = st.sampled_from(
    [1, -1_000, *(second * SECOND_MICROS for second in SECONDS), HOUR_MICROS, -HOUR_MICROS]
)
PEOPLE = st.sampled_from(NAMES)
LATE = st.sampled_from([False, False, False, True])
PICKS = st.integers(0, len(NAMES) - 1)
PROFILE = settings(
    max_examples=8,
    stateful_step_count=50,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def token_of(number: int) -> str:
    return f"{number:040x}"


@dataclass(frozen=True)
class Decided:
    """A change to an entry that DynamoDB may not have recorded yet. The ticket number says to which
    of the customer's signups it belongs.
    """

    verb: str
    token: str
    ticket: model.Place


class Machine(RuleBasedStateMachine):
    """Each rule applies an operation to Redis and to the model. Afterwards, the invariants compare
    the two.

    The model does not compute ranks (sort keys), but copies them from Redis.
    """

    line: ClassVar[Line]

    def __init__(self) -> None:
        super().__init__()
        self.line.client.flushall()
        self.line.clock.micros = NEW_YEAR_MICROS
        self.model = Waitlist(has_histories=False)
        self.begin()
        self.dirty: set[str] = set()
        self.decided: dict[str, list[Decided]] = {}
        self.stays = dict.fromkeys(NAMES, 1)
        self.tokens: dict[str, list[str]] = {name: ["0" * 40] for name in NAMES}
        self.given: set[str] = set()
        self.erased = 0
        self.readiness_versions = dict.fromkeys(NAMES, 0)
        self.sign_up(NAMES)

    def begin(self) -> None:
        accepted(self.line.init(lease_seconds=LEASE, max_attempts=MAX_ATTEMPTS))

    def signup_fields(self, _name: str) -> dict[str, Any]:
        return {}

    @property
    def millis(self) -> int:
        return self.line.clock.millis

    def change(self, name: str, **changes: object) -> None:
        self.model = self.model.change(name, **changes)

    def decide(self, name: str, verb: str, token: str = "") -> None:
        self.dirty.add(name)
        decision = Decided(verb, token, self.model.by_name[name].ticket)
        self.decided[name] = [*self.decided.get(name, []), decision][-DECISIONS_KEPT:]

    def is_repeat(self, name: str, verb: str, token: str = "") -> bool:
        made = [one for one in self.decided.get(name, []) if (one.verb, one.token) == (verb, token)]
        if not made:
            return False
        stay = self.model.stay(name)
        return bool(token) or stay is None or stay.ticket == made[-1].ticket

    def verdict(self, name: str, token: str) -> str:
        stay = self.model.stay(name)
        if stay is None or stay.state in ("waiting", "parked"):
            return "not_held"
        if stay.hold != token:
            return "claim_mismatch"
        if stay.state == HELD and stay.time_millis <= self.millis:
            return "claim_expired"
        return stay.state

    def end_expired(self) -> None:
        held = self.model.of(HELD)
        self.model = model.rests_ended_by(self.model, self.millis)
        self.model = model.expired_by(self.model, self.millis, self.line.id_of)
        for name in held:
            stay = self.model.by_name[name]
            if stay.state == "waiting":
                self.decide(name, "expired")
            elif stay.state == "parked":
                self.decide(name, "worn_out")

    @rule(jump=JUMPS)
    def the_clock_jumps(self, jump: int) -> None:
        """When the clock has jumped ahead, the next request to the queue ends all expired claims
        (promise P6).
        """
        self.line.clock.advance(jump)
        self.line.stats()
        self.end_expired()

    @rule(names=st.lists(PEOPLE, min_size=1, max_size=8, unique=True))
    def sign_up(self, names: list[str]) -> None:
        """People who sign up at the same moment get ranks (sort keys) without gaps."""
        for name in names:
            answer = accepted(self.line.signup(name, self.stays[name], **self.signup_fields(name)))
            known = self.model.stay(name)
            assert answer["outcome"] == ("already" if known else "joined")
            if known is None:
                self.model = model.joined(self.model, name, key="")
                self.change(name, rank=answer["rank"], ticket=answer["ticket"])
            elif known.state != "waiting":
                assert answer["position"] is None

    @rule(name=PEOPLE)
    def leave(self, name: str) -> None:
        stay = self.model.stay(name)
        answer = accepted(self.line.leave(name, self.stays[name]))
        assert answer["outcome"] == ("left" if stay else "absent")
        self.stays[name] += 1
        if stay is None:
            return
        self.model = model.ended(self.model, name, "left").forget(name)
        if stay.state == "admitted":
            # The customer was admitted while the request to leave was running. Leaving undoes this
            # admission.
            self.model = replace(self.model, admitted=self.model.admitted - 1)

    @rule(name=PEOPLE)
    def erase(self, name: str) -> None:
        """When an entry is erased, Redis also forgets its changes.

        The counters keep their values (promise P8).
        """
        is_on_list = name in self.model.of(*ON_LIST)
        answer = accepted(self.line.drop(name, self.stays[name], is_erased=True))
        assert answer["outcome"] == ("dropped" if is_on_list else "absent")
        self.stays[name] += 1
        self.decided.pop(name, None)
        self.erased += is_on_list
        self.model = self.model.forget(name)

    @rule(name=PEOPLE, places=st.integers(1, 8), to_back=st.booleans())
    def bump(self, name: str, places: int, to_back: bool) -> None:
        """A moved entry may take the rank (sort key) of an entry that is claimed or parked."""
        answer = self.line.bump(name, **({"to": "back"} if to_back else {"places": places}))
        if name not in self.model.of("waiting"):
            assert answer["code"] == "not_waiting"
            return
        self.change(name, rank=accepted(answer)["rank"])
        self.decide(name, "bumped")

    @rule(
        name=PEOPLE,
        rests=st.sampled_from([0, 1, LEASE, HOUR_SECONDS]),
        is_held_back=st.booleans(),
        late=LATE,
    )
    def change_readiness(self, name: str, rests: int, is_held_back: bool, late: bool) -> None:
        """A message with an older version changes nothing (promise P2)."""
        self.readiness_versions[name] += 1
        until = self.millis + rests * 1_000 if rests else 0
        self.send_readiness(name, {"resting": until} if rests else {}, is_held_back)
        if self.model.stay(name):
            reasons = dict.fromkeys(REASONS, False) | {self.reason(name): is_held_back}
            self.change(name, rests_until_millis=until, **reasons)
        if late:
            self.readiness_versions[name] -= 1
            self.send_readiness(name, {}, not is_held_back)
            self.readiness_versions[name] += 1

    def reason(self, name: str) -> str:
        return REASONS[self.readiness_versions[name] % 2]

    def send_readiness(self, name: str, rest: dict[str, int], is_held_back: bool) -> None:
        version = self.readiness_versions[name]
        reason = self.reason(name).removeprefix("is_")
        reasons = rest | ({reason: 0} if is_held_back else {})
        fields = self.line.stay(name, self.stays[name]) | self.signup_fields(name)
        readiness = readiness_of(version, **reasons)
        answer = accepted(self.line.send("tag", readiness=readiness, **fields))
        assert (answer["outcome"] == "absent") is (name not in self.model.of(*ON_LIST))

    @rule(
        count=st.integers(1, 3),
        newest=st.booleans(),
        lease=st.sampled_from([None, 1, LEASE, 3600]),
    )
    def claim(self, count: int, newest: bool, lease: int | None) -> None:
        """When all expired entries have returned to the queue, a claim takes entries at the front
        or at the back (promises P1 and P4).
        """
        self.end_expired()
        expected = self.model.next_ones(self.model.claimable(count), newest=newest)
        order = "newest" if newest else "oldest"
        claimed = self.line.claimed(count, order=order, lease_seconds=lease)
        self.gives(claimed, expected, lease)

    @rule(name=PEOPLE, is_late=LATE)
    def claim_one(self, name: str, is_late: bool) -> None:
        """A claim that names an entry takes exactly this entry, wherever it is in the queue
        (promises P2 and P4).
        """
        self.end_expired()
        stay = self.model.stay(name)
        entry_id = self.line.id_of(name)
        ticket = 1 if is_late else None
        answer = self.line.send("claim", entry_id=entry_id, ticket=ticket)
        if stay is None or stay.state != "waiting" or is_late:
            assert answer["code"] == "not_waiting"
        elif not stay.may_be_admitted:
            assert answer["code"] == "entry_not_ready"
        elif self.model.claimable(1) == 0:
            assert answer["code"] == "claims_full"
        else:
            (entry,) = accepted(answer)["entries"]
            self.gives({name: entry}, [name], None)

    def gives(self, claimed: dict[str, Answer], expected: list[str], lease: int | None) -> None:
        assert list(claimed) == expected
        for name, entry in claimed.items():
            stay = self.model.by_name[name]
            assert entry["attempts"] == stay.attempts
            assert (entry["rank"], entry["ticket"]) == (stay.rank, stay.ticket)
            assert entry["deadline_millis"] == self.millis + (lease or LEASE) * 1_000
            assert entry["token"] not in self.given
            self.given.add(entry["token"])
            self.tokens[name].append(entry["token"])
            self.model = model.held(self.model, [name], entry["token"])
            self.change(name, time_millis=entry["deadline_millis"])

    def picked(self, pick: int) -> str:
        aside = [*self.model.of(HELD, "admitted"), *self.model.of("parked")]
        names = aside or self.model.of("waiting")
        return (names or NAMES)[pick % len(names or NAMES)]

    def act(self, op: str, name: str, late: bool, **fields: object) -> tuple[Stay, Answer] | None:
        token = self.tokens[name][-2:][0 if late else -1]
        answer = self.line.send(op, entry_id=self.line.id_of(name), token=token, **fields)
        if self.is_repeat(name, VERBS.get(op, op), token):
            assert accepted(answer)["outcome"] == "repeat"
            return None
        verdict = self.verdict(name, token)
        if verdict == HELD or (verdict == "admitted" and op == "complete"):
            stay = self.model.by_name[name]
            found = accepted(answer)["ticket"], answer["attempts"]
            assert found == (stay.ticket, stay.attempts)
            return stay, answer
        assert answer["code"] == ("not_held" if verdict == "admitted" else verdict)
        return None

    @rule(pick=PICKS, late=LATE)
    def complete(self, pick: int, late: bool) -> None:
        """An entry is admitted once, even if the operation is repeated (promise P4)."""
        name = self.picked(pick)
        if not (acted := self.act("complete", name, late)):
            return
        if acted[0].state == HELD:
            self.model = model.ended(self.model, name, "admitted")
            self.dirty.add(name)

    @rule(
        pick=PICKS,
        late=LATE,
        to=st.sampled_from(["place", "back"]),
        delay=st.sampled_from([0, 0, 1, LEASE, HOUR_SECONDS]),
    )
    def release(self, pick: int, late: bool, to: str, delay: int) -> None:
        self.release_one(self.picked(pick), to, late, delay)

    def release_one(self, name: str, to: str, late: bool = False, delay: int = 0) -> None:
        """Repeating a release does not restart its delay."""
        if acted := self.act("release", name, late, to=to, delay_seconds=delay):
            stay, answer = acted
            self.decide(name, "released", stay.hold)
            until = self.millis + 1_000 * delay if delay else 0
            assert answer["until_millis"] == until
            self.change(name, delayed_until_millis=until)
            self.comes_back(name, answer, to)

    @rule(pick=PICKS, to=st.sampled_from(["place", "back"]))
    def redrive(self, pick: int, to: str) -> None:
        names = self.model.of("parked") or NAMES
        name = names[pick % len(names)]
        answer = self.line.redrive(name, to=to)
        if name not in self.model.of("parked"):
            if self.is_repeat(name, "redriven"):
                assert accepted(answer)["outcome"] == "repeat"
            else:
                assert answer["code"] == "not_parked"
            return
        self.decide(name, "redriven")
        self.change(name, attempts=0)
        self.comes_back(name, accepted(answer), to)

    def comes_back(self, name: str, answer: Answer, to: str) -> None:
        """A released entry returns to its old rank (sort key) or to the end of the queue (promises
        P1 and P6).
        """
        if to == "back":
            self.change(name, rank=AT_BACK + answer["stamp"])
        self.model = model.back_in_line(self.model, name, "place")
        assert answer["rank"] == self.model.by_name[name].rank
        found = answer["position"], answer["total"]
        assert found == (self.model.position(name), len(self.model.counted()))

    @rule(pick=PICKS, late=LATE, lease=st.sampled_from([None, 1, 3600]))
    def extend(self, pick: int, late: bool, lease: int | None) -> None:
        name = self.picked(pick)
        if acted := self.act("extend", name, late, lease_seconds=lease):
            deadline = acted[1]["deadline_millis"]
            assert deadline == self.millis + (lease or LEASE) * 1_000
            self.change(name, time_millis=deadline)
            self.dirty.add(name)

    @rule(pick=PICKS, late=LATE)
    def park(self, pick: int, late: bool) -> None:
        name = self.picked(pick)
        if acted := self.act("park", name, late):
            stay, answer = acted
            assert answer["parked_millis"] == self.millis
            self.change(name, state="parked", time_millis=self.millis)
            self.decide(name, "parked", stay.hold)

    @rule(pick=PICKS, to=st.sampled_from(["held", "waiting", "parked"]))
    def repair(self, pick: int, to: str) -> None:
        """If DynamoDB has recorded a different state of an entry, maintenance replaces the state in
        Redis (promise P4).
        """
        names = self.model.of(HELD, "parked")
        if not names:
            return
        name = names[pick % len(names)]
        stay = self.model.by_name[name]
        before = self.line.send("inspect", entry_id=self.line.id_of(name))
        token = token_of(len(self.given)) if to == "held" else ""
        deadline = self.millis + 1_000 * LEASE
        accepted(
            self.line.restore(
                name,
                before["rank"],
                before["ticket"],
                self.stays[name],
                stamp=before["stamp"],
                state=to,
                token=token or None,
                time_millis=deadline if to != "waiting" else 0,
                attempts=stay.attempts,
                expected={"state": IN_REDIS[stay.state], "rank": before["rank"]},
                **self.signup_fields(name),
            )
        )
        if not self.decided.get(name):
            self.dirty.discard(name)
        if to == "waiting":
            self.model = model.back_in_line(self.model, name, "place")
        else:
            state: State = HELD if to == "held" else "parked"
            self.change(name, state=state, hold=token, time_millis=deadline)
            self.tokens[name] += [token] * (to == "held")
            self.given.add(token)

    @rule(times=st.integers(1, MAX_ATTEMPTS), pick=PICKS)
    def let_holds_expire(self, times: int, pick: int) -> None:
        """After too many expired claims, an entry is parked.

        A late request with an old token changes nothing (promises P3 and P4).
        """
        for _ in range(times):
            self.claim(2, newest=False, lease=1)
            self.line.clock.advance(SECOND_MICROS)
            self.complete(pick, late=False)
            self.expire(settles=False)

    @rule(places=st.integers(1, 4))
    def bump_into_a_gap_that_a_hold_left(self, places: int) -> None:
        """When a claim ends, a different entry may have taken the rank (sort key) of the claimed
        entry (promise P1).
        """
        self.end_expired()
        line = self.model.next_ones(3)
        self.claim(3, newest=False, lease=LEASE)
        for name in line[0::2]:
            self.release_one(name, "place")
        for name in self.model.of("waiting")[2:][:places]:
            self.bump(name, self.model.of("waiting").index(name) - 1, to_back=False)

    @rule(settles=st.booleans())
    def expire(self, settles: bool) -> None:
        """Redis lists every change that DynamoDB has not recorded yet, in order (promise P3)."""
        self.end_expired()
        listed = self.line.dirty()
        assert sorted(listed) == sorted(self.dirty)
        for name, place in listed.items():
            stay = self.model.stay(name)
            assert place["state"] == (IN_REDIS[stay.state] if stay else "absent")
            decided = [(one["verb"], one["token"]) for one in place["decisions"]]
            expected = [(one.verb, one.token) for one in self.decided.get(name, [])]
            assert decided == expected
            if settles:
                self.settle(name, place)

    def settle(self, name: str, place: Answer) -> None:
        join_id = f"{self.stays[name]:08x}"
        accepted(self.line.settle(name, place["seen_stamp"], join_id=join_id))
        self.dirty.remove(name)
        self.decided.pop(name, None)
        if name in self.model.of("admitted"):
            self.model = self.model.forget(name)
            assert self.line.signup(name, self.stays[name])["code"] == "gone"
            self.stays[name] += 1

    @invariant()
    def the_line_is_that_of_the_model(self) -> None:
        """Redis and the model have the same waiting entries, in the same order (promises P1 and
        P6).
        """
        entries = self.line.entries()
        self.model = model.rests_ended_by(self.model, self.millis)
        expected = [(name, self.model.by_name[name]) for name in self.model.of("waiting")]
        assert [
            (entry["entry_id"], entry["rank"], entry["ticket"], not entry["not_ready"])
            for entry in entries
        ] == [
            (self.line.id_of(name), stay.rank, stay.ticket, stay.is_ready)
            for name, stay in expected
        ]
        ranks = [entry["rank"] for entry in entries]
        assert ranks == sorted(set(ranks))

    @invariant()
    def held_and_parked_lists_are_those_of_the_model(self) -> None:
        for state in ASIDE:
            entries = self.line.list_off_queue(IN_REDIS[state])["entries"]
            expected = [(name, self.model.by_name[name]) for name in self.model.of(state)]
            assert [(one["time_millis"], one["entry_id"], one["attempts"]) for one in entries] == (
                sorted(
                    (stay.time_millis, self.line.id_of(name), stay.attempts)
                    for name, stay in expected
                )
            )

    @invariant()
    def no_entry_is_lost(self) -> None:
        """Every entry that signed up is in exactly one place, or has ended in exactly one way
        (promises P3 and P4).
        """
        stats = self.line.stats()
        counted = {"left": self.model.left, "admitted": self.model.admitted}
        assert stats["counters"] == NO_OFFERS | {"signed_up": self.model.signed_up, **counted}
        on_list = stats["waiting"] + stats["offered"] + stats["parked"]
        assert on_list + self.erased + sum(counted.values()) == self.model.signed_up
