"""Tests that the queue and its segments in Redis match a model after any sequence of operations.

No entry is claimed twice, lost, or out of order. A segment contains exactly the waiting entries
with specific attributes.
"""

from dataclasses import replace
from itertools import product
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from tests.queue.claim_machine import (
    HOUR_SECONDS,
    LATE,
    LEASE,
    NAMES,
    PEOPLE,
    PICKS,
    PROFILE,
    Machine,
)
from tests.support.line import Line, accepted
from tests.support.model import MAX_ATTEMPTS, ON_LIST
from tests.support.palette import assert_exact
from tests.support.redis_servers import Server
from waitlist_api.records.segments import Segments
from waitlist_queue.keys import claimed, held, meta, tags
from waitlist_shared.ids import segment_id_of

LANGUAGES, GENDERS = ["English", "Spanish=F", "français & #"], ["F", "M"]
DECLARATIONS: list[tuple[tuple[str, ...], ...]] = [
    (("language",), ("gender", "language")),
    (("gender", "language"), ("gender",)),
    (("language",),),
    (),
]
FILTERS: list[dict[str, str]] = [
    *({"language": one} for one in LANGUAGES),
    *({"gender": one} for one in GENDERS),
    *({"gender": g, "language": one} for g, one in product(GENDERS, LANGUAGES)),
]
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        "language": st.lists(st.sampled_from(LANGUAGES), min_size=1, max_size=3),
        "gender": st.sampled_from(GENDERS),
    },
)


def matches(attributes: dict[str, Any], wanted: dict[str, str]) -> bool:
    return all(wanted[name] in (attributes.get(name) or ()) for name in wanted)


