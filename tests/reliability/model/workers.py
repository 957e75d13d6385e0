"""Runs the model checker's jobs in this process or in several processes. Each process has its own
Redis server.
"""

import logging
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import Empty
from typing import Any

from tests.reliability.model.determinism import OF_A_CASE, deterministic
from tests.reliability.model.jobs import Job
from tests.reliability.model.record import Done
from tests.reliability.model.testbed import Testbed
from tests.support.redis_servers import running_server

LOOK_SECONDS = 1.0


@contextmanager
def a_testbed() -> Iterator[Testbed]:
    logging.disable(logging.CRITICAL)
    try:
        with running_server() as server, deterministic(**OF_A_CASE):
            yield Testbed(server.url)
    finally:
        logging.disable(logging.NOTSET)


def results_of(jobs: Sequence[Job], workers: int) -> Iterator[Done]:
    if workers == 1:
        with a_testbed() as testbed:
            for job in jobs:
                yield _done(job, testbed)
        return
    yield from _in_processes(jobs, workers)


def _done(job: Job, testbed: Testbed) -> Done:
    began, cases, failing = time.process_time(), 0, []
    for result in job.results(testbed):
        cases += 1
        if result.problems:
            failing.append(result)
    return Done(job, cases, tuple(failing), time.process_time() - began)


def _in_processes(jobs: Sequence[Job], workers: int) -> Iterator[Done]:
    context = multiprocessing.get_context("spawn")
    todo, done = context.Queue(), context.Queue()
    for job in [*jobs, *[None] * workers]:
        todo.put(job)
    # The workers are daemon processes, so they end together with this process even if it fails.
    processes = [
        context.Process(target=_work, args=(todo, done), daemon=True) for _ in range(workers)
    ]
    for process in processes:
        process.start()
    left = len(jobs)
    while left:
        try:
            yield done.get(timeout=LOOK_SECONDS)
        except Empty:
            assert all(process.exitcode in (None, 0) for process in processes), "a worker died"
            continue
        left -= 1
    for process in processes:
        process.join()


def _work(todo: Any, done: Any) -> None:
    try:
        with a_testbed() as testbed:
            for job in iter(todo.get, None):
                done.put(_done(job, testbed))
                # A killed parent process cannot end its workers, so a worker exits when its parent
                # process has disappeared.
                if not _parent_lives():
                    return
    except KeyboardInterrupt:
        # Ctrl-C in the terminal interrupts every process of the run. Workers exit silently, because
        # the parent process reports the interruption.
        return


def _parent_lives() -> bool:
    parent = multiprocessing.parent_process()
    return parent is not None and parent.is_alive()
