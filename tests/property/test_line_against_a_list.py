"""Whatever happens in whatever order, the line on the real engine is a plain Python list."""

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

from tests.support.line import HOUR_MICROS, NEW_YEAR_MICROS, Answer, Line, accepted
from tests.support.redis_servers import Server
from waitlist_shared.ranks import TIER

NAMES = [f"person {number}" for number in range(9)]
PRIORITIES = st.sampled_from([0, 0, 1, 2, 255])
JUMPS = st.sampled_from([0, 1, 100, 5_000, HOUR_MICROS, -5_000, -HOUR_MICROS])
PROFILE = settings(
    max_examples=120,
    stateful_step_count=50,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


class Model:
    """The line as a list of names; ranks and tickets are remembered as they were told."""

    def __init__(self) -> None:
        self.line: list[str] = []
        self.told: dict[str, Answer] = {}

    def put(self, name: str, answer: Answer, position: int) -> None:
        self.take_out(name)
        self.line.insert(position - 1, name)
        self.told[name] = answer

    def take_out(self, name: str) -> None:
        self.line = [other for other in self.line if other != name]

    def ranks(self) -> list[int]:
        return [self.told[name]["rank"] for name in self.line]


class Machine(RuleBasedStateMachine):
    """Each rule tells the line and the list the same; the invariant compares them."""

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

    def drew(self, answer: Answer) -> None:
        """P1: whatever draws a stamp draws one that was never drawn."""
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
            self.model.put(name, answer, len(self.model.line) + 1)
        assert answer["position"] == self.model.line.index(name) + 1

    @rule(names=st.permutations(NAMES), spacer=st.booleans())
    def crowd_signs_up(self, names: list[str], spacer: bool) -> None:
        """Many at one instant leave no gaps between them, or one before them."""
        if spacer:
            self.drew(accepted(self.line.leave("nobody")))
        for name in names[:6]:
            self.signup(name)

    @precondition(lambda self: self.model.line)
    @rule(name=st.sampled_from(NAMES), number=st.integers(0, len(NAMES)))
    def restore_at_a_taken_rank(self, name: str, number: int) -> None:
        line = self.model.line
        if name in line:
            return
        taken = self.model.told[line[number % len(line)]]
        place = {"rank": taken["rank"], "ticket": taken["ticket"], "stamp": 1}
        answer = accepted(self.line.restore(name, **place, stay=self.stays[name]))
        assert answer["rank"] < taken["rank"]
        assert answer["position"] <= line.index(line[number % len(line)]) + 1
        self.model.put(name, {**answer, "stamp": self.last_stamp}, answer["position"])

    @rule(name=st.sampled_from(NAMES), knows_ticket=st.booleans())
    def leave(self, name: str, knows_ticket: bool) -> None:
        waits = name in self.model.line
        known = {"ticket": self.model.told[name]["ticket"]} if waits and knows_ticket else {}
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

    @rule(name=st.sampled_from(NAMES), to=st.sampled_from(["front", "back"]))
    def bump_to(self, name: str, to: str) -> None:
        if answer := self.bump(name, to=to):
            self.model.put(name, answer, 1 if to == "front" else len(self.model.line))

    @rule(name=st.sampled_from(NAMES), places=st.integers(1, len(NAMES)))
    def bump_places(self, name: str, places: int) -> None:
        ranks, line = self.model.ranks(), self.model.line
        if answer := self.bump(name, places=places):
            asked, reached = max(0, line.index(name) - places), answer["position"] - 1
            assert reached <= asked
            # It went further than asked only along a run without a gap.
            assert ranks[asked] - ranks[reached] == asked - reached or asked == reached
            self.model.put(name, answer, answer["position"])

    @rule(name=st.sampled_from(NAMES), priority=PRIORITIES)
    def bump_priority(self, name: str, priority: int) -> None:
        if answer := self.bump(name, priority=priority):
            wanted = (255 - priority) * TIER + self.model.told[name]["rank"] % TIER
            others = [self.model.told[other]["rank"] for other in self.model.line if other != name]
            assert (answer["rank"] == wanted) or (wanted in others and answer["rank"] < wanted)
            self.model.put(name, answer, 1 + sum(rank < answer["rank"] for rank in others))

    @precondition(lambda self: self.model.line)
    @rule(order=st.randoms(use_true_random=False), overwrite=st.booleans())
    def lose_and_restore(self, order: Any, overwrite: bool) -> None:
        self.epoch += 1
        epoch = f"{self.epoch:08x}"
        self.line.client.flushall()
        for name in NAMES:  # their tombstones are lost too; the record remembers who left
            if name not in self.model.line:
                self.stays[name] += 1
        accepted(self.line.init("hydrating", epoch, floor_ticket=self.last_stamp))
        names = self.model.line * 2
        order.shuffle(names)
        for name in names:
            told = self.model.told[name]
            place = {"rank": told["rank"], "ticket": told["ticket"], "stamp": told["stamp"]}
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
        assert ranks == self.model.ranks() == sorted(set(ranks))
        tickets = [self.model.told[name]["ticket"] for name in self.model.line]
        assert [entry["ticket"] for entry in entries] == tickets

    @rule(name=st.sampled_from(NAMES))
    def position(self, name: str) -> None:
        answer = self.line.position(name)
        assert answer["total"] == len(self.model.line)
        if name in self.model.line:
            assert answer["position"] == self.model.line.index(name) + 1
            assert answer["rank"] == self.model.told[name]["rank"]
        else:
            assert answer["outcome"] == "absent"


def test_the_line_is_a_list(valkey: Server) -> None:
    """P1, P2, P6, P7"""
    Machine.line = Line(valkey.client)
    run_state_machine_as_test(Machine, settings=PROFILE)
