"""Applies random operations on an admission policy to Redis and to a model in Python.

The test also keeps its own count of the offers that the policy may make.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from math import floor
from random import Random
from typing import Any

import pytest

from tests.support import model
from tests.support.line import Answer, Line, accepted
from tests.support.model import MAX_ATTEMPTS, ON_LIST, RATE, SCHEDULE, Policy, Waitlist
from waitlist_queue import keys
from waitlist_shared.contracts import AfterMisses, NoShow

MINUTE_MICROS = 60_000_000
MOST_A_RUN = 100
# Redis rounds times down to microseconds, so it may allow an offer a few microseconds later than
# the test's exact calculation.
MOST_LAG_MICROS = 4
OFFER_SECONDS, PASS_SECONDS = 30, 90
# An operator can choose how long offers last. Opening hours do not matter for an offer that lasts a
# day.
OWN_SECONDS = [None, None, 45, 86_400]
# Most of these rates allow about one offer between two operations. The fast ones allow more offers
# than there are customers.
RATES = [
    (1, 86_400_000),
    (1, 60_000),
    (7, 60_000),
    (55, 3_600_000),
    (90, 3_600_000),
    (3, 1000),
    (900, 60_000),
]
# Opening hours begin every 400 seconds and last 250 seconds.
HOURS = (400_000, 250_000)
# How long the test waits, in microseconds. Offers last 30 seconds and passes 90 seconds, so many of
# these times end just before a deadline.
MOMENTS = [1, 999, 1000, 29_999_999, 30_000_000, 59_000_000, 89_999_000, 89_999_999, 90_000_000]
# How many seconds a customer who has declined an offer must wait for the next one.
PAUSES = [0, 29, 60]
# For each Redis engine, the seeds of the random histories.
HISTORIES = {"valkey": range(12), "cluster": range(12, 14)}
STEPS = 100
PRESENCES = [30, 60, 300]
# How often each operation is chosen, relative to the others.
OPERATIONS = {
    "sign_up": 4,
    "run": 2,
    "run_later": 4,
    "be_idle": 1,
    "reach_an_instant": 2,
    "let_an_instant_pass": 1,
    "save_other_settings": 1,
    "end_the_admission_soon": 1,
    "take_the_end_back": 1,
    "change_the_schedule": 1,
    "restore_over_an_offer": 1,
    "admit_by_hand": 2,
    "admit_one": 1,
    "invite": 1,
    "enter": 5,
    "decline": 2,
    "release": 1,
    "park": 1,
    "redrive": 1,
    "withdraw": 1,
    "end_a_stay": 1,
    "erase": 1,
    "exit": 2,
    "change_readiness": 3,
    "look": 1,
    "poll": 4,
    "deliver_a_copy": 1,
}
# The rate and the schedule can allow an offer together. This sign then joins their two names.
BOTH = "+"


@dataclass
class Ledger:
    """Counts slots.

    A slot is the permission to make one offer, and comes from the rate, the schedule or a quota,
    which is called its payer. For each payer, `granted` counts all its slots, and `used` counts
    those that are used up. The slots of open offers are counted separately.
    """

    rate: tuple[int, int] = (0, 1)
    counts_entered: bool = False
    is_sum: bool = False
    payers: tuple[str, ...] = ()
    quota: str = "0"
    quota_seconds: int = OFFER_SECONDS
    lag_micros: int = 0
    left_over: Fraction = Fraction(0)
    granted: dict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    used: Counter[str] = field(default_factory=Counter)

    def taken(self, payer: str, line: Waitlist) -> int:
        paid = [line.by_name[name].paid.split(BOTH) for name in line.of("offered")]
        return self.used[payer] + sum(payer in one for one in paid)

    def due(self, payer: str, line: Waitlist) -> Fraction:
        return self.granted[payer] - self.taken(payer, line)

    def slots(self, micros: int) -> Fraction:
        return Fraction(micros * self.rate[0], self.rate[1])

    def count_instant(self, count: int, line: Waitlist) -> None:
        lapsed = max(Fraction(0), self.due(SCHEDULE, line) - len(line.next_ones()))
        self.granted[SCHEDULE] += count - lapsed

    def all_due(self, line: Waitlist) -> tuple[str, ...]:
        """A quota's slots are used before those of the rate and the schedule."""
        size = max(Fraction(1), self.slots(MINUTE_MICROS) + self.left_over)
        self.granted[RATE] -= max(Fraction(0), self.due(RATE, line) - size)
        by_payer = [[one] * max(0, floor(self.due(one, line))) for one in self.payers]
        slots = [self.quota] * floor(self.due(self.quota, line))
        slots += chain(*by_payer) if self.is_sum else map(BOTH.join, zip(*by_payer, strict=False))
        return tuple(slots)

    def leave_over(self, line: Waitlist) -> None:
        """If somebody is waiting, the policy's next run can use the fraction of a slot that this
        run could not.
        """
        due = max(Fraction(0), self.due(RATE, line))
        self.left_over = due - floor(due) if line.next_ones() else Fraction(0)

    def begin_schedule(self) -> None:
        self.granted[SCHEDULE], self.used[SCHEDULE] = Fraction(0), 0

    def offered(self, paid: str) -> str:
        if RATE not in paid or self.counts_entered:
            return paid
        self.used[RATE] += 1
        return BOTH.join(one for one in paid.split(BOTH) if one != RATE)


