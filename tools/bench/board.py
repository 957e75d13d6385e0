"""Measure the board, which is a public snapshot of all positions: how large it is, and how long it
takes to build, compared with a poll of one position.
"""

import gzip
import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import perf_counter

import brotli
from redis import Redis

from tools.bench.queue_client import Handler, Line, check
from tools.bench.sizes import Sizes
from tools.bench.targets import Row
from waitlist_queue import keys

Advance = Callable[[], object]


def board_rows(handler: Handler, bare: Redis, sizes: Sizes, advance: Advance) -> Iterator[Row]:
    for waiting in sizes.boards:
        line = Line(handler, f"board-{waiting}")
        members = line.newcomers(waiting)
        line.fill(bare, members)
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
        advance()


def _public(answer: dict[str, object]) -> dict[str, object]:
    cuts = json.loads(str(answer["cuts"]))
    as_of = "2026-11-22T09:30:00.000Z"
    return {"as_of": as_of, "total": answer["total"], "line": answer["line"], "cuts": cuts}


def _timed(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return (perf_counter() - start) * 1000


def _beside_look(name: str, ours: float, look: float, size: str) -> Row:
    return Row(name, "a poll", ours / look, None, f"{ours:.2f} ms; {size}", f"{look:.2f} ms", None)
