"""Runs functions in many threads at once, or a thread pool's tasks one after the other."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

Act = Callable[[], Any]


def at_once(acts: Sequence[Act]) -> list[Any]:
    barrier = threading.Barrier(len(acts))

    def run(act: Act) -> Any:
        barrier.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


class InOrder(Executor):
    """An executor that runs each task in the caller's thread, so that tasks always run in the same
    order.
    """

    def __init__(self, max_workers: int | None = None) -> None:
        del max_workers

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(work(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 -- a future keeps every error
            done.set_exception(error)
        return done


@contextmanager
def real_threads() -> Iterator[None]:
    """Let the public function use a real thread pool, as it does in Lambda."""
    with patch("waitlist_api.parallel.ThreadPoolExecutor", ThreadPoolExecutor):
        yield
