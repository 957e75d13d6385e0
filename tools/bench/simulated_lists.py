"""Simulated waitlists for testing estimated waits.

The simulation knows the real waits.
"""

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from waitlist_api.estimates.pace import Estimate, Pace
from waitlist_api.estimates.select_pace import Policy, pace_of
from waitlist_api.records.samples import Sample

MINUTE, HOUR, DAY = 60, 3600, 86_400
# The maximum numbers of minute samples and hour samples that maintenance reads.
MINUTES_READ, HOURS_READ = 3 * 60, 28 * 24
# A midnight in UTC, in seconds since 1970.
START = 1_780_272_000

# Returns how many people are served now, given the time and the number of people waiting.
Service = Callable[[int, int], int]
Instants = Callable[[int], list[tuple[float, int]]]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A simulated waitlist. Times are in seconds, and rates are in people per second.

    `waiting` is the number of people waiting at the start, and `leaving` is the rate at which each
    of them leaves. From `warm_up` to `seconds`, people poll their positions, on average every
    `look_every` seconds.
    """

    name: str
    service: Callable[[random.Random], Service]
    joining: float
    waiting: int
    seconds: int
    leaving: float = 0.0
    warm_up: int = HOUR
    look_every: int = MINUTE
    step: int = 5
    policy: Policy | None = None
    # Returns the number of people inside, which is part of the samples if there is a policy.
    inside: Callable[[Service], int] = lambda _: 0
    instants: Instants | None = None


@dataclass(frozen=True, kw_only=True)
class Look:
    """A customer's poll: the estimate, two simpler guesses, and the real wait."""

    seconds: int
    position: int
    estimate: Estimate | None
    by_last_hour: float | None
    by_last_served: float | None
    real: int


@dataclass(slots=True)
class _Person:
    joined: int
    leaves: float
    served: int | None = None
    has_left: bool = False


