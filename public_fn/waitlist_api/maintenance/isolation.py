"""Runs work on many subjects; a failed one is left to the next maintenance run.

Work on waitlists is isolated: the failure of one is logged, and the run notes that this waitlist is
unfinished (`records.checkpoint`). Work on the entries of a waitlist is not: the failure of one does
not stop the others, but the caller gets it, and with it the waitlist fails.
"""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from waitlist_shared.errors import WaitlistError

logger = logging.getLogger(__name__)

WORKERS = 8

T = TypeVar("T")
R = TypeVar("R")


def run_each(work: Callable[[T], R], page: Iterable[T]) -> list[R | None]:
    """Run work on each subject of a page, in parallel and isolated from each other."""
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        return list(pool.map(lambda one: run_isolated(work, one), page))


def run_all(work: Callable[[T], R], page: Iterable[T]) -> list[R]:
    """Run work on each subject of a page, in parallel; then raise the first failure."""
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        futures = [pool.submit(work, subject) for subject in page]
    return [future.result() for future in futures]


def run_isolated(work: Callable[[T], R], subject: T) -> R | None:
    """Run work and return its result; log a WaitlistError, and leave the rest to the next run."""
    try:
        return work(subject)
    except WaitlistError as error:
        logger.warning("left for the next run: %s: %s", error.code, error.message)
        return None
