"""Makes the service small and of one thread, so that a case is short and runs alike each time."""

import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any, TypeVar
from unittest.mock import patch

from tests.reliability.model.chance import Chances
from waitlist_shared.ranks import TICKETS_PER_MILLISECOND

# Each shard costs a rebuild the same steps: two show all that sixteen would.
FEW_SHARDS = 2
# So does each partition of the journal.
HOUR = 3600_000 * TICKETS_PER_MILLISECOND
PATIENT_SECONDS = 120.0
T = TypeVar("T")


class InOrder(Executor):
    """Does at once what it is given: the steps of one process come in one order."""

    def __init__(self, max_workers: int | None = None) -> None:
        del max_workers

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(work(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 -- as a pool's thread does
            done.set_exception(error)
        return done

    def map(
        self,
        fn: Callable[..., T],
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int = 1,
    ) -> Iterator[T]:
        del timeout, chunksize
        return iter(list(map(fn, *iterables)))


SMALL: dict[str, Any] = {
    "SHARDS": FEW_SHARDS,
    "MINUTE": HOUR,
    "ThreadPoolExecutor": InOrder,
    # A busy machine is no fault of the service's: nothing times out but by plan.
    "CALL_SECONDS": PATIENT_SECONDS,
    "ANSWER_SECONDS": PATIENT_SECONDS,
}
# An import of three has two transactions of intents.
FEW_INTENTS = 2
CHANCES = Chances()
# What a case needs besides: it must run alike each time.
OF_A_CASE: dict[str, Any] = {
    "MAX_INTENTS": FEW_INTENTS,
    "secrets": CHANCES,
    "random": CHANCES,
    "os": CHANCES,
}
PACKAGES = ("waitlist_api.", "waitlist_queue.", "waitlist_shared.")


@contextmanager
def deterministic(**smaller: Any) -> Iterator[None]:
    """Have every module see two shards, pools without threads, and no time-outs of its own.

    `smaller` are more of what modules are to see.
    """
    patches = [
        patch.object(module, name, small)
        for path, module in list(sys.modules.items())
        if path.startswith(PACKAGES)
        for name, small in (SMALL | smaller).items()
        if hasattr(module, name)
    ]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()
