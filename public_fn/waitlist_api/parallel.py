"""Process many items in parallel threads, each of which mostly waits for responses from AWS."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

WORKERS = 8

T = TypeVar("T")
R = TypeVar("R")


def run_all(work: Callable[[T], R], items: Iterable[T], workers: int = WORKERS) -> list[R]:
    """Process all items in parallel, and return the results in the order of the items.

    If an item fails, the other items are still processed before the first error is raised.
    """
    todo = list(items)
    if len(todo) <= 1:
        return [work(item) for item in todo]
    with ThreadPoolExecutor(max_workers=min(workers, len(todo))) as pool:
        futures = [pool.submit(work, item) for item in todo]
    return [future.result() for future in futures]
