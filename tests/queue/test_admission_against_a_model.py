"""Random histories of a policy, of offers and of how they end, beside a model in plain Python."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.support.line import Answer, Line, accepted
from tests.support.stores import fake_redis

MINUTE_MICROS = 60_000_000
MOST_A_RUN = 100
# Redis rounds to microseconds twice in a run, and once for a slot that comes back: its bucket lags
# behind the exact one.
MOST_LAG_MICROS = 2
OFFER_SECONDS, PASS_SECONDS = 30, 90
# Most have about one slot due in a wait; of the fast ones, more than customers wait.
RATES = [(1, 60_000), (7, 60_000), (55, 3_600_000), (90, 3_600_000), (3, 1000), (900, 60_000)]
# Ends of offers and passes, and times around them, come more often than others.
WAITS = st.integers(1, 90_000_000) | st.sampled_from(
    [1, 999, 1000, 29_999_999, 30_000_000, 59_000_000, 89_999_000, 89_999_999, 90_000_000]
)
RATE, SCHEDULE = "rate", "schedule"


@dataclass(frozen=True)
class Offer:
    """An open offer: when it ends in milliseconds, the rank it came from, and what paid for it.

    A quota pays by its number.
    """

    until: int
    rank: int
    paid: tuple[str | int, ...] = ()


@dataclass
class Model:
    """What the promises say, without Redis: the line, offers, customers inside, slots due.

    Offers and passes end at whole milliseconds; `now` is in milliseconds. `granted` counts the
    slots of the schedule that have not lapsed, `used` those that were entered by.
    """

    rate: tuple[int, int] | None = None
    counts_entered: bool = False
    is_sum: bool = False
    max_inside: int | None = None
    no_show: str = "keep_place"
    scheduled: int | None = None
    waiting: dict[str, int] = field(default_factory=dict)
    offers: dict[str, Offer] = field(default_factory=dict)
    inside_until: dict[str, int] = field(default_factory=dict)
    admitted: int = 0
    granted: int = 0
    used: int = 0
    quota: int = 0
    quota_number: int = 0
    bucket: Fraction = Fraction(0)
    lag_micros: int = 0
    ranks: int = 0

    @property
    def line(self) -> list[str]:
        return sorted(self.waiting, key=lambda name: self.waiting[name])

    def join(self, name: str) -> None:
        self.ranks += 1
        self.waiting[name] = self.ranks

    def slots(self, micros: int) -> Fraction:
        """Return how many slots of the rate come due in this time."""
        count, period = self.rate or (0, 1)
        return Fraction(micros * count, period)

    def is_at_a_border(self) -> bool:
        """Return whether the lag decides how many whole slots the bucket has, or one more."""
        return floor(self.bucket) != floor(self.bucket - self.slots(self.lag_micros + 1))

    def end_offers(self, now: int) -> None:
        over = [name for name, offer in self.offers.items() if offer.until <= now]
        for name in sorted(over, key=lambda one: (self.offers[one].until, self.offers[one].rank)):
            offer = self.give_back(name)
            if self.no_show == "keep_place":
                self.waiting[name] = offer.rank
            elif self.no_show == "to_back":
                self.join(name)

    def give_back(self, name: str) -> Offer:
        """End an offer without an admission: what paid for it has its slot again."""
        offer = self.offers.pop(name)
        if SCHEDULE in offer.paid and self.scheduled is not None:
            self.scheduled += 1
        if RATE in offer.paid and self.counts_entered:
            self.bucket += 1
            self.lag_micros += 1
        return offer

    def enter(self, name: str, now: int) -> None:
        offer = self.offers.pop(name)
        self.inside_until[name] = now + PASS_SECONDS * 1000
        self.admitted += 1
        self.quota -= self.quota_number in offer.paid
        self.used += SCHEDULE in offer.paid

    def room(self, now: int) -> int | None:
        if self.max_inside is None:
            return None
        return max(0, self.max_inside - self.inside(now) - len(self.offers))

    def inside(self, now: int) -> int:
        return sum(until > now for until in self.inside_until.values())

    def count_instant(self, count: int) -> None:
        if self.scheduled is not None:
            lapsed = max(0, self.scheduled - len(self.waiting))
            self.scheduled += count - lapsed
            self.granted += count - lapsed

    def paid(self, now: int) -> list[tuple[str | int, ...]]:
        """Return what pays for each slot that is due: the quota, then rate and schedule."""
        by_quota = self.quota - sum(self.quota_number in one.paid for one in self.offers.values())
        slots: list[tuple[str | int, ...]] = [(self.quota_number,)] * by_quota
        by_rate, room = self._by_rate(), self.room(now)
        if by_rate is not None and self.scheduled is not None:
            both = min(by_rate, self.scheduled)
            alone = [(RATE,)] * by_rate + [(SCHEDULE,)] * self.scheduled
            slots += alone if self.is_sum else [(RATE, SCHEDULE)] * both
        elif by_rate is not None:
            slots += [(RATE,)] * by_rate
        elif self.scheduled is not None:
            slots += [(SCHEDULE,)] * self.scheduled
        elif room is not None:
            slots += [()] * room
        return slots[: len(slots) if room is None else room]

    def _by_rate(self) -> int | None:
        if self.rate is None:
            return None
        size = max(1, int(self.slots(MINUTE_MICROS)))
        if self.bucket >= size + 1:
            self.bucket = Fraction(size)
        return int(max(Fraction(0), self.bucket))

    def run(self, now: int, most: int = MOST_A_RUN) -> list[str]:
        """Offer the slots that are due; return the names."""
        self.lag_micros += MOST_LAG_MICROS
        paid = self.paid(now)[:most]
        taken = self.line[: len(paid)]
        for name, one in zip(taken, paid, strict=False):
            self.offer(name, now, one)
            if self.rate is not None and RATE in one:
                self.bucket -= 1
            if self.scheduled is not None and SCHEDULE in one:
                self.scheduled -= 1
        return taken

    def offer(self, name: str, now: int, paid: tuple[str | int, ...] = ()) -> None:
        self.offers[name] = Offer(now + OFFER_SECONDS * 1000, self.waiting.pop(name), paid)


class AdmissionMachine(RuleBasedStateMachine):
    """Offers that end keep the entry's place, send it to the back, or end its stay."""

    def __init__(self) -> None:
        super().__init__()
        self.line = Line(fake_redis())
        self.model = Model()
        self.names = 0
        self.instants: list[tuple[int, int]] = []
        self.copies: list[dict[str, Any]] = []

    @property
    def now(self) -> int:
        return self.line.clock.millis

    @initialize(
        rate=st.none() | st.sampled_from(RATES),
        rate_from=st.sampled_from([0, 0, 45_000]),
        counts=st.sampled_from(["offered", "entered"]),
        combine=st.sampled_from(["least", "sum"]),
        max_inside=st.none() | st.integers(1, 6),
        has_schedule=st.booleans(),
        no_show=st.sampled_from(["keep_place", "to_back", "leave"]),
        people=st.integers(0, 12),
    )
    def begin(
        self,
        rate: tuple[int, int] | None,
        rate_from: int,
        counts: str,
        combine: str,
        max_inside: int | None,
        has_schedule: bool,
        no_show: str,
        people: int,
    ) -> None:
        fields: dict[str, Any] = {"max_inside": max_inside, "has_schedule": has_schedule}
        if rate is not None:
            begin = self.now + rate_from if rate_from else None
            fields |= {"rate_count": rate[0], "rate_millis": rate[1], "rate_from": begin}
        self.line.init(
            admission=True,
            rate_counts=counts,
            combine=combine,
            no_show=no_show,
            offer_seconds=OFFER_SECONDS,
            pass_seconds=PASS_SECONDS,
            max_attempts=100,
            **fields,
        )
        self.model = Model(
            rate=None if rate is None else (rate[0], rate[1] * 1000),
            counts_entered=counts == "entered",
            is_sum=combine == "sum",
            max_inside=max_inside,
            no_show=no_show,
            scheduled=0 if has_schedule else None,
        )
        self.model.bucket -= self.model.slots(rate_from * 1000)
        self.sign_up(people)

    @rule(people=st.integers(1, 4))
    def sign_up(self, people: int) -> None:
        for _ in range(people):
            self.names += 1
            name = f"{self.names:04d}"
            accepted(self.line.signup(name))
            self.model.join(name)

    @rule(micros=WAITS)
    def run_later(self, micros: int) -> None:
        self.wait(micros)
        self.run()

    def leave_a_border(self) -> None:
        if self.model.is_at_a_border():
            self.wait(self.model.lag_micros + 1)

    def wait(self, micros: int) -> None:
        self.line.clock.advance(micros=micros)
        self.model.bucket += self.model.slots(micros)

    @precondition(lambda self: self.model.scheduled is not None)
    @rule(count=st.integers(1, 5), micros=st.integers(1000, 50_000_000))
    def reach_an_instant(self, count: int, micros: int) -> None:
        self.wait(micros)
        if self.instants and self.instants[-1][0] >= self.now:
            return
        # The instant counts in the next run, and finds the entries that wait then.
        self.instants.append((self.now, count))
        self.run()

    @rule()
    def run(self) -> None:
        model = self.model
        self.leave_a_border()
        model.end_offers(self.now)
        counted = getattr(self, "counted", 0)
        for _, count in self.instants[counted:]:
            model.count_instant(count)
        self.counted = len(self.instants)
        answer = self.admit(settings_version=1, schedule_from=0, instants=self.instants)
        assert self.names_of(answer) == model.run(self.now)
        self.every_slot_is_used()

    def every_slot_is_used(self) -> None:
        """Hold a schedule alone to its sum: its slots are entered by, or offered, or left."""
        model = self.model
        if model.scheduled is None or model.rate is not None:
            return
        open_now = sum(SCHEDULE in offer.paid for offer in model.offers.values())
        assert model.used + open_now <= model.granted
        if model.waiting and model.room(self.now) != 0:
            assert model.used + open_now == model.granted

    def admit(self, **fields: Any) -> Answer:
        return accepted(self.line.send("admit", **fields))

    def names_of(self, answer: Answer) -> list[str]:
        return [self.line.name_of(one["entry_id"]) for one in answer["entries"]]

    @rule(count=st.integers(0, 3), refill=st.booleans())
    def admit_by_hand(self, count: int, refill: bool) -> None:
        model = self.model
        model.end_offers(self.now)
        if count == 0:
            model.quota, model.quota_number = 0, model.quota_number + 1
        elif refill:
            model.quota += count
        room = model.room(self.now)
        taken = model.line[: count if room is None else min(count, room)]
        assert self.names_of(self.admit(count=count, refill=refill)) == taken
        for name in taken:
            model.offer(name, self.now, (model.quota_number,) if refill else ())

    @rule(data=st.data())
    def admit_one(self, data: st.DataObject) -> None:
        model = self.model
        model.end_offers(self.now)
        name = self.draw(data, [*model.waiting, *model.offers])
        if name is None:
            return
        answer = self.line.send("admit", entry_id=self.line.id_of(name))
        if name not in model.waiting:
            assert answer["code"] == "not_waiting"
        elif model.room(self.now) == 0:
            assert answer["code"] == "inside_full"
        else:
            assert self.names_of(answer) == [name]
            model.offer(name, self.now)

    def draw(self, data: st.DataObject, names: list[str]) -> str | None:
        return data.draw(st.sampled_from(sorted(names))) if names else None

    def is_open(self, name: str) -> bool:
        return name in self.model.offers and self.model.offers[name].until > self.now

    @rule(data=st.data())
    def enter(self, data: st.DataObject) -> None:
        name = self.draw(data, [*self.model.offers, *self.model.line[:1]])
        if name is None:
            return
        answer = self.line.send("enter", entry_id=self.line.id_of(name))
        if self.is_open(name):
            assert answer["outcome"] == "entered"
            self.model.enter(name, self.now)
        else:
            assert answer["code"] in ("not_offered", "offer_expired")

    @rule(data=st.data())
    def decline(self, data: st.DataObject) -> None:
        name = self.draw(data, [one for one in self.model.offers if self.is_open(one)])
        if name is None:
            return
        accepted(self.line.send("decline", entry_id=self.line.id_of(name)))
        self.model.give_back(name)
        self.model.join(name)

    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        model = self.model
        name = self.draw(data, [*model.waiting, *model.offers])
        if name is None:
            return
        self.send_with_copy(op="leave", **self.line.stay(name))
        if name in model.offers:
            model.give_back(name)
        else:
            del model.waiting[name]

    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        model = self.model
        name = self.draw(data, [one for one in model.offers if self.is_open(one)])
        if name is None:
            return
        self.leave_a_border()
        if not self.is_open(name):
            return
        until = model.offers[name].until
        answer = self.send_with_copy(
            op="withdraw", entry_id=self.line.id_of(name), offered_until_millis=until
        )
        model.end_offers(self.now)
        offer = model.give_back(name)
        assert self.names_of(answer) == model.run(self.now, most=1)
        model.waiting[name] = offer.rank
        # An offer of the same millisecond would have the same end.
        self.wait(1000)

    def send_with_copy(self, op: str, **fields: Any) -> Answer:
        """Send a message of which a copy may arrive later."""
        self.copies.append({"op": op, **fields})
        return accepted(self.line.send(op, **fields))

    @precondition(lambda self: bool(self.copies))
    @rule(data=st.data())
    def deliver_a_copy(self, data: st.DataObject) -> None:
        """Change nothing: the message has been carried out."""
        answer = accepted(self.line.send(**data.draw(st.sampled_from(self.copies))))
        assert answer["outcome"] in ("absent", "repeat")
        assert not answer.get("entries")

    @precondition(lambda self: bool(self.model.inside_until))
    @rule(data=st.data())
    def exit(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.model.inside_until)))
        until = self.model.inside_until.pop(name)
        outcome = accepted(self.line.send("exit", entry_id=self.line.id_of(name)))["outcome"]
        assert until <= self.now or outcome == "exited"

    @invariant()
    def counts_agree(self) -> None:
        model, stats = self.model, self.line.stats()
        if not stats["ok"]:
            return
        assert stats["inside"] == model.inside(self.now)
        assert stats["counters"]["admitted"] == model.admitted
        assert stats["waiting"] + stats["offered"] == len(model.waiting) + len(model.offers)
        assert stats["quota"] == model.quota


AdmissionMachine.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    # Without `explain`, which takes minutes on two processors.
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
)
TestAdmissionAgainstAModel = AdmissionMachine.TestCase
