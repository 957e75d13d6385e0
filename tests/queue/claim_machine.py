"""Random claim operations under random clocks, each applied to the queue and to the model."""

from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
)

from tests.queue.claim_model import AT_BACK, MAX_ATTEMPTS, VERBS, ClaimModel, Person
from tests.support.counters import NO_OFFERS
from tests.support.line import HOUR_MICROS, NEW_YEAR_MICROS, SECOND_MICROS, Answer, Line, accepted

NAMES = [f"person {number}" for number in range(8)]
LEASE = 60
# To a deadline exactly, just short of one, far ahead and back.
SECONDS = [1, LEASE - 1, LEASE, LEASE, -5]
JUMPS = st.sampled_from(
    [1, -1_000, *(second * SECOND_MICROS for second in SECONDS), HOUR_MICROS, -HOUR_MICROS]
)
PEOPLE = st.sampled_from(NAMES)
LATE = st.sampled_from([False, False, False, True])
PICKS = st.integers(0, len(NAMES) - 1)
PROFILE = settings(
    max_examples=40,
    stateful_step_count=50,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class Machine(RuleBasedStateMachine):
    """Each rule applies the same operation to the queue and the model; the invariants compare."""

    line: ClassVar[Line]

    def __init__(self) -> None:
        super().__init__()
        self.line.client.flushall()
        self.line.clock.micros = NEW_YEAR_MICROS
        self.begin()
        self.model = ClaimModel()
        self.stays = dict.fromkeys(NAMES, 1)
        self.tokens: dict[str, list[str]] = {name: ["0" * 40] for name in NAMES}
        self.given: set[str] = set()
        self.sign_up(NAMES)

    def begin(self) -> None:
        accepted(self.line.init(lease_seconds=LEASE, max_attempts=MAX_ATTEMPTS))

    def signup_fields(self, _name: str) -> dict[str, Any]:
        """Return what a signup says besides the name."""
        return {}

    @property
    def micros(self) -> int:
        return self.line.clock.micros

    @property
    def millis(self) -> int:
        return self.line.clock.millis

    @rule(jump=JUMPS)
    def the_clock_jumps(self, jump: int) -> None:
        self.line.clock.advance(jump)

    @rule(names=st.lists(PEOPLE, min_size=1, max_size=8, unique=True))
    def sign_up(self, names: list[str]) -> None:
        """Many of one instant have no gap between them."""
        for name in names:
            answer = accepted(self.line.signup(name, self.stays[name], **self.signup_fields(name)))
            known = self.model.people.get(name)
            assert answer["outcome"] == ("already" if known else "joined")
            if known is None:
                entry_id = self.line.id_of(name)
                self.model.people[name] = Person(entry_id, answer["rank"], answer["ticket"])
                self.model.signed_up += 1
            elif known.state != "waiting":
                assert answer["position"] is None

    @rule(name=PEOPLE)
    def leave(self, name: str) -> None:
        person = self.model.take_out(name)
        answer = accepted(self.line.leave(name, self.stays[name]))
        assert answer["outcome"] == ("left" if person else "absent")
        self.model.left += person is not None
        # An admission that came after the intent to leave is taken back.
        self.model.admitted -= person is not None and person.state == "done"
        self.stays[name] += 1

    @rule(name=PEOPLE, places=st.integers(1, 8), to_back=st.booleans())
    def bump(self, name: str, places: int, to_back: bool) -> None:
        """Where to is another test's; here ranks are taken while their owners are held."""
        answer = self.line.bump(name, **({"to": "back"} if to_back else {"places": places}))
        if name not in self.model.of("waiting"):
            assert answer["code"] == "not_waiting"
            return
        self.model.people[name].rank = accepted(answer)["rank"]
        self.model.decide(name, "bumped")

    @rule(
        count=st.integers(1, 3),
        newest=st.booleans(),
        lease=st.sampled_from([None, 1, LEASE, 3600]),
    )
    def claim(self, count: int, newest: bool, lease: int | None) -> None:
        """P1, P4: exactly those at the end of the line, after the expired have come back."""
        expected = self.model.claim(count, newest, self.micros)
        order = "newest" if newest else "oldest"
        claimed = self.line.claimed(count, order=order, lease_seconds=lease)
        self.gives(claimed, expected, lease)

    def gives(self, claimed: dict[str, Answer], expected: list[str], lease: int | None) -> None:
        assert list(claimed) == expected
        for name, entry in claimed.items():
            person = self.model.people[name]
            assert entry["attempts"] == person.attempts
            assert (entry["rank"], entry["ticket"]) == (person.rank, person.ticket)
            assert entry["deadline_millis"] == self.millis + (lease or LEASE) * 1_000
            assert entry["token"] not in self.given
            self.given.add(entry["token"])
            self.tokens[name].append(entry["token"])
            person.state, person.token = "held", entry["token"]
            person.time_millis = entry["deadline_millis"]
            person.hold_stamp = self.line.send("look", entry_id=person.entry_id)["stamp"]

    def picked(self, pick: int) -> str:
        """Return an entry that is not in the queue if possible, else one that is."""
        aside = [*self.model.of("held"), *self.model.of("done"), *self.model.of("parked")]
        names = aside or list(self.model.people)
        return (names or NAMES)[pick % len(names or NAMES)]

    def act(self, op: str, name: str, late: bool, **fields: object) -> tuple[Person, Answer] | None:
        """Act with the newest token of a person, or with the one before."""
        token = self.tokens[name][-2:][0 if late else -1]
        answer = self.line.send(op, entry_id=self.line.id_of(name), token=token, **fields)
        if self.model.is_repeat(name, VERBS.get(op, op), token):
            assert accepted(answer)["outcome"] == "repeat"
            return None
        verdict = self.model.verdict(name, token, self.millis)
        if verdict == "held" or (verdict == "done" and op == "complete"):
            person = self.model.people[name]
            assert (accepted(answer)["ticket"], answer["attempts"]) == (
                person.ticket,
                person.attempts,
            )
            return person, answer
        assert answer["code"] == ("not_held" if verdict == "done" else verdict)
        return None

    @rule(pick=PICKS, late=LATE)
    def complete(self, pick: int, late: bool) -> None:
        """P4: admitted once, however often it is said."""
        name = self.picked(pick)
        if not (acted := self.act("complete", name, late)):
            return
        if acted[0].state == "held":
            acted[0].state = "done"
            self.model.admitted += 1
            self.model.dirty.add(name)

    @rule(pick=PICKS, late=LATE, to=st.sampled_from(["place", "back"]))
    def release(self, pick: int, late: bool, to: str) -> None:
        self.release_one(self.picked(pick), to, late)

    def release_one(self, name: str, to: str, late: bool = False) -> None:
        if acted := self.act("release", name, late, to=to):
            person, answer = acted
            self.model.decide(name, "released", person.token)
            self.comes_back(name, answer, person.rank if to == "place" else None)

    @rule(name=PEOPLE, to=st.sampled_from(["place", "back"]))
    def redrive(self, name: str, to: str) -> None:
        answer = self.line.redrive(name, to=to)
        if name not in self.model.of("parked"):
            if self.model.is_repeat(name, "redriven"):
                assert accepted(answer)["outcome"] == "repeat"
            else:
                assert answer["code"] == "not_parked"
            return
        person = self.model.people[name]
        self.model.decide(name, "redriven")
        person.attempts = 0
        self.comes_back(name, accepted(answer), person.rank if to == "place" else None)

    def comes_back(self, name: str, answer: Answer, rank: int | None) -> None:
        """P1, P6: at the old rank, or at the end."""
        expected = AT_BACK + answer["stamp"] if rank is None else rank
        assert answer["rank"] == self.model.put_in_line(name, expected)
        line = self.model.in_line()
        assert (answer["position"], answer["total"]) == (line.index(name) + 1, len(line))

    @rule(pick=PICKS, late=LATE, lease=st.sampled_from([None, 1, 3600]))
    def extend(self, pick: int, late: bool, lease: int | None) -> None:
        name = self.picked(pick)
        if acted := self.act("extend", name, late, lease_seconds=lease):
            person, answer = acted
            person.time_millis, person.hold_stamp = answer["deadline_millis"], answer["stamp"]
            assert person.time_millis == self.millis + (lease or LEASE) * 1_000
            self.model.dirty.add(name)

    @rule(pick=PICKS, late=LATE)
    def park(self, pick: int, late: bool) -> None:
        name = self.picked(pick)
        if acted := self.act("park", name, late):
            person, answer = acted
            person.state, person.time_millis = "parked", self.millis
            assert answer["parked_millis"] == self.millis
            self.model.decide(name, "parked", person.token)

    @rule(places=st.integers(1, 4))
    def bump_into_a_gap_that_a_hold_left(self, places: int) -> None:
        """P1: an entry that is held between the two finds its rank taken."""
        line = self.model.claim(3, newest=False, micros=self.micros)
        self.claim(3, newest=False, lease=LEASE)
        for name in line[0::2]:
            self.release_one(name, "place")
        for name in self.model.in_line()[2:][:places]:
            self.bump(name, self.model.in_line().index(name) - 1, to_back=False)

    @rule(settles=st.booleans())
    def expire(self, settles: bool) -> None:
        """P3: whatever was decided is returned, in its order, until it is settled."""
        self.model.end_expired(self.micros)
        listed = self.line.dirty()
        assert sorted(listed) == sorted(self.model.dirty)
        for name, place in listed.items():
            person = self.model.people.get(name)
            assert place["state"] == (person.state if person else "absent")
            decided = [(one["verb"], one["token"]) for one in place["decisions"]]
            expected = [(one.verb, one.token) for one in self.model.decided.get(name, [])]
            assert decided == expected
            if settles:
                self.settle(name, place)

    def settle(self, name: str, place: Answer) -> None:
        join_id = f"{self.stays[name]:08x}"
        accepted(self.line.settle(name, place["seen_stamp"], join_id=join_id))
        self.model.settle(name)
        if name in self.model.of("done"):
            self.model.take_out(name)
            assert self.line.signup(name, self.stays[name])["code"] == "gone"
            self.stays[name] += 1

    @invariant()
    def the_line_is_that_of_the_model(self) -> None:
        """P1, P6"""
        entries = self.line.entries()
        expected = [self.model.people[name] for name in self.model.in_line()]
        assert [(entry["entry_id"], entry["rank"], entry["ticket"]) for entry in entries] == [
            (person.entry_id, person.rank, person.ticket) for person in expected
        ]
        ranks = [entry["rank"] for entry in entries]
        assert ranks == sorted(set(ranks))

    @invariant()
    def held_and_parked_lists_are_those_of_the_model(self) -> None:
        for which in ("held", "parked"):
            entries = self.line.shelf(which)["entries"]
            expected = [self.model.people[name] for name in self.model.off_queue(which)]
            assert [(one["entry_id"], one["time_millis"], one["attempts"]) for one in entries] == [
                (person.entry_id, person.time_millis, person.attempts) for person in expected
            ]

    @invariant()
    def no_entry_is_lost(self) -> None:
        """P3, P4: each entry that signed up is in one place, or has ended in one way."""
        stats = self.line.stats()
        counted = {"left": self.model.left, "admitted": self.model.admitted}
        assert stats["counters"] == NO_OFFERS | {"signed_up": self.model.signed_up, **counted}
        on_list = stats["waiting"] + stats["offered"] + stats["parked"]
        assert on_list + sum(counted.values()) == self.model.signed_up
