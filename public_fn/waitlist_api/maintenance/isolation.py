"""Runs work on many subjects; a failed one is left to the next maintenance run."""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from waitlist_api.records.places import IndexRow
from waitlist_shared.errors import WaitlistError

logger = logging.getLogger(__name__)

WORKERS = 8

T = TypeVar("T")


def run_each(work: Callable[[IndexRow], None], page: Iterable[IndexRow]) -> None:
    """Run work on each entry of a page, in parallel and isolated from each other."""
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        list(pool.map(lambda placed: run_isolated(work, placed), page))


def run_isolated(work: Callable[[T], None], subject: T) -> None:
    """Run work; log a WaitlistError, and leave the rest to the next run."""
    try:
        work(subject)
    except WaitlistError as error:
        logger.warning("left for the next run: %s: %s", error.code, error.message)
