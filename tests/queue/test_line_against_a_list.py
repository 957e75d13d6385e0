"""After any sequence of operations, the line in Redis equals a plain Python list."""

import json
from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.board_rule import bounds
from tests.support.line import HOUR_MICROS, NEW_YEAR_MICROS, Answer, Line, accepted
from tests.support.redis_servers import Server
from waitlist_shared.limits import MAX_PRIORITY
from waitlist_shared.ranks import TIER, priority_of

NAMES = [f"person {number}" for number in range(9)]
PRIORITIES = st.sampled_from([0, 0, 1, 2, 255])
# The first of all tickets, as for imports of 2020.
EARLY = st.sampled_from([1, 1, 2, 3, 17])
JUMPS = st.sampled_from([0, 1, 100, 5_000, HOUR_MICROS, -5_000, -HOUR_MICROS])
PROFILE = settings(
    max_examples=60,
    stateful_step_count=50,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class Model:
    """The expected line as a list of names; it computes no rank.

    `priorities` has the priority of each name, `placed` the names whose place in their priority is
    that of their signup, `answers` the last answer for each name.
    """

    def __init__(self) -> None:
        self.line: list[str] = []
        self.answers: dict[str, Answer] = {}
        self.priorities: dict[str, int] = {}
        self.placed: set[str] = set()

    def put(self, name: str, answer: Answer, position: int, priority: int) -> None:
        self.take_out(name)
        self.line.insert(position - 1, name)
        self.answers[name] = answer
        self.priorities[name] = priority
        self.placed.discard(name)

    def take_out(self, name: str) -> None:
        self.line = [other for other in self.line if other != name]

    def head_of(self, priority: int) -> int:
        """Return the number of entries ahead of a priority: all entries of higher ones."""
        return sum(self.priorities[name] > priority for name in self.line)

    def is_room_ahead_of(self, index: int) -> bool:
        """Return whether a rank is free right ahead of an entry, within its priority."""
        name = self.line[index]
        ahead = self.line[index - 1 : index]
        if not ahead or self.priorities[ahead[0]] != self.priorities[name]:
            return True  # the room ahead of a priority's tickets is never used up here
        return bool(self.answers[name]["rank"] - self.answers[ahead[0]]["rank"] > 1)


class Machine(RuleBasedStateMachine):
    """Each rule does the same to the line and the list; the invariant compares them."""

    line: ClassVar[Line]

    def __init__(self) -> None:
        super().__init__()
        self.line.client.flushall()
        self.line.clock.micros = NEW_YEAR_MICROS
        accepted(self.line.init())
        self.model = Model()
        self.stays = dict.fromkeys(NAMES, 1)
        self.last_stamp = 0
        self.epoch = 0
        self.once_keys = 0
        self.board: Answer = {}
        self.shown: list[int] = []

    def drew(self, answer: Answer) -> None:
        """P1: no stamp is ever drawn twice, by any operation."""
        assert answer["stamp"] > self.last_stamp
        self.last_stamp = answer["stamp"]

    @rule(jump=JUMPS)
    def the_clock_jumps(self, jump: int) -> None:
        self.line.clock.advance(jump)

    @rule(name=st.sampled_from(NAMES))
    def signup(self, name: str) -> None:
        answer = accepted(self.line.signup(name, self.stays[name]))
        self.drew(answer)
        if name in self.model.line:
            assert answer["outcome"] == "already"
        else:
            assert answer["outcome"] == "joined"
            self.model.put(name, answer, len(self.model.line) + 1, 0)
            self.model.placed.add(name)
        assert answer["position"] == self.model.line.index(name) + 1

    @rule(names=st.permutations(NAMES), spacer=st.booleans())
    def crowd_signs_up(self, names: list[str], spacer: bool) -> None:
        """Signups of one instant have little room between their ranks."""
        if spacer:
            self.drew(accepted(self.line.leave("nobody")))
        for name in names[:6]:
            self.signup(name)

    @rule(name=st.sampled_from(NAMES), ticket=EARLY, priority=PRIORITIES)
    def import_of_the_past(self, name: str, ticket: int, priority: int) -> None:
        """The entry gets its ticket's rank, or the next free one behind it.

        In the second case it may stand behind a later ticket (docs/internals/guarantees.md), so the
        order of signups leaves it out.
        """
        if name in self.model.line:
            return
        taken = {self.model.answers[other]["rank"] for other in self.model.line}
        rank = wanted = (MAX_PRIORITY - priority) * TIER + ticket
        while rank in taken:
            rank += 1
        answer = accepted(self.line.enlist(name, ticket, self.stays[name], priority=priority))
        assert answer["rank"] == rank
        self.model.put(name, answer, answer["position"], priority)
        if rank == wanted:
            self.model.placed.add(name)
        self.drew(answer)
        self.signups_stand_in_order(priority)

    @precondition(lambda self: self.model.line)
    @rule(name=st.sampled_from(NAMES), number=st.integers(0, len(NAMES)))
    def restore_at_a_taken_rank(self, name: str, number: int) -> None:
        line = self.model.line
        if name in line:
            return
        owner = line[number % len(line)]
        taken, priority = self.model.answers[owner], self.model.priorities[owner]
        place = {"rank": taken["rank"], "ticket": taken["ticket"], "stamp": 1}
        answer = accepted(self.line.restore(name, **place, stay=self.stays[name]))
        assert answer["rank"] < taken["rank"]
        assert self.model.head_of(priority) < answer["position"] <= line.index(owner) + 1
        last = {**answer, "stamp": self.last_stamp}
        self.model.put(name, last, answer["position"], priority)

    @rule(name=st.sampled_from(NAMES), knows_ticket=st.booleans())
    def leave(self, name: str, knows_ticket: bool) -> None:
        waits = name in self.model.line
        known = {"ticket": self.model.answers[name]["ticket"]} if waits and knows_ticket else {}
        answer = accepted(self.line.leave(name, self.stays[name], **known))
        self.drew(answer)
        assert answer["outcome"] == ("left" if waits else "absent")
        self.model.take_out(name)
        assert self.line.signup(name, self.stays[name])["code"] == "gone"
        self.stays[name] += 1

    def bump(self, name: str, **where: Any) -> Answer | None:
        self.once_keys += 1
        answer = self.line.bump(name, once=self.once_keys, **where)
        if name not in self.model.line:
            assert answer["code"] == "not_waiting"
            return None
        assert answer["outcome"] == "moved"
        self.drew(answer)
        again = self.line.bump(name, once=self.once_keys, **where)
        assert (again["outcome"], again["rank"]) == ("repeat", answer["rank"])
        self.drew(again)
        return answer

    def moved(self, name: str, answer: Answer, priority: int) -> None:
        """Apply the move to the list: its place by the answer, its priority as expected."""
        before = self.model.line.index(name)
        assert answer["moved_by"] == before + 1 - answer["position"]
        self.model.put(name, answer, answer["position"], priority)

    @rule(name=st.sampled_from(NAMES))
    def bump_to_the_back(self, name: str) -> None:
        if answer := self.bump(name, to="back"):
            assert answer["position"] == answer["total"]
            self.moved(name, answer, 0)

    @rule(name=st.sampled_from(NAMES))
    def bump_to_the_front(self, name: str) -> None:
        if answer := self.bump(name, to="front"):
            priority = self.model.priorities[name]
            assert answer["position"] == self.model.head_of(priority) + 1
            self.moved(name, answer, priority)

    @rule(name=st.sampled_from(NAMES), places=st.integers(1, len(NAMES)))
    def bump_places(self, name: str, places: int) -> None:
        """Exactly that many places within the priority if there is room; never fewer."""
        if answer := self.bump(name, places=places):
            priority, index = self.model.priorities[name], self.model.line.index(name)
            head = self.model.head_of(priority)
            asked, reached = max(head, index - places), answer["position"] - 1
            assert head <= reached <= asked
            assert reached == asked or not self.model.is_room_ahead_of(asked)
            self.moved(name, answer, priority)

    @rule(name=st.sampled_from(NAMES), priority=PRIORITIES)
    def bump_priority(self, name: str, priority: int) -> None:
        """Another entry can have the rank of the ticket, as with an import."""
        if answer := self.bump(name, priority=priority):
            self.moved(name, answer, priority)
            if answer["rank"] == (MAX_PRIORITY - priority) * TIER + answer["ticket"]:
                self.model.placed.add(name)
            self.signups_stand_in_order(priority)

    def signups_stand_in_order(self, priority: int) -> None:
        """P1: within a priority, entries that were not moved stand in order of signup."""
        people = [name for name in self.model.line if name in self.model.placed]
        tickets = [
            self.model.answers[name]["ticket"]
            for name in people
            if self.model.priorities[name] == priority
        ]
        assert tickets == sorted(tickets)

    @precondition(lambda self: self.model.line)
    @rule(order=st.randoms(use_true_random=False), overwrite=st.booleans())
    def lose_and_restore(self, order: Any, overwrite: bool) -> None:
        self.epoch += 1
        epoch = f"{self.epoch:08x}"
        self.line.client.flushall()
        for name in NAMES:  # the tombstones are lost too; only the record has the leaves
            if name not in self.model.line:
                self.stays[name] += 1
        accepted(self.line.init("hydrating", epoch, floor_ticket=self.last_stamp))
        names = self.model.line * 2
        order.shuffle(names)
        for name in names:
            last = self.model.answers[name]
            place = {"rank": last["rank"], "ticket": last["ticket"], "stamp": last["stamp"]}
            stay = self.stays[name]
            accepted(self.line.restore(name, **place, stay=stay, epoch=epoch, overwrite=overwrite))
        assert accepted(self.line.init("warm", epoch))["outcome"] == "warmed"

    @invariant()
    def the_line_is_the_list(self) -> None:
        """P1, P6"""
        entries = self.line.entries()
        assert [entry["entry_id"] for entry in entries] == [
            self.line.id_of(name) for name in self.model.line
        ]
        assert [entry["position"] for entry in entries] == list(range(1, len(entries) + 1))
        ranks = [entry["rank"] for entry in entries]
        assert ranks == [self.model.answers[name]["rank"] for name in self.model.line]
        assert ranks == sorted(set(ranks))
        given = [self.model.priorities[name] for name in self.model.line]
        assert [priority_of(rank) for rank in ranks] == given == sorted(given, reverse=True)
        tickets = [self.model.answers[name]["ticket"] for name in self.model.line]
        assert [entry["ticket"] for entry in entries] == tickets

    @rule(name=st.sampled_from(NAMES))
    def position(self, name: str) -> None:
        answer = self.line.position(name)
        assert answer["total"] == len(self.model.line)
        if name in self.model.line:
            assert answer["position"] == self.model.line.index(name) + 1
            assert answer["rank"] == self.model.answers[name]["rank"]
        else:
            assert answer["outcome"] == "absent"

    @rule()
    def look_at_the_board(self) -> None:
        """The board shows every place of its moment, which is at most five seconds ago."""
        board = accepted(self.line.board())
        assert 0 <= self.line.clock.millis - board["as_of_millis"] < 5000
        if board != self.board:
            ranks = [self.model.answers[name]["rank"] for name in self.model.line]
            self.board, self.shown = board, ranks
        cuts = json.loads(board["cuts"])
        places = [bounds(cuts, board["total"], rank) for rank in self.shown]
        assert places == [(position, position) for position in range(1, len(self.shown) + 1)]
        assert board["total"] == len(self.shown)


def test_the_line_is_a_list(valkey: Server) -> None:
    """P1, P2, P6, P7"""
    Machine.line = Line(valkey.client)
    run_state_machine_as_test(Machine, settings=PROFILE)
