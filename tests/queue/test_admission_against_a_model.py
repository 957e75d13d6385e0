"""Random runs, entries, exits and pauses of a policy, beside a sequential model in plain Python."""

from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.support.line import Line, accepted
from tests.support.stores import fake_redis

MINUTE_MICROS = 60_000_000
MOST_A_RUN = 100
# Redis rounds to microseconds twice in a run: its bucket lags behind the exact one.
MOST_LAG_MICROS = 2
OFFER_SECONDS, PASS_SECONDS = 30, 90
# Most have about one place due in a wait; of the fast ones, more than customers wait.
RATES = [(1, 60_000), (7, 60_000), (55, 3_600_000), (90, 3_600_000), (3, 1000), (900, 60_000)]
# Ends of offers and passes, and times around them, come more often than others.
WAITS = st.integers(1, 90_000_000) | st.sampled_from(
    [1, 999, 1000, 29_999_999, 30_000_000, 59_000_000, 89_999_000, 89_999_999, 90_000_000]
)


@dataclass
class Model:
    """What the promises say, without Redis: the line, offers, customers inside, places due.

    Offers and passes end at whole milliseconds; `now` is in milliseconds.
    """

    rate: tuple[int, int] | None
    max_inside: int | None
    waiting: deque[str] = field(default_factory=deque)
    offered_until: dict[str, int] = field(default_factory=dict)
    inside_until: dict[str, int] = field(default_factory=dict)
    admitted: int = 0
    scheduled: int | None = None
    bucket: Fraction = Fraction(0)
    lag_micros: int = 0

    def pass_time(self, micros: int) -> None:
        self.bucket += self.places(micros)

    def places(self, micros: int) -> Fraction:
        """Return how many places come due in this time."""
        count, period = self.rate or (0, 1)
        return Fraction(micros * count, period)

    def is_at_a_border(self) -> bool:
        """Return whether the lag decides how many whole places the bucket has."""
        return int(self.bucket) != int(max(Fraction(0), self.bucket - self.places(self.lag_micros)))

    def end_offers(self, now: int) -> None:
        """Put entries whose offer is over back to the head, in their old order."""
        over = [name for name, until in self.offered_until.items() if until <= now]
        for name in over:
            del self.offered_until[name]
        self.waiting = deque(sorted([*over, *self.waiting]))

    def room(self, now: int) -> int | None:
        if self.max_inside is None:
            return None
        return max(0, self.max_inside - self.inside(now) - len(self.offered_until))

    def inside(self, now: int) -> int:
        return sum(until > now for until in self.inside_until.values())

    def due(self, now: int) -> int:
        limits = [one for one in (self.scheduled, self.room(now)) if one is not None]
        if self.rate is not None:
            size = max(1, int(self.places(MINUTE_MICROS)))
            if self.bucket >= size + 1:
                self.bucket = Fraction(size)
            limits.append(int(self.bucket))
        return min([*limits, len(self.waiting), MOST_A_RUN]) if limits else 0

    def take(self, count: int, now: int) -> list[str]:
        taken = [self.waiting.popleft() for _ in range(count)]
        self.offered_until |= dict.fromkeys(taken, now + OFFER_SECONDS * 1000)
        if self.rate is not None:
            self.bucket -= count
            self.lag_micros += MOST_LAG_MICROS
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
        rate=st.none() | st.sampled_from(RATES),
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
            admission=True,
            offer_seconds=OFFER_SECONDS,
            pass_seconds=PASS_SECONDS,
            max_attempts=100,
            **fields,
        )
        micros = None if rate is None else (rate[0], rate[1] * 1000)
        self.model = Model(micros, max_inside)
        self.model.scheduled = 0 if has_schedule else None
        self.sign_up(people)

    @precondition(lambda self: self.model is not None)
    @rule(people=st.integers(1, 4))
    def sign_up(self, people: int) -> None:
        assert self.model is not None
        for _ in range(people):
            self.names += 1
            name = f"{self.names:04d}"
            accepted(self.line.signup(name))
            self.model.waiting.append(name)

    @precondition(lambda self: self.model is not None)
    @rule(micros=WAITS)
    def run_later(self, micros: int) -> None:
        self.wait(micros)
        self.run()

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

    def run(self) -> None:
        model = self.model
        assert model is not None
        if model.is_at_a_border():
            self.wait(model.lag_micros)
        now = self.line.clock.millis
        model.end_offers(now)
        self._count(model)
        due = model.due(now)
        answer = accepted(
            self.line.send("admit", settings_version=1, schedule_from=0, instants=self.instants)
        )
        taken = [self.line.name_of(one["entry_id"]) for one in answer["entries"]]
        assert taken == model.take(due, now)

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
        model, now = self.model, self.line.clock.millis
        assert model is not None
        names = sorted([*model.offered_until, *list(model.waiting)[:1]])
        if not names:
            return
        name = data.draw(st.sampled_from(names))
        answer = self.line.send("enter", entry_id=self.line.id_of(name))
        if name in model.offered_until and model.offered_until[name] > now:
            assert answer["outcome"] == "entered"
            del model.offered_until[name]
            model.inside_until[name] = now + PASS_SECONDS * 1000
            model.admitted += 1
        else:
            assert answer["code"] in ("not_offered", "offer_expired")

    @precondition(lambda self: self.model is not None and bool(self.model.inside_until))
    @rule(data=st.data())
    def exit(self, data: st.DataObject) -> None:
        model, now = self.model, self.line.clock.millis
        assert model is not None
        name = data.draw(st.sampled_from(sorted(model.inside_until)))
        until = model.inside_until.pop(name)
        outcome = accepted(self.line.send("exit", entry_id=self.line.id_of(name)))["outcome"]
        assert until <= now or outcome == "exited"

    @invariant()
    def counts_agree(self) -> None:
        model = self.model
        if model is None:
            return
        stats, now = self.line.stats(), self.line.clock.millis
        assert stats["inside"] == model.inside(now)
        assert stats["counters"]["admitted"] == model.admitted
        assert stats["waiting"] + stats["offered"] == len(model.waiting) + len(model.offered_until)


AdmissionMachine.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=20,
    deadline=None,
    # Without `explain`, which takes minutes on two processors.
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
)
TestAdmissionAgainstAModel = AdmissionMachine.TestCase
