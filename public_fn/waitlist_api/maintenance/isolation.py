"""Process many items, even if some fail.

The next maintenance run retries the failed items.
"""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from waitlist_api.parallel import run_all
from waitlist_shared.errors import WaitlistError

logger = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")


def run_each(work: Callable[[T], R], page: Iterable[T]) -> list[R | None]:
    """Process all items in parallel.

    If an item fails, log the error and return None for the item.
    """
    return run_all(lambda subject: run_isolated(work, subject), page)


def run_isolated(work: Callable[[T], R], subject: T) -> R | None:
    """Process an item. If processing raises a WaitlistError, log the error and return None."""
    try:
        return work(subject)
    except WaitlistError as error:
        logger.warning("left for the next run: %s: %s", error.code, error.message)
        return None
