"""Measure the size of the board and the time to build it, compared with a poll. The board is a
public snapshot of all positions.

The benchmark also measures whether polls become slower when the queue grows.
"""

import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from time import perf_counter

import brotli
from redis import Redis

from tools.bench.queue_client import Handler, Line, check
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target
from waitlist_queue import keys

Advance = Callable[[], object]
Queue = tuple[Line, Sequence[str]]
LOOKS = 20  # Number of polls in one measurement.


def board_rows(handler: Handler, bare: Redis, sizes: Sizes, advance: Advance) -> Iterator[Row]:
    """Measure the board for queues of several lengths, and compare polls of each queue with polls
    of the shortest queue.
    """
    smallest: Queue | None = None
    for waiting in sizes.boards:
        line = Line(handler, f"board-{waiting}")
        members = line.newcomers(waiting)
        line.fill(bare, members)
        queue = (line, members)
        smallest = smallest or queue
        ask = partial(handler.ask, line.message("board"))
        key = keys.board(line.waitlist_id)
        built, answered, looked = [], [], []
        for _ in range(sizes.board_rounds):
            bare.delete(key)
            built.append(_timed(ask))
            answered.append(_timed(ask))
            looked.append(_timed(partial(handler.ask, line.position(random.choice(members)))))
        answer = ask()
        check([answer], "board")
        text = json.dumps(_public(json.loads(answer)), separators=(",", ":")).encode()
        size = f"{len(text):,} B, gzip {len(gzip.compress(text)):,} B, "
        size += f"Brotli {len(brotli.compress(text, quality=5)):,} B"
        name = f"board of {waiting:,}"
        look_ms = median(looked)
        yield _beside_look(f"{name}, made", median(built), look_ms, size)
        yield _beside_look(f"{name}, answered again", median(answered), look_ms, size)
        if queue is not smallest:
            yield _looks(handler, queue, smallest, sizes.board_rounds)
            bare.delete(line.queue_key)
        advance()


def _looks(handler: Handler, queue: Queue, smallest: Queue, rounds: int) -> Row:
    """Compare polls of one queue with polls of another queue. The polls alternate between the two
    queues.
    """
    costs = [
        [_timed(partial(_look, handler, *polled)) / LOOKS for polled in (queue, smallest)]
        for _ in range(rounds)
    ]
    ours, baseline = (median(each) for each in zip(*costs, strict=True))
    return Row(
        name=f"position, {len(queue[1]):,} waiting",
        beside=f"position, {len(smallest[1]):,} waiting",
        ratio=median(longer / shorter for longer, shorter in costs),
        spread=None,
        ours=f"{ours:.3f} ms",
        baseline=f"{baseline:.3f} ms",
        target=Target("≤", 1.2),
    )


def _look(handler: Handler, line: Line, members: Sequence[str]) -> None:
    answers = [handler.ask(line.position(random.choice(members))) for _ in range(LOOKS)]
    check(answers, "waiting")


def _public(answer: dict[str, object]) -> dict[str, object]:
    """Return the board in the form in which the public function sends it."""
    cuts = json.loads(str(answer["cuts"]))
    as_of = "2026-11-22T09:30:00.000Z"
    return {"as_of": as_of, "total": answer["total"], "line": answer["line"], "cuts": cuts}


def _timed(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return (perf_counter() - start) * 1000


def _beside_look(name: str, ours: float, look: float, size: str) -> Row:
    return Row(name, "a poll", ours / look, None, f"{ours:.2f} ms; {size}", f"{look:.2f} ms", None)
