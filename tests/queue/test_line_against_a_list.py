"""Tests that the queue in Redis matches a model in Python after any sequence of operations."""

import json
from dataclasses import replace
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.queue.claim_machine import PROFILE
from tests.support import model
from tests.support.board_rule import bounds
from tests.support.line import HOUR_MICROS, NEW_YEAR_MICROS, Answer, Line, accepted
from tests.support.model import Waitlist
from tests.support.redis_servers import Server
from waitlist_shared.limits import MAX_PRIORITY
from waitlist_shared.ranks import TIER, priority_of

NAMES = [f"person {number}" for number in range(9)]
PRIORITIES = st.sampled_from([0, 0, 1, 2, 255])
# The lowest possible ticket numbers. An entry gets one if it is imported with a signup time in
# 2020.
EARLY = st.sampled_from([1, 1, 2, 3, 17])
JUMPS = st.sampled_from([0, 1, 100, 5_000, HOUR_MICROS, -5_000, -HOUR_MICROS])


class Machine(RuleBasedStateMachine):
    """Each rule applies an operation to Redis and to the model. Afterwards, the invariant compares
    the two.

    `placed` contains the entries that were never moved within their priority. `stamps` contains the
    recorded stamp (logical timestamp) of each entry.
    """

    line: ClassVar[Line]

    def __init__(self) -> None:
        super().__init__()
        self.line.client.flushall()
        self.line.clock.micros = NEW_YEAR_MICROS
        accepted(self.line.init())
        self.model = Waitlist(has_histories=False)
        self.placed: set[str] = set()
        self.stamps: dict[str, int] = {}
        self.stays = dict.fromkeys(NAMES, 1)
        self.last_stamp = 0
        self.epoch = 0
        self.once_keys = 0
        self.board: Answer = {}
        self.shown: list[int] = []

    def drew(self, answer: Answer) -> None:
        """Redis gives out each stamp (logical timestamp) only once (promise P1)."""
        assert answer["stamp"] > self.last_stamp
        self.last_stamp = answer["stamp"]

    @property
    def queue(self) -> list[str]:
        return self.model.of("waiting")

    def rank(self, name: str) -> int:
        return int(self.model.by_name[name].rank)

    def put(self, name: str, answer: Answer, priority: int) -> None:
        stay = model.Stay("waiting", rank=answer["rank"], ticket=answer["ticket"])
        self.model = self.model.put(name, stay)
        self.stamps[name] = answer["stamp"]
        self.placed.discard(name)
        assert priority_of(answer["rank"]) == priority
        assert answer["position"] == self.model.position(name)

    def head_of(self, priority: int) -> int:
        return sum(priority_of(self.rank(name)) > priority for name in self.queue)

    def is_room_ahead_of(self, index: int) -> bool:
        rank = self.rank(self.queue[index])
        ahead = [self.rank(name) for name in self.queue[index - 1 : index]]
        if not ahead or priority_of(ahead[0]) != priority_of(rank):
            # No entry of the same priority is ahead, so a rank (sort key) is always free.
            return True
        return rank - ahead[0] > 1

    @rule(jump=JUMPS)
    def the_clock_jumps(self, jump: int) -> None:
        self.line.clock.advance(jump)

    @rule(name=st.sampled_from(NAMES))
    def signup(self, name: str) -> None:
        answer = accepted(self.line.signup(name, self.stays[name]))
        self.drew(answer)
        if self.model.stay(name):
            assert answer["outcome"] == "already"
            assert answer["position"] == self.model.position(name)
        else:
            assert answer["outcome"] == "joined"
            self.put(name, answer, 0)
            self.placed.add(name)
            assert self.queue[-1] == name

    @rule(names=st.permutations(NAMES), spacer=st.booleans())
    def crowd_signs_up(self, names: list[str], spacer: bool) -> None:
        """If many people sign up at once, only a few ranks (sort keys) between their entries stay
        free.
        """
        if spacer:
            self.drew(accepted(self.line.leave("nobody")))
        for name in names[:6]:
            self.signup(name)

    @rule(name=st.sampled_from(NAMES), ticket=EARLY, priority=PRIORITIES)
    def import_of_the_past(self, name: str, ticket: int, priority: int) -> None:
        """If the rank (sort key) of an imported entry is taken, the entry gets the next free rank
        behind. It may then be behind people who signed up later (docs/internals/guarantees.md).
        """
        if self.model.stay(name):
            return
        taken = {self.rank(other) for other in self.queue}
        rank = wanted = (MAX_PRIORITY - priority) * TIER + ticket
        while rank in taken:
            rank += 1
        answer = accepted(self.line.insert(name, ticket, self.stays[name], priority=priority))
        assert answer["rank"] == rank
        self.put(name, answer, priority)
        if rank == wanted:
            self.placed.add(name)
        self.drew(answer)
        self.signups_stand_in_order(priority)

    @precondition(lambda self: self.queue)
    @rule(name=st.sampled_from(NAMES), number=st.integers(0, len(NAMES)))
    def restore_at_a_taken_rank(self, name: str, number: int) -> None:
        if self.model.stay(name):
            return
        owner = self.queue[number % len(self.queue)]
        stay, priority = self.model.by_name[owner], priority_of(self.rank(owner))
        place: dict[str, Any] = {"rank": stay.rank, "ticket": stay.ticket, "stamp": 1}
        answer = accepted(self.line.restore(name, **place, stay=self.stays[name]))
        assert answer["rank"] < stay.rank
        head = self.head_of(priority)
        assert head < answer["position"] <= self.queue.index(owner) + 1
        self.put(name, {**answer, "stamp": self.last_stamp}, priority)

    @rule(name=st.sampled_from(NAMES), knows_ticket=st.booleans())
    def leave(self, name: str, knows_ticket: bool) -> None:
        stay = self.model.stay(name)
        known = {"ticket": stay.ticket} if stay and knows_ticket else {}
        answer = accepted(self.line.leave(name, self.stays[name], **known))
        self.drew(answer)
        assert answer["outcome"] == ("left" if stay else "absent")
        self.model = self.model.forget(name)
        assert self.line.signup(name, self.stays[name])["code"] == "gone"
        self.stays[name] += 1

    @rule(name=st.sampled_from(NAMES), to=st.sampled_from(["front", "back"]))
    def bump_to_an_end(self, name: str, to: str) -> None:
        self.bump(name, "to", to)

    @rule(name=st.sampled_from(NAMES), places=st.integers(1, len(NAMES)))
    def bump_places(self, name: str, places: int) -> None:
        self.bump(name, "places", places)

    @rule(name=st.sampled_from(NAMES), priority=PRIORITIES)
    def bump_priority(self, name: str, priority: int) -> None:
        self.bump(name, "priority", priority)

    def bump(self, name: str, kind: str, value: int | str) -> None:
        """If no rank (sort key) is free at the requested place, Redis moves the entry further ahead
        than the model. The test accepts this difference.
        """
        self.once_keys += 1
        answer = self.line.bump(name, once=self.once_keys, **{kind: value})
        if not self.model.stay(name):
            assert answer["code"] == "not_waiting"
            return
        assert answer["outcome"] == "moved"
        self.drew(answer)
        again = self.line.bump(name, once=self.once_keys, **{kind: value})
        assert (again["outcome"], again["rank"]) == ("repeat", answer["rank"])
        self.drew(again)
        index = self.queue.index(name)
        # In the model, the next ticket number is higher than all stamps that Redis has given out.
        line = replace(self.model, tickets=self.last_stamp // model.GAP)
        wanted = model.moved(line, name, kind, value)
        place, asked = wanted.by_name[name].rank, wanted.of("waiting").index(name)
        priority, reached = priority_of(int(place)), answer["position"] - 1
        assert answer["moved_by"] == index - reached
        assert self.head_of(priority) - (priority < priority_of(self.rank(name))) <= reached
        assert kind != "priority" or answer["rank"] == place
        assert reached == asked or (reached < asked and not self.is_room_ahead_of(asked))
        self.put(name, answer, priority)
        if kind == "priority" and place == (MAX_PRIORITY - priority) * TIER + answer["ticket"]:
            self.placed.add(name)
        self.signups_stand_in_order(priority)

    def signups_stand_in_order(self, priority: int) -> None:
        """Entries of the same priority that were never moved are in the order of their signups
        (promise P1).
        """
        people = [name for name in self.queue if name in self.placed]
        tickets = [
            self.model.by_name[name].ticket
            for name in people
            if priority_of(self.rank(name)) == priority
        ]
        assert tickets == sorted(tickets)

    @precondition(lambda self: self.queue)
    @rule(order=st.randoms(use_true_random=False), when=st.sampled_from(["absent", "older"]))
    def lose_and_restore(self, order: Any, when: str) -> None:
        self.epoch += 1
        epoch = f"{self.epoch:08x}"
        self.line.client.flushall()
        # Redis no longer knows that these people have left. If they come back, they do so with a
        # new signup.
        for name in NAMES:
            if not self.model.stay(name):
                self.stays[name] += 1
        accepted(self.line.init("open", epoch, floor_ticket=self.last_stamp))
        names = self.queue * 2
        order.shuffle(names)
        for name in names:
            stay = self.model.by_name[name]
            place: dict[str, Any] = {"rank": stay.rank, "ticket": stay.ticket}
            place |= {"stamp": self.stamps[name], "epoch": epoch, "when": when}
            accepted(self.line.restore(name, stay=self.stays[name], **place))
        assert accepted(self.line.init("finish_rebuild", epoch))["outcome"] == "warmed"

    @invariant()
    def the_queue_is_that_of_the_model(self) -> None:
        """Redis and the model have the same waiting entries, in the same order (promises P1 and
        P6).
        """
        entries = self.line.entries()
        expected = [(name, self.model.by_name[name]) for name in self.queue]
        assert [(entry["entry_id"], entry["rank"], entry["ticket"]) for entry in entries] == [
            (self.line.id_of(name), stay.rank, stay.ticket) for name, stay in expected
        ]
        assert [entry["position"] for entry in entries] == list(range(1, len(entries) + 1))
        ranks = [entry["rank"] for entry in entries]
        assert ranks == sorted(set(ranks))

    @rule(name=st.sampled_from(NAMES))
    def position(self, name: str) -> None:
        answer = self.line.position(name)
        assert answer["total"] == len(self.queue)
        if self.model.stay(name):
            assert answer["position"] == self.model.position(name)
            assert answer["rank"] == self.rank(name)
        else:
            assert answer["outcome"] == "absent"

    @rule()
    def look_at_the_board(self) -> None:
        """The board (a snapshot of all positions) is at most five seconds old. Its positions were
        correct when it was made.
        """
        board = accepted(self.line.board())
        assert 0 <= self.line.clock.millis - board["as_of_millis"] < 5000
        if board != self.board:
            self.board, self.shown = board, [self.rank(name) for name in self.queue]
        cuts = json.loads(board["cuts"])
        places = [bounds(cuts, board["total"], rank) for rank in self.shown]
        assert places == [(position, position) for position in range(1, len(self.shown) + 1)]
        assert board["total"] == len(self.shown)


def test_the_line_is_a_list(valkey: Server) -> None:
    """P1, P2, P6, P7"""
    Machine.line = Line(valkey.client)
    run_state_machine_as_test(Machine, settings=settings(PROFILE, max_examples=24))
