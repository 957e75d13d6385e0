"""Random histories of a policy, of offers and of how they end, beside a model in plain Python."""

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
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
Payer = str | int  # a quota pays by its number


@dataclass(frozen=True)
class Offer:
    """An open offer: claim token, end in milliseconds, the rank it came from, and what paid for it.

    Only payers that get the slot back if the offer is not accepted.
    """

    token: str
    until: int
    rank: int
    paid: tuple[Payer, ...] = ()


@dataclass
class Model:
    """What the promises say, without Redis: a list, and a ledger of slots by payer.

    `granted` counts the slots that came due and have not lapsed, `used` those that were entered by,
    or offered where the rate counts offers. What is in neither `used` nor an open offer is due.
    """

    rate: tuple[int, int] = (0, 1)
    counts_entered: bool = False
    is_sum: bool = False
    max_inside: int | None = None
    no_show: str = "keep_place"
    payers: tuple[Payer, ...] = ()
    quota: int = 0
    ranks: int = 0
    lag_micros: int = 0
    waiting: list[tuple[int, str]] = field(default_factory=list)
    parked: dict[str, int] = field(default_factory=dict)
    offers: dict[str, Offer] = field(default_factory=dict)
    inside_until: dict[str, int] = field(default_factory=dict)
    granted: dict[Payer, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    used: Counter[Payer] = field(default_factory=Counter)

    @property
    def line(self) -> list[str]:
        return [name for _, name in self.waiting]

    def join(self, name: str, rank: int | None = None) -> None:
        self.ranks += 1
        insort(self.waiting, (self.ranks if rank is None else rank, name))

    def taken(self, payer: Payer) -> int:
        """Return how many of its slots were entered by or are offered."""
        return self.used[payer] + sum(payer in one.paid for one in self.offers.values())

    def due(self, payer: Payer) -> Fraction:
        return self.granted[payer] - self.taken(payer)

    def end(self, name: str) -> Offer:
        """End an offer without an admission: what paid for it has its slot again."""
        self.lag_micros += 1
        return self.offers.pop(name)

    def end_offers(self, now: int) -> None:
        over = [(one.until, one.rank, name) for name, one in self.offers.items()]
        for _, rank, name in sorted(one for one in over if one[0] <= now):
            self.end(name)
            if self.no_show != "leave":
                self.join(name, rank if self.no_show == "keep_place" else None)

    def enter(self, name: str, now: int) -> None:
        self.used.update(self.offers.pop(name).paid)
        self.inside_until[name] = now + PASS_SECONDS * 1000

    def inside(self, now: int) -> int:
        return sum(until > now for until in self.inside_until.values())

    def room(self, now: int) -> int:
        most = len(self.waiting) if self.max_inside is None else self.max_inside
        return (
            most if self.max_inside is None else max(0, most - self.inside(now) - len(self.offers))
        )

    def slots(self, micros: int) -> Fraction:
        """Return how many slots of the rate come due in this time."""
        return Fraction(micros * self.rate[0], self.rate[1])

    def count_instant(self, count: int) -> None:
        lapsed = max(Fraction(0), self.due(SCHEDULE) - len(self.waiting))
        self.granted[SCHEDULE] += count - lapsed

    def paid(self, now: int) -> list[tuple[Payer, ...]]:
        """Return what pays for each slot that is due: the quota, then rate and schedule."""
        size = max(1, int(self.slots(MINUTE_MICROS)))
        if self.due(RATE) >= size + 1:
            self.granted[RATE] -= self.due(RATE) - size
        by_payer = [[(one,)] * max(0, floor(self.due(one))) for one in self.payers]
        slots: list[tuple[Payer, ...]] = [(self.quota,)] * floor(self.due(self.quota))
        slots += (
            chain(*by_payer)
            if self.is_sum
            else map(tuple, map(chain.from_iterable, zip(*by_payer, strict=False)))
        )
        if not self.payers and self.max_inside is not None:
            slots += [()] * self.room(now)
        return slots[: self.room(now)]

    def offer(self, name: str, token: str, now: int, paid: tuple[Payer, ...] = ()) -> None:
        if RATE in paid and not self.counts_entered:
            self.used[RATE] += 1
            paid = tuple(one for one in paid if one != RATE)
        rank, _ = self.waiting.pop(self.line.index(name))
        self.offers[name] = Offer(token, now + OFFER_SECONDS * 1000, rank, paid)


class AdmissionMachine(RuleBasedStateMachine):
    """Offers that end keep the entry's place, send it to the back, or end its stay."""

    def __init__(self) -> None:
        super().__init__()
        self.line = Line(fake_redis())
        self.model = Model()
        self.names = 0
        self.admitted = 0
        self.counted = 0
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
        payers = {RATE: rate is not None, SCHEDULE: has_schedule}
        self.model = Model(
            rate=(0, 1) if rate is None else (rate[0], rate[1] * 1000),
            counts_entered=counts == "entered",
            is_sum=combine == "sum",
            max_inside=max_inside,
            no_show=no_show,
            payers=tuple(name for name, is_one in payers.items() if is_one),
        )
        self.model.granted[RATE] -= self.model.slots(rate_from * 1000)
        self.sign_up(people)

    @rule(people=st.integers(1, 3))
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
        """Wait where the lag decides how many whole slots the bucket has, or one more."""
        due, lag = self.model.due(RATE), self.model.slots(self.model.lag_micros + 1)
        if floor(due) != floor(due - lag):
            self.wait(self.model.lag_micros + 1)

    def wait(self, micros: int) -> None:
        self.line.clock.advance(micros=micros)
        self.model.granted[RATE] += self.model.slots(micros)

    @precondition(lambda self: SCHEDULE in self.model.payers)
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
        for _, count in self.instants[self.counted :]:
            model.count_instant(count)
        self.counted = len(self.instants)
        answer = self.admit(settings_version=1, schedule_from=0, instants=self.instants)
        self.hold_to_what_is_due(answer)
        self.every_slot_is_used()

    def hold_to_what_is_due(self, answer: Answer, most: int = MOST_A_RUN) -> None:
        self.model.lag_micros += MOST_LAG_MICROS
        self.offer_the_first(answer, self.model.paid(self.now)[:most])

    def offer_the_first(self, answer: Answer, paid: list[Any]) -> None:
        """Hold an answer to the first entries that wait, as many as there are slots."""
        tokens = {self.line.name_of(one["entry_id"]): one["token"] for one in answer["entries"]}
        assert list(tokens) == self.model.line[: len(paid)]
        for (name, token), payers in zip(tokens.items(), paid, strict=False):
            self.model.offer(name, token, self.now, payers)

    def every_slot_is_used(self) -> None:
        """Hold each payer to its sum: accepted and open offers are the slots that came due.

        They are never more, and not fewer while an entry waits for whom there is room.
        """
        model = self.model
        quota, *others = (
            max(0, floor(model.granted[one])) - model.taken(one)
            for one in (model.quota, *model.payers)
        )
        assert min(quota, *others, 0) == 0
        if model.waiting and model.room(self.now):
            assert quota == 0
            left = sum(others) if model.is_sum else min(others, default=0)
            assert left == 0
            assert others or model.max_inside is None

    def admit(self, **fields: Any) -> Answer:
        return accepted(self.line.send("admit", **fields))

    @rule(count=st.integers(0, 3), refill=st.booleans())
    def admit_by_hand(self, count: int, refill: bool) -> None:
        model = self.model
        model.end_offers(self.now)
        if count == 0:
            model.quota += 1
        elif refill:
            model.granted[model.quota] += count
        paid = (model.quota,) if refill else ()
        slots = min(count, model.room(self.now))
        self.offer_the_first(self.admit(count=count, refill=refill), [paid] * slots)

    @rule(data=st.data())
    def admit_one(self, data: st.DataObject) -> None:
        model = self.model
        model.end_offers(self.now)
        name = self.draw(data, [*model.line, *model.offers, *model.parked])
        if name is None:
            return
        answer = self.line.send("admit", entry_id=self.line.id_of(name))
        if name not in model.line:
            assert answer["code"] == "not_waiting"
        elif model.room(self.now) == 0:
            assert answer["code"] == "inside_full"
        else:
            (entry,) = accepted(answer)["entries"]
            assert self.line.name_of(entry["entry_id"]) == name
            model.offer(name, entry["token"], self.now)

    def draw(self, data: st.DataObject, names: Iterable[str]) -> str | None:
        names = sorted(names)
        return data.draw(st.sampled_from(names)) if names else None

    def draw_offered(self, data: st.DataObject) -> str | None:
        return self.draw(data, filter(self.is_open, self.model.offers))

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
            self.admitted += 1
        else:
            assert answer["code"] in ("not_offered", "offer_expired")

    @rule(data=st.data())
    def decline(self, data: st.DataObject) -> None:
        name = self.draw_offered(data)
        if name is None:
            return
        accepted(self.line.send("decline", entry_id=self.line.id_of(name)))
        self.model.end(name)
        self.model.join(name)

    @rule(data=st.data(), to=st.sampled_from(["place", "back"]))
    def release(self, data: st.DataObject, to: str) -> None:
        name = self.draw_offered(data)
        if name is None:
            return
        offer = self.model.end(name)
        self.send_with_copy("release", entry_id=self.line.id_of(name), token=offer.token, to=to)
        self.model.join(name, offer.rank if to == "place" else None)

    @rule(data=st.data())
    def park(self, data: st.DataObject) -> None:
        name = self.draw_offered(data)
        if name is None:
            return
        offer = self.model.end(name)
        self.send_with_copy("park", entry_id=self.line.id_of(name), token=offer.token)
        self.model.parked[name] = offer.rank

    @precondition(lambda self: bool(self.model.parked))
    @rule(data=st.data(), to=st.sampled_from(["place", "back"]))
    def redrive(self, data: st.DataObject, to: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.model.parked)))
        accepted(self.line.send("redrive", entry_id=self.line.id_of(name), to=to))
        rank = self.model.parked.pop(name)
        self.model.join(name, rank if to == "place" else None)

    @rule(data=st.data(), op=st.sampled_from(["leave", "drop"]))
    def end_a_stay(self, data: st.DataObject, op: str) -> None:
        model = self.model
        name = self.draw(data, [*model.line, *model.offers, *model.parked])
        if name is not None:
            self.send_with_copy(op, **self.line.stay(name))
            self.take_out(name)

    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        model = self.model
        names = [*model.line, *model.offers, *model.parked, *model.inside_until]
        name = self.draw(data, names)
        if name is not None:
            self.send_with_copy("drop", **self.line.stay(name), is_erased=True)
            self.take_out(name)
            model.inside_until.pop(name, None)

    def take_out(self, name: str) -> None:
        model = self.model
        if name in model.offers:
            model.end(name)
        model.parked.pop(name, None)
        model.waiting = [one for one in model.waiting if one[1] != name]

    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        model = self.model
        name = self.draw_offered(data)
        if name is None:
            return
        self.leave_a_border()
        if not self.is_open(name):
            return
        until = model.offers[name].until
        answer = self.send_with_copy(
            "withdraw", entry_id=self.line.id_of(name), offered_until_millis=until
        )
        model.end_offers(self.now)
        offer = model.end(name)
        self.hold_to_what_is_due(answer, most=1)
        model.join(name, offer.rank)
        # An offer of the same millisecond would have the same end.
        self.wait(1000)

    def send_with_copy(self, op: str, **fields: Any) -> Answer:
        """Send a message of which a copy may arrive later."""
        self.copies.append({"op": op, **fields})
        return accepted(self.line.send(op, **fields))

    @precondition(lambda self: bool(self.copies))
    @rule(data=st.data())
    def deliver_a_copy(self, data: st.DataObject) -> None:
        """Change nothing: the message has been carried out, or its entry is erased since."""
        answer = self.line.send(**data.draw(st.sampled_from(self.copies)))
        if answer["ok"]:
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
        assert stats["counters"]["admitted"] == self.admitted
        assert stats["waiting"] + stats["offered"] == len(model.waiting) + len(model.offers)
        assert stats["parked"] == len(model.parked)
        assert stats["quota"] == model.granted[model.quota] - model.used[model.quota]


AdmissionMachine.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    # Without `explain`, which takes minutes on two processors.
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
)
TestAdmissionAgainstAModel = AdmissionMachine.TestCase