@dataclass
class Simulation:
    """A simulation whose random numbers are all determined by the seed."""

    scenario: Scenario
    seed: int
    _line: deque[_Person] = field(default_factory=deque)
    _minutes: deque[Sample] = field(default_factory=lambda: deque(maxlen=MINUTES_READ))
    _hours: deque[Sample] = field(default_factory=lambda: deque(maxlen=HOURS_READ))
    _served: deque[int] = field(default_factory=deque)
    _joined: int = 0
    _admitted: int = 0
    _left: int = 0
    _last_wait: tuple[int, int] | None = None
    _pace: Pace | None = None

    def looks(self) -> list[Look]:
        """Simulate until everyone who polled has been served or has left.

        Return the polls of the people who were served.
        """
        scenario, chance = self.scenario, random.Random(f"{self.scenario.name} {self.seed}")
        service = scenario.service(chance)
        asked: list[tuple[_Person, int, int, Estimate | None, float | None, float | None]] = []
        for _ in range(scenario.waiting):
            self._join(chance, 0)
        next_join = chance.expovariate(scenario.joining)
        pending: list[_Person] = []
        for now in range(0, 4 * scenario.seconds, scenario.step):
            while next_join <= now:
                self._join(chance, now)
                next_join += chance.expovariate(scenario.joining)
            self._leave(now)
            self._serve(now, service(now, len(self._line)))
            if now % MINUTE == 0:
                self._sample(now, scenario.inside(service))
            if now > scenario.seconds:
                pending = [
                    person for person in pending if not person.has_left and person.served is None
                ]
                if not pending:
                    break
            elif now > scenario.warm_up and chance.random() < scenario.step / scenario.look_every:
                looks = list(self._asked(chance, now))
                asked += looks
                pending += [look[0] for look in looks]
        if pending:
            raise RuntimeError(f"{scenario.name}: {len(pending)} people are never served")
        return [
            Look(
                seconds=now,
                position=position,
                estimate=estimate,
                by_last_hour=by_hour,
                by_last_served=by_served,
                real=person.served - now,
            )
            for person, now, position, estimate, by_hour, by_served in asked
            if person.served is not None
        ]

    def _join(self, chance: random.Random, now: int) -> None:
        leaving = self.scenario.leaving
        patience = chance.expovariate(leaving) if leaving else float("inf")
        self._line.append(_Person(now, now + patience))
        self._joined += 1

    def _leave(self, now: int) -> None:
        if not self.scenario.leaving:
            return
        for person in [waiting for waiting in self._line if waiting.leaves <= now]:
            person.has_left = True
            self._left += 1
        self._line = deque(person for person in self._line if not person.has_left)

    def _serve(self, now: int, count: int) -> None:
        for _ in range(count):
            person = self._line.popleft()
            person.served = now
            self._last_wait = (now - person.joined, now)
            self._served.append(now)
            self._admitted += 1

    def _sample(self, now: int, inside: int) -> None:
        sample = Sample(
            millis=(START + now) * 1000,
            joined=self._joined,
            admitted=self._admitted,
            left=self._left,
            waiting=len(self._line),
            inside=inside,
        )
        self._minutes.append(sample)
        if now % HOUR == 0:
            self._hours.append(sample)
        self._pace = None

    def _asked(
        self, chance: random.Random, now: int
    ) -> Iterator[tuple[_Person, int, int, Estimate | None, float | None, float | None]]:
        """Poll as the customer who joined last, and as a random customer."""
        if not self._line:
            return
        pace = self._pace_now()
        for position in (len(self._line), chance.randint(1, len(self._line))):
            person = self._line[position - 1]
            yield (
                person,
                now,
                position,
                pace.estimate(position, START + now) if pace else None,
                self._by_last_hour(now, position),
                self._by_last_served(now, person),
            )

    def _pace_now(self) -> Pace | None:
        if self._pace is None:
            policy, newest = self.scenario.policy, self._minutes[-1]
            if self.scenario.instants is not None:
                instants = self.scenario.instants(newest.millis // 1000)
                policy = Policy(instants=instants)
            hours = [hour for hour in self._hours if hour is not newest]
            self._pace = pace_of(list(self._minutes), [*hours, newest], policy)
        return self._pace

    def _by_last_hour(self, now: int, position: int) -> float | None:
        """Guess the wait from the number of people served in the last hour."""
        while self._served and self._served[0] <= now - HOUR:
            self._served.popleft()
        return position * HOUR / len(self._served) if self._served else None

    def _by_last_served(self, now: int, person: _Person) -> float | None:
        """Guess that the customer will wait as long as the person who was served last, and subtract
        the time that they have already waited.
        """
        if self._last_wait is None:
            return None
        return max(0.0, self._last_wait[0] - (now - person.joined))


def steady(per_second: float) -> Callable[[random.Random], Service]:
    """Serve people at a constant rate. Unused capacity is lost."""

    def begin(chance: random.Random) -> Service:
        due, last = chance.random(), 0

        def take(now: int, waiting: int) -> int:
            nonlocal due, last
            due, last = due + per_second * (now - last), now
            taken = min(waiting, int(due))
            due = min(due - taken, 1.0)
            return taken

        return take

    return begin


def at_random(per_second: Callable[[int], float]) -> Callable[[random.Random], Service]:
    """Serve people at independent random times (a Poisson process)."""

    def begin(chance: random.Random) -> Service:
        due, last = chance.expovariate(1), 0

        def take(now: int, waiting: int) -> int:
            nonlocal due, last
            due, last = due - per_second(now) * (now - last), now
            taken = 0
            while due <= 0:
                due += chance.expovariate(1)
                taken += 1
            return min(taken, waiting)

        return take

    return begin


def rooms(count: int, mean_stay: float) -> Callable[[random.Random], Service]:
    """Simulate an M/M/c queue: `count` rooms in which people stay for random times."""

    def begin(chance: random.Random) -> Service:
        ends: list[float] = []

        def take(now: int, waiting: int) -> int:
            while ends and ends[0] <= now:
                heapq.heappop(ends)
            taken = min(waiting, count - len(ends))
            for _ in range(taken):
                heapq.heappush(ends, now + chance.expovariate(1 / mean_stay))
            return taken

        return take

    return begin


@dataclass
class Launch:
    """Admit people at a fixed rate while at most `room` people are inside.

    Each person stays inside for the time that `stay` returns.
    """

    chance: random.Random
    per_second: float
    room: int
    stay: Callable[[random.Random], float]
    ends: list[float] = field(default_factory=list)
    _due: float = 0.0
    _last: int = 0

    def __call__(self, now: int, waiting: int) -> int:
        while self.ends and self.ends[0] <= now:
            heapq.heappop(self.ends)
        # As in the real service, unused admissions are saved up, but never more than the rate
        # allows in a minute.
        most = max(1.0, self.per_second * MINUTE)
        self._due = min(most, self._due + self.per_second * (now - self._last))
        self._last = now
        taken = min(waiting, self.room - len(self.ends), int(self._due))
        self._due -= taken
        for _ in range(taken):
            heapq.heappush(self.ends, now + self.stay(self.chance))
        return taken


def launch(
    policy: Policy, stay: Callable[[random.Random], float]
) -> Callable[[random.Random], Service]:
    rate, room = policy.rate or 0.0, policy.max_inside or 0
    return lambda chance: Launch(chance, rate, room, stay)


def inside_of(service: Service) -> int:
    return len(service.ends) if isinstance(service, Launch) else 0


def bursts(
    every: int, size: int, jitter: int, first: int = 0, *, varying: float = 0.2
) -> Callable[[random.Random], Service]:
    """Serve a group of people at regular times, up to `jitter` seconds early or late."""

    def begin(chance: random.Random) -> Service:
        number, due = 0, first + chance.uniform(0, jitter)

        def take(now: int, waiting: int) -> int:
            nonlocal number, due
            if now < due:
                return 0
            number += 1
            due = max(now + 1, first + number * every + chance.uniform(-jitter, jitter))
            return min(waiting, round(size * chance.uniform(1 - varying, 1 + varying)))

        return take

    return begin
