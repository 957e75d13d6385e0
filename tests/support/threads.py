"""Runs functions in many threads at the same time."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

Act = Callable[[], Any]


def at_once(acts: Sequence[Act]) -> list[Any]:
    """Run each function in its own thread.

    No thread calls its function before all threads have started.
    """
    barrier = threading.Barrier(len(acts))

    def run(act: Act) -> Any:
        barrier.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))
