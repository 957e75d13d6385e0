"""Work on many, of whom one that fails is left for the next run of maintenance."""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from waitlist_api.records.places import Placed
from waitlist_shared.errors import WaitlistError

logger = logging.getLogger(__name__)

WORKERS = 8

T = TypeVar("T")


def run_each(work: Callable[[Placed], None], page: Iterable[Placed]) -> None:
    """Do a page's work in parallel; whoever fails is left for the next run."""
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        list(pool.map(lambda placed: run_isolated(work, placed), page))


def run_isolated(work: Callable[[T], None], subject: T) -> None:
    """Do one's work, unless it is refused."""
    try:
        work(subject)
    except WaitlistError as error:
        logger.warning("left for the next run: %s: %s", error.code, error.message)
