"""Random runs, entries, exits and pauses of a policy, beside a sequential model in plain Python."""

from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.support.line import Line, accepted
from tests.support.stores import fake_redis

MINUTE_MICROS = 60_000_000
MOST_A_RUN = 100
# The bucket may lag behind the exact rate by a microsecond for each run.
ROUNDING = Fraction(1, 1000)


@dataclass
class Model:
    """What the promises say, without Redis: the line, offers, customers inside, places due."""

    rate: tuple[int, int] | None
    max_inside: int | None
    offer_micros: int
    pass_micros: int
    waiting: deque[str] = field(default_factory=deque)
    offered: dict[str, int] = field(default_factory=dict)
    inside: dict[str, int] = field(default_factory=dict)
    admitted: int = 0
    scheduled: int | None = None
    bucket: Fraction = Fraction(0)

    def pass_time(self, micros: int) -> None:
        if self.rate is not None:
            count, period = self.rate
            size = max(1, MINUTE_MICROS * count // period)
            self.bucket = min(Fraction(size), self.bucket + Fraction(micros * count, period))

    def end_offers(self, now: int) -> None:
        """Put entries whose offer is over back to the head, in their old order."""
        over = [name for name, until in self.offered.items() if until <= now]
        for name in over:
            del self.offered[name]
        self.waiting = deque(sorted([*over, *self.waiting]))

    def room(self, now: int) -> int | None:
        if self.max_inside is None:
            return None
        inside = sum(until > now for until in self.inside.values())
        return max(0, self.max_inside - inside - len(self.offered))

    def due(self, now: int) -> set[int]:
        """Return the numbers of places that may be due: two where the bucket is at a border."""
        limits = [one for one in (self.scheduled, self.room(now)) if one is not None]
        buckets: set[int | None] = {None}
        if self.rate is not None:
            buckets = {int(self.bucket), int(max(Fraction(0), self.bucket - ROUNDING))}
        every = [[*limits, *([] if one is None else [one])] for one in buckets]
        return {min([*some, len(self.waiting), MOST_A_RUN]) if some else 0 for some in every}

    def take(self, count: int, now: int) -> list[str]:
        taken = [self.waiting.popleft() for _ in range(count)]
        self.offered |= dict.fromkeys(taken, now + self.offer_micros)
        if self.rate is not None:
            self.bucket -= count
        if self.scheduled is not None:
            self.scheduled -= count
        return taken


class AdmissionMachine(RuleBasedStateMachine):
    """Ends of offers keep the place (the default), with attempts enough for any run."""

    def __init__(self) -> None:
        super().__init__()
        self.line = Line(fake_redis())
        self.model: Model | None = None
        self.names = 0
        self.instants: list[tuple[int, int]] = []

    @precondition(lambda self: self.model is None)
    @rule(
        rate=st.none() | st.tuples(st.integers(1, 900), st.sampled_from([1000, 60_000, 3_600_000])),
        max_inside=st.none() | st.integers(1, 6),
        has_schedule=st.booleans(),
        people=st.integers(0, 12),
    )
    def begin(
        self,
        rate: tuple[int, int] | None,
        max_inside: int | None,
        has_schedule: bool,
        people: int,
    ) -> None:
        fields: dict[str, Any] = {"max_inside": max_inside, "has_schedule": has_schedule}
        if rate is not None:
            fields |= {"rate_count": rate[0], "rate_millis": rate[1]}
        self.line.init(
            admission=True, offer_seconds=30, pass_seconds=90, max_attempts=100, **fields
        )
        micros = None if rate is None else (rate[0], rate[1] * 1000)
        self.model = Model(micros, max_inside, 30_000_000, 90_000_000)
        self.model.scheduled = 0 if has_schedule else None
        for _ in range(people):
            self.sign_up()

    @precondition(lambda self: self.model is not None)
    @rule()
    def sign_up(self) -> None:
        self.names += 1
        name = f"{self.names:04d}"
        accepted(self.line.signup(name))
        assert self.model is not None
        self.model.waiting.append(name)

    @precondition(lambda self: self.model is not None)
    @rule(micros=st.integers(1, 90_000_000))
    def wait(self, micros: int) -> None:
        assert self.model is not None
        self.line.clock.advance(micros=micros)
        self.model.pass_time(micros)

    @precondition(lambda self: self.model is not None and self.model.scheduled is not None)
    @rule(count=st.integers(1, 5), micros=st.integers(1000, 50_000_000))
    def reach_an_instant(self, count: int, micros: int) -> None:
        assert self.model is not None
        self.wait(micros)
        at = self.line.clock.millis
        if self.instants and self.instants[-1][0] >= at:
            return
        # The instant counts in the next run, and finds the entries that wait then.
        self.instants.append((at, count))
        self.run()

    @precondition(lambda self: self.model is not None)
    @rule()
    def run(self) -> None:
        model, now = self.model, self.line.clock.micros
        assert model is not None
        model.end_offers(now)
        self._count(model)
        due = model.due(now)
        answer = accepted(
            self.line.send("admit", settings_version=1, schedule_from=0, instants=self.instants)
        )
        taken = [self.line.name_of(one["entry_id"]) for one in answer["entries"]]
        assert len(taken) in due
        assert taken == model.take(len(taken), now)

    def _count(self, model: Model) -> None:
        if model.scheduled is None:
            return
        counted = getattr(self, "counted", 0)
        for _, count in self.instants[counted:]:
            model.scheduled = min(model.scheduled, len(model.waiting)) + count
        self.counted = len(self.instants)

    @precondition(lambda self: self.model is not None)
    @rule(data=st.data())
    def enter(self, data: st.DataObject) -> None:
        model, now = self.model, self.line.clock.micros
        assert model is not None
        names = sorted([*model.offered, *list(model.waiting)[:1]])
        if not names:
            return
        name = data.draw(st.sampled_from(names))
        answer = self.line.send("enter", entry_id=self.line.id_of(name))
        if name in model.offered and model.offered[name] > now:
            assert answer["outcome"] == "entered"
            del model.offered[name]
            model.inside[name] = now + model.pass_micros
            model.admitted += 1
        else:
            assert answer["code"] in ("not_offered", "offer_expired")

    @precondition(lambda self: self.model is not None and bool(self.model.inside))
    @rule(data=st.data())
    def exit(self, data: st.DataObject) -> None:
        model, now = self.model, self.line.clock.micros
        assert model is not None
        name = data.draw(st.sampled_from(sorted(model.inside)))
        until = model.inside.pop(name)
        outcome = accepted(self.line.send("exit", entry_id=self.line.id_of(name)))["outcome"]
        assert until <= now or outcome == "exited"

    @invariant()
    def counts_agree(self) -> None:
        model = self.model
        if model is None:
            return
        stats, now = self.line.stats(), self.line.clock.micros
        inside = sum(until // 1000 >= now // 1000 for until in model.inside.values())
        assert abs(stats["inside"] - inside) <= sum(
            until // 1000 == now // 1000 for until in model.inside.values()
        )
        assert stats["counters"]["admitted"] == model.admitted
        assert stats["waiting"] + stats["offered"] == len(model.waiting) + len(model.offered)


AdmissionMachine.TestCase.settings = settings(
    max_examples=20, stateful_step_count=20, deadline=None
)
TestAdmissionAgainstAModel = AdmissionMachine.TestCase