class AdmissionHistory:
    """Applies a random sequence of operations to an admission policy and to the model."""

    def __init__(self, seed: int, line: Line) -> None:
        self.random = Random(seed)
        self.line = line
        self.names = self.pause_seconds = 0
        self.counted = 0
        self.instants: list[tuple[int, int]] = []
        self.copies: list[dict[str, Any]] = []
        self.invited_tokens: set[str] = set()
        self.readiness_version = 0
        self.has_reasons = False
        self.has_hours = False
        self.version = self.schedule_version = 1
        self.settings: dict[str, Any] = {}
        self.begin()

    @property
    def now(self) -> int:
        return self.line.clock.millis

    @property
    def second(self) -> int:
        return self.line.clock.micros // 1_000_000

    def begin(self) -> None:
        draw = self.random.choice
        rate = draw([None, *RATES])
        rate_from = draw([0, 0, 45_000]) if rate else 0
        counts, combine = draw(["offered", "entered"]), draw(["least", "sum"])
        max_inside, has_schedule = draw([None, None, 2, 4, 6]), draw([True, False])
        no_show: NoShow = draw(["keep_place", "to_back", "leave"])
        misses = draw([None, None, 1, 2])
        after_misses: AfterMisses = draw(["leave", "park"])
        self.pause_seconds, declines_kept = draw(PAUSES), draw([0, 1, 2])
        presence = draw([None, *PRESENCES])
        fields: dict[str, Any] = {"max_inside": max_inside}
        if rate is not None:
            begin = self.now + rate_from if rate_from else None
            fields |= {"rate_count": rate[0], "rate_millis": rate[1], "rate_from": begin}
        if misses:
            fields |= {"misses_at_most": misses, "misses_then": after_misses}
        self.has_hours = draw([True, False, False])
        if self.has_hours:
            fields["has_hours"] = True
        if presence is not None:
            fields["presence_seconds"] = presence
        self.schedule_version = int(has_schedule)
        self.settings = {
            "admission": True,
            "rate_counts": counts,
            "combine": combine,
            "no_show": no_show,
            "offer_seconds": OFFER_SECONDS,
            "pass_seconds": PASS_SECONDS,
            "max_attempts": MAX_ATTEMPTS,
            **fields,
        }
        self.line.init(schedule_version=self.schedule_version, **self.settings)
        policy = Policy(
            max_inside,
            int(has_schedule),
            rate is not None,
            no_show,
            misses=misses,
            after_misses=after_misses,
            declines_kept=declines_kept,
            presence_seconds=presence,
        )
        self.model = Waitlist(policy=policy, has_histories=False)
        self.ledger = Ledger(
            rate=(0, 1) if rate is None else (rate[0], rate[1] * 1000),
            counts_entered=counts == "entered",
            is_sum=combine == "sum",
            payers=policy.slots,
        )
        self.ledger.granted[RATE] -= self.ledger.slots(rate_from * 1000)
        self.sign_up()

    def step(self) -> None:
        (name,) = self.random.choices([*OPERATIONS], [*OPERATIONS.values()])
        getattr(self, name)()
        self.counts_agree()

    def sign_up(self) -> None:
        for _ in range(self.random.randint(1, 6)):
            self.names += 1
            name = f"{self.names:04d}"
            accepted(self.line.signup(name))
            self.model = model.joined(self.model, name, key="")

    def run_later(self) -> None:
        self.wait(self.random.choice([*MOMENTS, *(self.random.randint(1, 90_000_000),) * 4]))
        self.run()

    def be_idle(self) -> None:
        self.wait(300_000_000)

    def leave_a_border(self) -> None:
        """Avoid moments at which rounding decides how many offers are allowed. Redis and the model
        may round differently.
        """
        lag_micros = self.ledger.lag_micros + 1
        due, lag = self.ledger.due(RATE, self.model), self.ledger.slots(lag_micros)
        if floor(due) != floor(due - lag):
            self.wait(lag_micros)

    def wait(self, micros: int) -> None:
        self.line.clock.advance(micros=micros)
        self.ledger.granted[RATE] += self.ledger.slots(micros)
        self.model = model.rests_ended_by(self.model, self.now)
        for name in self.model.of("admitted"):
            if self.model.by_name[name].time_millis <= self.now:
                self.model = self.model.change(name, is_inside=False)
        self.end_offers()

    def reach_an_instant(self) -> None:
        self.let_an_instant_pass()
        if SCHEDULE in self.ledger.payers:
            self.run()

    def let_an_instant_pass(self) -> None:
        self.wait(self.random.randint(1000, 50_000_000))
        if SCHEDULE not in self.ledger.payers:
            return
        if self.instants and self.instants[-1][0] >= self.now:
            return
        # The next run of the policy makes the offers that the schedule allows at this time.
        self.instants.append((self.now, self.random.randint(1, 5)))

    def save_other_settings(self) -> None:
        self.version += 1
        self.line.init(
            version=self.version,
            schedule_version=self.schedule_version,
            scheduled_until=self.now,
            **self.settings,
        )

    def end_the_admission_soon(self) -> None:
        """Open offers end when admissions end."""
        until = self.now + self.random.choice([1, 29_000, 60_000])
        self.settings["until_millis"] = until
        self.save_other_settings()
        for name in self.model.of("offered"):
            if self.model.by_name[name].is_offer and self.model.by_name[name].time_millis > until:
                self.model = self.model.change(name, time_millis=until)

    def take_the_end_back(self) -> None:
        if self.settings.pop("until_millis", None):
            self.save_other_settings()

    @property
    def is_over(self) -> bool:
        return bool(self.now >= self.settings.get("until_millis", self.now + 1))

    def until_over(self, end: int) -> int:
        return int(min(end, self.settings.get("until_millis", end)))

    def change_the_schedule(self) -> None:
        """A new schedule does not inherit the offers that the old schedule still allowed. If an
        offer of the old schedule ends unused, the new schedule gets no slot back.
        """
        if SCHEDULE not in self.ledger.payers:
            return
        self.version += 1
        self.schedule_version = self.version
        self.line.init(
            version=self.version,
            schedule_version=self.version,
            schedule_since=self.now,
            **self.settings,
        )
        self.instants, self.counted = [], 0
        self.ledger.begin_schedule()
        for name in self.model.of("offered"):
            others = [one for one in self.model.by_name[name].paid.split(BOTH) if one != SCHEDULE]
            self.model = self.model.change(name, paid=BOTH.join(others))

    def restore_over_an_offer(self) -> None:
        """After a failover, Redis may have an offer that DynamoDB has not recorded. When
        maintenance restores the recorded state, this offer ends.
        """
        name = self.draw_offered()
        if name is None:
            return
        offered, attempts = self.line.position(name), self.model.by_name[name].attempts
        seen = {"state": "offered", "rank": offered["rank"]}
        place = {"rank": offered["rank"], "ticket": offered["ticket"], "attempts": attempts}
        restored = accepted(self.line.restore(name, **place, state="waiting", expected=seen))
        assert restored["outcome"] == "restored"
        self.comes_back(name, "place")

    def run(self) -> None:
        self.leave_a_border()
        for _, count in self.instants[self.counted :]:
            self.ledger.count_instant(count, self.model)
        self.counted = len(self.instants)
        answer = self.admit(
            settings_version=self.version,
            schedule_version=self.schedule_version,
            schedule_from=0,
            instants=self.instants,
            hours=self.hours(),
        )
        self.hold_to_what_is_due(answer)
        if len(answer["entries"]) < MOST_A_RUN:
            self.every_slot_is_used()

    def hours(self) -> list[tuple[int, int]]:
        if not self.has_hours:
            return []
        every, length = HOURS
        first = self.now // every * every
        begins = [first + number * every for number in range(3)]
        return [(one, one + length) for one in begins if one + length > self.now]

    @property
    def is_closed(self) -> bool:
        return self.has_hours and self.hours()[0][0] > self.now

    def end_of_offer(self, paid: str) -> int:
        """An offer's countdown pauses outside the opening hours."""
        seconds = self.ledger.quota_seconds if paid == self.ledger.quota else OFFER_SECONDS
        end, hours = self.now + seconds * 1000, self.hours()
        if hours and end > hours[0][1] and seconds < 86_400:
            end = min(end + hours[1][0] - hours[0][1], hours[1][1])
        return self.until_over(end)

    def end_offers(self) -> None:
        open_before = self.model.of("offered")
        self.model = model.expired_by(self.model, self.now)
        self.ledger.lag_micros += len(open_before) - len(self.model.of("offered"))

    def hold_to_what_is_due(self, answer: Answer, most: int = MOST_A_RUN) -> None:
        self.ledger.lag_micros += MOST_LAG_MICROS
        due = replace(self.model, slots=self.ledger.all_due(self.model))
        offers_none = self.is_closed or self.is_over
        expected = self.model if offers_none else model.policy_run(due, most, self.second)
        self.hold_to(answer, expected)
        self.ledger.leave_over(self.model)
        by_rate = self.ledger.due(RATE, self.model)
        if floor(by_rate) != floor(by_rate - self.ledger.slots(self.ledger.lag_micros + 1)):
            # The exact value depends on rounding, so the model copies it from Redis.
            kept = int(self.line.client.hget(keys.meta(self.line.waitlist_id), "left_over"))
            self.ledger.left_over = self.ledger.slots(kept)

    def hold_to(self, answer: Answer, expected: Waitlist, own_seconds: int | None = 0) -> None:
        """If an operator makes the offers, `own_seconds` can say how long they last."""
        by_hand = self.until_over(self.now + (own_seconds or OFFER_SECONDS) * 1000)
        tokens = {self.line.name_of(one["entry_id"]): one["token"] for one in answer["entries"]}
        before = self.model.of("offered")
        assert list(tokens) == [name for name in expected.of("offered") if name not in before]
        self.model = replace(expected, slots=())
        ends = [one["deadline_millis"] for one in answer["entries"]]
        for (name, token), end in zip(tokens.items(), ends, strict=True):
            paid = expected.by_name[name].paid
            assert end == (self.end_of_offer(paid) if own_seconds == 0 else by_hand)
            self.model = self.model.change(
                name, hold=token, time_millis=end, paid=self.ledger.offered(paid)
            )

    def every_slot_is_used(self) -> None:
        """If somebody is waiting and there is room inside, the policy makes every offer that is
        allowed.
        """
        ledger, line = self.ledger, self.model
        quota, *others = (
            max(0, floor(ledger.granted[one])) - ledger.taken(one, line)
            for one in (ledger.quota, *ledger.payers)
        )
        assert min(quota, *others, 0) == 0
        if line.next_ones() and line.room != 0 and not (self.is_closed or self.is_over):
            assert quota == 0
            left = sum(others) if ledger.is_sum else min(others, default=0)
            assert left == 0
            assert others or line.room is None

    def admit(self, **fields: Any) -> Answer:
        return accepted(self.line.send("admit", **fields))

    def admit_by_hand(self) -> None:
        ledger, count = self.ledger, self.random.randint(0, 3)
        if self.is_over and count:
            assert self.line.send("admit", count=count)["code"] == "admission_over"
            return
        refill, seconds = self.random.choice([True, False]), self.random.choice(OWN_SECONDS)
        if count == 0:
            ledger.quota = str(int(ledger.quota) + 1)
        elif refill:
            ledger.granted[ledger.quota] += count
            ledger.quota_seconds = seconds or OFFER_SECONDS
        room = self.model.room
        most = count if room is None else min(count, room)
        line = model.passed_over(self.model, most, self.second)
        names = line.next_ones(most)
        paid = (ledger.quota,) * len(names) if refill else ()
        answer = self.admit(count=count, refill=refill, offer_seconds=seconds)
        self.hold_to(answer, model.offered(line, names, "", model.OPERATOR, paid), seconds)

    def admit_one(self) -> None:
        name = self.draw(self.model.of(*ON_LIST))
        if name is None:
            return
        seconds = self.random.choice(OWN_SECONDS)
        answer = self.line.send("admit", entry_id=self.line.id_of(name), offer_seconds=seconds)
        if self.is_over:
            assert answer["code"] == "admission_over"
        elif name not in self.model.of("waiting"):
            assert answer["code"] == "not_waiting"
        elif not self.model.by_name[name].may_be_admitted:
            assert answer["code"] == "entry_not_ready"
        elif self.model.room == 0:
            assert answer["code"] == "inside_full"
        else:
            # Operators can make an offer even to a customer who has stopped polling.
            line = self.model.change(name, is_away=False)
            offered = model.offered(line, [name], "", model.OPERATOR)
            self.hold_to(accepted(answer), offered, seconds)

    def invite(self) -> None:
        page = self.line.list_waiting()
        if not page["ok"] or self.is_over:
            return
        tickets = {self.line.name_of(one["entry_id"]): one["ticket"] for one in page["entries"]}
        chosen = [name for name in self.model.of(*ON_LIST) if self.random.random() < 0.5]
        count, seconds = self.random.randint(1, 3), self.random.choice([45, 86_400])
        room = self.model.room
        may_be_invited = [name for name in self.model.next_ones() if name in chosen]
        names = may_be_invited[: count if room is None else min(count, room)]
        message = {
            "count": count,
            "invitees": [[self.line.id_of(name), tickets.get(name, 0)] for name in chosen],
            "invitation": f"{self.random.getrandbits(64):016x}",
            "offer_until_millis": self.now + seconds * 1000,
            "once_key": f"{self.random.getrandbits(128):032x}",
            "once_body": "b" * 32,
        }
        if not chosen:
            return
        answer = self.admit(**message)
        assert answer["taken"] == len(names)
        self.hold_to(answer, model.offered(self.model, names, "", model.OPERATOR), seconds)
        self.invited_tokens |= {one["token"] for one in answer["entries"]}
        self.copies.append({"op": "admit", **message})

    def draw(self, names: Iterable[str]) -> str | None:
        names = sorted(names)
        return self.random.choice(names) if names else None

    def draw_offered(self) -> str | None:
        return self.draw(filter(self.is_open, self.model.of("offered")))

    def is_open(self, name: str) -> bool:
        stay = self.model.by_name[name]
        return stay.state == "offered" and stay.time_millis > self.now

    def enter(self) -> None:
        name = self.draw([*self.model.of("offered"), *self.model.next_ones(1)])
        if name is None:
            return
        answer = self.line.send("enter", entry_id=self.line.id_of(name))
        if self.is_open(name):
            assert answer["outcome"] == "entered"
            self.ledger.used.update(self.model.by_name[name].paid.split(BOTH))
            self.model = model.ended(self.model, name, "admitted", model.CUSTOMER)
            self.model = self.model.change(name, time_millis=self.now + PASS_SECONDS * 1000)
        else:
            assert answer["code"] in ("not_offered", "offer_expired")

    def decline(self) -> None:
        name = self.draw_offered()
        if name is None:
            return
        policy, until = self.model.policy, self.model.by_name[name].time_millis
        keeps = policy.declines_kept if policy else 0
        self.send_with_copy(
            "decline",
            entry_id=self.line.id_of(name),
            offered_until_millis=until,
            to="place" if keeps else "back",
            at_most=keeps,
            pause_seconds=self.pause_seconds,
            declines=self.recorded_declines(name),
        )
        self.ledger.lag_micros += 1
        pause_until = self.now + self.pause_seconds * 1000 if self.pause_seconds else 0
        self.model = model.back_after_decline(self.model, name, pause_until)
        self.has_reasons |= keeps > 0 and self.pause_seconds > 0
        # Let some time pass, because two offers made within the same millisecond would end at the
        # same time.
        self.wait(1000)

    def recorded_declines(self, name: str) -> int:
        pending = keys.pending_decisions(self.line.waitlist_id)
        known = self.line.client.hget(pending, self.line.id_of(name)) or ""
        declines = self.model.by_name[name].declines
        return self.random.randint(0, declines) if "declined" in known else declines

    def comes_back(self, name: str, to: str, **changes: object) -> None:
        self.ledger.lag_micros += self.model.by_name[name].state == "offered"
        self.model = model.back_in_line(self.model, name, to, **changes)

    def release(self) -> None:
        to, delay_seconds = self.random.choice(["place", "back"]), self.random.choice([0, 0, 45])
        name = self.draw_offered()
        if name is None:
            return
        token = self.model.by_name[name].hold
        delay = {"to": to, "delay_seconds": delay_seconds}
        self.send_with_copy("release", entry_id=self.line.id_of(name), token=token, **delay)
        until = self.now + 1000 * delay_seconds if delay_seconds else 0
        self.has_reasons |= until > 0
        pause = {"delayed_until_millis": until, "delay_reason": "delayed"} if until else {}
        self.comes_back(name, to, **pause)

    def park(self) -> None:
        name = self.draw_offered()
        if name is None:
            return
        token = self.model.by_name[name].hold
        self.send_with_copy("park", entry_id=self.line.id_of(name), token=token)
        self.is_taken_off(name)

    def is_taken_off(self, name: str) -> None:
        self.ledger.lag_micros += 1
        self.model = model.given_back(self.model, name).change(name, state="parked")

    def redrive(self) -> None:
        name, to = self.draw(self.model.of("parked")), self.random.choice(["place", "back"])
        if name is None:
            return
        accepted(self.line.send("redrive", entry_id=self.line.id_of(name), to=to))
        self.comes_back(name, to, attempts=0)

    def end_a_stay(self) -> None:
        name = self.draw(self.model.of(*ON_LIST))
        if name is not None:
            self.send_with_copy(self.random.choice(["leave", "drop"]), **self.line.stay(name))
            self.take_out(name)

    def erase(self) -> None:
        name = self.draw([*self.model.of(*ON_LIST), *self.not_exited()])
        if name is not None:
            self.send_with_copy("drop", **self.line.stay(name), is_erased=True)
            self.take_out(name)

    def take_out(self, name: str) -> None:
        self.ledger.lag_micros += self.model.by_name[name].state == "offered"
        self.model = self.model.erase(name)

    def not_exited(self) -> list[str]:
        found = self.model.of("admitted")
        return [name for name in found if not self.model.by_name[name].has_exited]

    def change_readiness(self) -> None:
        name = self.draw(self.model.of(*ON_LIST))
        if name is None:
            return
        rests = self.random.choice([0, 0, *MOMENTS]) // 1000
        until, is_held_back = self.now + rests if rests else 0, self.random.random() < 0.3
        is_unverified = self.random.random() < 0.1
        reasons = {"resting": until} if rests else {}
        reasons |= {"held_back": 0} if is_held_back else {}
        reasons |= {"unverified": 0} if is_unverified else {}
        self.readiness_version += 1
        self.has_reasons = True
        accepted(self.line.readiness(name, self.readiness_version, **reasons))
        self.model = self.model.change(
            name,
            rests_until_millis=until,
            is_held_back=is_held_back,
            is_unverified=is_unverified,
        )

    def look(self) -> None:
        name = self.draw(self.model.of("waiting"))
        if name is None:
            return
        self.sees(name, accepted(self.line.position(name)))

    def poll(self) -> None:
        name = self.draw(self.model.of("waiting", "offered"))
        if name is None:
            return
        seen = accepted(self.line.position(name, is_poll=True))
        self.model = model.polled(self.model, name, self.second)
        if name in self.model.of("waiting"):
            self.sees(name, seen)

    def sees(self, name: str, seen: Answer) -> None:
        line = self.model.of("waiting")
        ahead, stay = line[: line.index(name)], self.model.by_name[name]
        assert self.model.position(name) == seen["position"]
        if not self.has_reasons and not any(one.is_away for _, one in self.model.stays):
            assert seen["ready_ahead"] in (None, len(ahead))
        else:
            assert seen["ready_ahead"] == sum(self.model.by_name[one].is_ready for one in ahead)
        reasons = {
            "resting": stay.rests_until_millis > 0,
            stay.delay_reason: stay.delayed_until_millis > 0,
            "held_back": stay.is_held_back,
            "unverified": stay.is_unverified,
            "away": stay.is_away,
        }
        assert {one["reason"] for one in seen["not_ready"]} == {
            reason for reason, is_given in reasons.items() if is_given
        }

    def withdraw(self) -> None:
        name = self.draw_offered()
        if name is None:
            return
        self.leave_a_border()
        if not self.is_open(name):
            return
        until = self.model.by_name[name].time_millis
        answer = self.send_with_copy(
            "withdraw",
            entry_id=self.line.id_of(name),
            offered_until_millis=until,
            hours=self.hours(),
        )
        # The next entry gets its offer before the withdrawn offer's entry returns to the queue.
        self.is_taken_off(name)
        self.hold_to_what_is_due(answer, most=1)
        self.comes_back(name, "place")
        # Let some time pass, because two offers made within the same millisecond would end at the
        # same time.
        self.wait(1000)

    def send_with_copy(self, op: str, **fields: Any) -> Answer:
        self.copies.append({"op": op, **fields})
        return accepted(self.line.send(op, **fields))

    def deliver_a_copy(self) -> None:
        """Deliver an earlier message a second time, which changes nothing."""
        if not self.copies:
            return
        answer = self.line.send(**self.random.choice(self.copies))
        if answer["ok"]:
            assert answer["outcome"] in ("absent", "repeat")
            assert {one["token"] for one in answer.get("entries", ())} <= self.invited_tokens

    def exit(self) -> None:
        name = self.draw(self.not_exited())
        if name is None:
            return
        outcome = accepted(self.line.send("exit", entry_id=self.line.id_of(name)))["outcome"]
        assert outcome == "exited" or not self.model.by_name[name].is_inside
        self.model = self.model.change(name, is_inside=False, has_exited=True)

    def counts_agree(self) -> None:
        line, stats = self.model, self.line.stats()
        if not stats["ok"]:
            return
        assert stats["inside"] == sum(stay.is_inside for _, stay in line.stays)
        counted = ("admitted", "entered", "no_shows")
        assert [stats["counters"][one] for one in counted] == [
            getattr(line, one) for one in counted
        ]
        assert stats["waiting"] + stats["offered"] == len(line.of("waiting", "offered"))
        assert stats["parked"] == len(line.of("parked"))
        waiting = [line.by_name[name] for name in line.of("waiting")]
        assert stats["not_ready"] == sum(not stay.is_ready for stay in waiting)
        assert stats["away"] == sum(stay.is_away for stay in waiting)
        quota = self.ledger.quota
        assert stats["quota"] == self.ledger.granted[quota] - self.ledger.used[quota]


@pytest.mark.parametrize(
    ("engine", "seed"), [(engine, seed) for engine, seeds in HISTORIES.items() for seed in seeds]
)
def test_a_policy_offers_what_is_due_to_the_first_entries(
    request: pytest.FixtureRequest, engine: str, seed: int
) -> None:
    # This fixture empties the Redis server.
    request.getfixturevalue(engine)
    client = request.getfixturevalue(f"{engine}_client")
    history = AdmissionHistory(seed, Line(client))
    for _ in range(STEPS):
        history.step()
