"""Runs jobs, in this process or in several, each with a Redis of its own."""

import logging
import multiprocessing
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import Empty
from typing import Any

from proof.cases import Result
from proof.jobs import Job
from proof.small_world import SMALL_IMPORTS, small_world
from proof.stage import Stage
from tests.support.redis_servers import running_server

AT_ONCE = 50
LOOK_SECONDS = 1.0
Results = tuple[bool, list[Result]]


@contextmanager
def a_stage() -> Iterator[Stage]:
    """Yield a stage on a server of its own."""
    logging.disable(logging.CRITICAL)
    try:
        with running_server() as server, small_world(**SMALL_IMPORTS):
            yield Stage(server.url)
    finally:
        logging.disable(logging.NOTSET)


def results_of(jobs: Sequence[Job], workers: int) -> Iterator[Results]:
    """Yield results as they come, some at a time, and whether a job has ended with them."""
    if workers == 1:
        with a_stage() as stage:
            for job in jobs:
                yield from _in_parts(job, stage)
        return
    yield from _in_processes(jobs, workers)


def _in_parts(job: Job, stage: Stage) -> Iterator[Results]:
    part: list[Result] = []
    for result in job.results(stage):
        part.append(result)
        if len(part) == AT_ONCE:
            yield False, part
            part = []
    yield True, part


def _in_processes(jobs: Sequence[Job], workers: int) -> Iterator[Results]:
    context = multiprocessing.get_context("spawn")
    todo, done = context.Queue(), context.Queue()
    for job in [*jobs, *[None] * workers]:
        todo.put(job)
    # Daemons: they end with this process, also where that fails.
    processes = [
        context.Process(target=_work, args=(todo, done), daemon=True) for _ in range(workers)
    ]
    for process in processes:
        process.start()
    left = len(jobs)
    while left:
        try:
            is_end, part = done.get(timeout=LOOK_SECONDS)
        except Empty:
            assert all(process.exitcode in (None, 0) for process in processes), "a worker died"
            continue
        left -= is_end
        yield is_end, part
    for process in processes:
        process.join()


def _work(todo: Any, done: Any) -> None:
    with a_stage() as stage:
        for job in iter(todo.get, None):
            for part in _in_parts(job, stage):
                done.put(part)
