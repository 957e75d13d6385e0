"""Phones that follow the board for an hour: requests, and how true the shown positions are.

The retired Virtual Waiting Room on AWS gave each customer a number and published the number that
is being served: a page showed the difference. Customers who left stayed in that difference.
"""

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from tools.bench.board_rule import Cuts, bounds
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target

BOARD_EVERY, POLL_EVERY, OWN_LOOK_EVERY, HOUR = 5, 20, 300, 3600  # seconds
NEAR = 200  # the first look at their own entries, every five seconds
NEAR_LOOK_EVERY = 5
# A cache answers a board that is up to so old: five seconds, and one that it still fetches.
OLDEST = 2 * BOARD_EVERY
LEAVING, ADMITTED = 0.2, 0.2  # parts of the queue, in the hour
WITHIN = 0.01
Advance = Callable[[], object]


class Counts:
    """Who still waits, by number: counts of those ahead, in logarithmic time (a Fenwick tree)."""

    def __init__(self, size: int) -> None:
        self._tree = [number & -number for number in range(size + 1)]
        self.total = size

    def remove(self, number: int) -> None:
        self.total -= 1
        while number < len(self._tree):
            self._tree[number] -= 1
            number += number & -number

    def up_to(self, number: int) -> int:
        """Return how many of the numbers 1 to `number` still wait."""
        found = 0
        while number > 0:
            found += self._tree[number]
            number -= number & -number
        return found

    def at(self, position: int) -> int:
        """Return the number of the entry at a position."""
        number, step = 0, 1 << (len(self._tree) - 1).bit_length()
        while step:
            if number + step < len(self._tree) and self._tree[number + step] < position:
                number += step
                position -= self._tree[number]
            step >>= 1
        return number + 1


@dataclass
class Shown:
    """How far shown positions were off, as parts of the true one."""

    errors: list[float] = field(default_factory=list)

    def add(self, shown: int, true: int) -> None:
        self.errors.append(abs(shown - true) / true)

    @property
    def within(self) -> float:
        return sum(error <= WITHIN for error in self.errors) / len(self.errors)


def phone_rows(sizes: Sizes, advance: Advance) -> list[Row]:
    """Simulate an hour of a queue: all phones poll, a fifth is admitted, a fifth leaves."""
    chance = random.Random(17)
    phones, ticks = sizes.phones, HOUR // BOARD_EVERY
    waiting = Counts(phones)
    leaving = chance.sample(range(1, phones + 1), round(phones * LEAVING))
    gone = bytearray(phones + 1)
    board, theirs, seen, theirs_seen = Shown(), Shown(), Shown(), Shown()
    boards: list[Cuts] = []
    on_the_way: deque[list[tuple[int, int, int]]] = deque()
    edge = looks = serving = 0
    for tick in range(ticks):
        for number in leaving[len(leaving) * tick // ticks : len(leaving) * (tick + 1) // ticks]:
            if not gone[number]:
                gone[number] = 1
                waiting.remove(number)
        for _ in range(min(round(phones * ADMITTED / ticks), waiting.total)):
            serving = waiting.at(1)
            gone[serving] = 1
            waiting.remove(serving)
        boards.append(cuts_of(waiting))
        near = min(max(NEAR, _moved(boards, phones)), waiting.total)
        far = waiting.total - near
        looks += round(BOARD_EVERY * (near / NEAR_LOOK_EVERY + far / OWN_LOOK_EVERY))
        edge += round(BOARD_EVERY * far / POLL_EVERY)
        sampled = chance.sample(range(1, phones + 1), sizes.phones_sampled)
        read = [(one, shown_on(boards[-1], one), one - serving) for one in sampled if not gone[one]]
        # In both schemes the phones near the head ask the service for their own entries.
        read = [one for one in read if one[1] > near]
        for number, shown, difference in read:
            true = waiting.up_to(number)
            board.add(shown, true)
            theirs.add(difference, true)
        on_the_way.append(read)
        if len(on_the_way) > OLDEST // BOARD_EVERY:
            for number, shown, difference in on_the_way.popleft():
                if not gone[number]:
                    seen.add(shown, waiting.up_to(number))
                    theirs_seen.add(difference, waiting.up_to(number))
        advance()
    service = looks + ticks
    name = f"{phones:,} phones"
    return [
        _row(f"{name}, within 1% at as_of", board, theirs, Target("≥", 0.99)),
        _row(f"{name}, within 1% when seen {OLDEST} s later", seen, theirs_seen, None),
        Row(
            f"{name}, requests to the service in an hour",
            "to the edge",
            service / (edge + looks),
            None,
            f"{service:,}: {looks:,} looks, {ticks:,} boards",
            f"{edge + looks:,}",
            None,
        ),
    ]


def _row(name: str, ours: Shown, theirs: Shown, target: Target | None) -> Row:
    """Return the share of positions that were within 1%, and that of the scheme beside."""
    return Row(
        name,
        "number minus serving",
        ours.within,
        None,
        f"{ours.within:.1%}, worst {max(ours.errors):.1%}",
        f"{theirs.within:.1%}, worst {max(theirs.errors):.1%}",
        target,
    )


def _moved(boards: list[Cuts], number: int) -> int:
    """Return three times what the last phone moved between two of its polls.

    A page that would be at the head within three polls looks at its own entry.
    """
    before = boards[max(0, len(boards) - 1 - POLL_EVERY // BOARD_EVERY)]
    return 3 * max(0, shown_on(before, number) - shown_on(boards[-1], number))


def cuts_of(waiting: Counts) -> Cuts:
    """Return the cuts of a board: number and position, as board.lua chooses them."""
    positions = list(range(1, min(NEAR, waiting.total) + 1))
    position = len(positions)
    while position < waiting.total:
        position = min(int(position * (1 + WITHIN)), waiting.total)
        positions.append(position)
    return [(waiting.at(position), position) for position in positions]


def shown_on(cuts: Cuts, number: int) -> int:
    """Return the position that a page shows: the highest that the board leaves possible."""
    return bounds(cuts, cuts[-1][1], number)[1]
