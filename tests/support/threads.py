"""Acts of many threads at the same time."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

TRIES = 20
Act = Callable[[], Any]


def at_once(acts: Sequence[Act]) -> list[Any]:
    """Run each act in its own thread; no thread starts its act before all of them run.

    A busy machine may need more than a call's time: then the act is repeated, as by a caller.
    """
    barrier = threading.Barrier(len(acts))

    def run(act: Act) -> Any:
        barrier.wait(timeout=30)
        for _ in range(TRIES):
            answer = act()
            if not (isinstance(answer, dict) and answer.get("code") == "queue_unavailable"):
                break
        return answer

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))