class SegmentMachine(Machine):
    """Extends the random test of claims: entries have attributes, and operators change the
    segments.
    """

    line: ClassVar[Line]

    def begin(self) -> None:
        self.version = self.settings_version = 1
        self.declared = DECLARATIONS[0]
        self.attributes: dict[str, dict[str, Any]] = {name: {} for name in NAMES}
        self.attributes[NAMES[0]] = {"language": LANGUAGES, "gender": "F"}
        self.edits = dict.fromkeys(NAMES, 0)
        self.untagged: set[str] = set()
        self.model = replace(self.model, max_claims=5)
        self.declare()

    def declare(self) -> None:
        settings: dict[str, Any] = {"lease_seconds": LEASE, "max_attempts": MAX_ATTEMPTS}
        settings["segments_version"] = self.version
        settings["max_claims"] = self.model.max_claims
        accepted(self.line.init(version=self.settings_version, **settings))

    @property
    def segments(self) -> Segments:
        return Segments(self.line.waitlist_id, self.declared, self.version)

    def signup_fields(self, name: str) -> dict[str, Any]:
        return {
            "segments": list(self.segments.find(self.attributes[name])),
            "segments_version": self.version,
            "attributes_version": self.edits[name],
        }

    def on_list(self) -> set[str]:
        return set(self.model.of(*ON_LIST))

    def still_untagged(self) -> set[str]:
        self.untagged &= self.on_list()
        return self.untagged

    def within(self, names: list[str], wanted: dict[str, str]) -> list[str]:
        return [name for name in names if matches(self.attributes[name], wanted)]

    @rule(name=PEOPLE)
    def leave(self, name: str) -> None:
        super().leave(name)
        self.untagged.discard(name)

    @rule(name=PEOPLE)
    def erase(self, name: str) -> None:
        super().erase(name)
        self.untagged.discard(name)

    @rule(
        name=PEOPLE,
        rests=st.sampled_from([0, 1, LEASE, HOUR_SECONDS]),
        is_held_back=st.booleans(),
        late=LATE,
    )
    def change_readiness(self, name: str, rests: int, is_held_back: bool, late: bool) -> None:
        super().change_readiness(name, rests, is_held_back, late)
        self.untagged.discard(name)

    @rule(name=PEOPLE, attributes=ATTRIBUTES, is_late=st.booleans())
    def edit(self, name: str, attributes: dict[str, Any], is_late: bool) -> None:
        """A late message with an older version of an entry's attributes changes nothing (promise
        P2).
        """
        before = self.signup_fields(name)
        self.edits[name] += 1
        self.attributes[name] = attributes
        self.tag(name, self.signup_fields(name))
        if is_late:
            self.tag(name, before)

    def tag(self, name: str, fields: dict[str, Any]) -> None:
        answer = accepted(self.line.send("tag", **self.line.stay(name, self.stays[name]), **fields))
        assert (answer["outcome"] == "absent") is (name not in self.on_list())
        self.untagged.discard(name)

    @rule(wanted=st.sampled_from(FILTERS), count=st.integers(1, 3), newest=st.booleans())
    def claim_within(self, wanted: dict[str, str], count: int, newest: bool) -> None:
        """A claim within a segment takes the first or the last entries of the segment (promises P1
        and P4).
        """
        segment = segment_id_of(self.line.waitlist_id, wanted)
        asked: dict[str, Any] = {"segment": segment, "segments_version": self.version}
        if not self.is_ready():
            assert self.line.claim(count, **asked)["code"] == "segments_building"
            return
        self.end_expired()
        is_declared = tuple(sorted(wanted)) in self.declared
        line = self.within(self.model.next_ones(), wanted) if is_declared else []
        most = self.model.claimable(count)
        expected = list(reversed(line))[:most] if newest else line[:most]
        order = "newest" if newest else "oldest"
        self.gives(self.line.claimed(count, order=order, **asked), expected, None)

    @rule(
        wanted=st.lists(st.sampled_from([*FILTERS, {}]), min_size=1, max_size=4),
        count=st.integers(1, 3),
        newest=st.booleans(),
    )
    def claim_the_best(self, wanted: list[dict[str, str]], count: int, newest: bool) -> None:
        """A claim with several filters takes entries that match the first filter, then entries that
        match the second filter, and so on (promises P1 and P4).
        """
        if not self.is_ready():
            return
        self.end_expired()
        ids = [segment_id_of(self.line.waitlist_id, one) if one else "*" for one in wanted]
        expected: dict[str, int] = {}
        for number, one in enumerate(wanted):
            is_declared = not one or tuple(sorted(one)) in self.declared
            line = self.within(self.model.next_ones(), one) if is_declared else []
            for name in reversed(line) if newest else line:
                expected.setdefault(name, number)
        names = list(expected)[: self.model.claimable(count)]
        order = "newest" if newest else "oldest"
        asked = {"filters": ids, "segments_version": self.version, "order": order}
        claimed = self.line.claimed(count, **asked)
        assert {name: one["filter_index"] for name, one in claimed.items()} == {
            name: expected[name] for name in names
        }
        self.gives(claimed, names, None)

    def is_ready(self) -> bool:
        ready: bool = accepted(self.line.stats())["segments_state"] == "ready"
        return ready

    @rule(most=st.sampled_from([None, 1, 5]))
    def allow_claims_at_once(self, most: int | None) -> None:
        """If an operator lowers the limit on claims, existing claims do not end (promise P4)."""
        self.model = replace(self.model, max_claims=most)
        self.settings_version += 1
        self.declare()

    @rule(pick=PICKS)
    def declare_others(self, pick: int) -> None:
        """When an operator defines new segments, the service must assign every entry to them.
        Messages that use the old segments are refused.
        """
        stale = self.signup_fields(NAMES[0])
        self.declared = DECLARATIONS[pick % len(DECLARATIONS)]
        self.settings_version += 1
        self.version = self.settings_version if self.declared else 0
        self.declare()
        self.untagged = self.on_list() if self.declared else set()
        if stale["segments_version"] != self.version:
            stay = self.line.stay(NAMES[0], self.stays[NAMES[0]])
            assert self.line.send("tag", **stay, **stale)["code"] == "stale_segments"

    @rule(count=st.integers(1, 8))
    def index_some(self, count: int) -> None:
        for name in sorted(self.still_untagged())[:count]:
            self.tag(name, self.signup_fields(name))
        found = accepted(self.line.untagged(self.version))
        assert (found["outcome"] == "ready") is not bool(self.still_untagged())

    @rule(pick=PICKS, to=st.sampled_from(["held", "waiting", "parked"]))
    def repair(self, pick: int, to: str) -> None:
        super().repair(pick, to)
        # When an entry is restored, Redis immediately assigns it to its segments.
        for name in set(self.untagged):
            if self.line.client.hexists(tags(self.line.waitlist_id), self.line.id_of(name)):
                self.untagged.discard(name)

    @invariant()
    def the_claims_of_a_list_with_a_limit_are_counted(self) -> None:
        """If a waitlist has no limit on claims, Redis has no key that counts them (promise P4)."""
        waitlist_id, redis = self.line.waitlist_id, self.line.client
        listed = redis.zrange(claimed(waitlist_id), 0, -1, withscores=True)
        every = redis.zrange(held(waitlist_id), 0, -1, withscores=True)
        is_complete = redis.hexists(meta(waitlist_id), "claims_indexed")
        assert listed == every if is_complete else set(listed) <= set(every)
        assert self.model.max_claims is not None or not (listed or is_complete)

    @invariant()
    def the_index_is_exact(self) -> None:
        assert_exact(self.line)

    @invariant()
    def segment_counts_and_places_are_those_of_the_model(self) -> None:
        """In Redis and in the model, each segment has the same waiting entries and positions
        (promise P6).
        """
        if self.still_untagged() or not self.is_ready():
            return
        lines = {
            segment_id_of(self.line.waitlist_id, wanted): self.within(
                self.model.of("waiting"), wanted
            )
            for wanted in FILTERS
            if tuple(sorted(wanted)) in self.declared
        }
        found = accepted(self.line.send("segments", segments_version=self.version))["depths"]
        assert {one["segment"]: one["waiting"] for one in found} == {
            segment: len(line) for segment, line in lines.items() if line
        }
        for name in self.model.of("waiting"):
            mine = [segment for segment, line in lines.items() if name in line]
            asked = {"segments": mine, "segments_version": self.version}
            counted = set(self.model.counted())
            seen = {one: [each for each in lines[one] if each in {*counted, name}] for one in mine}
            place = accepted(self.line.position(name, **asked))
            assert place["places"] == [
                {"position": 1 + seen[one].index(name), "total": len(counted & set(lines[one]))}
                for one in mine
            ]
            assert place["position"] == self.model.position(name)


def test_claims_and_segments_follow_the_model(valkey: Server) -> None:
    """P1, P2, P3, P4, P6"""
    SegmentMachine.line = Line(valkey.client)
    run_state_machine_as_test(SegmentMachine, settings=PROFILE)
