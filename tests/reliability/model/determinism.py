"""Makes the model checker's cases short, and the same in every run.

The service uses only a few index shards and a single thread.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.reliability.model.chance import Chances
from tests.support.constants import replaced_constants
from tests.support.shards import FEW_SHARDS
from tests.support.threads import InOrder
from tests.support.waits import virtual_waits
from waitlist_shared.ranks import TICKETS_PER_MILLISECOND

# Each partition of the journal covers an hour instead of a minute, so maintenance takes fewer
# steps.
HOUR = 3600_000 * TICKETS_PER_MILLISECOND
SMALL: dict[str, Any] = {
    # The index has two shards instead of sixteen. A rebuild treats all shards the same way.
    "SHARDS": FEW_SHARDS,
    "MINUTE": HOUR,
    # Maintenance normally waits for up to an hour before it checks all entries again. With a pause
    # of 0, it checks them in every run.
    "LONGEST_PAUSE_MILLIS": 0,
    "ThreadPoolExecutor": InOrder,
}
# A limit so low that an import of three rows needs two transactions for its intents (notes about
# unfinished work).
FEW_INTENTS = 2
CHANCES = Chances()
# A limit so low that two requests that keep conflicting soon give up.
FEW_RETRIES = 2
# The constants and modules that the model checker replaces, so that a case is the same in every
# run.
OF_A_CASE: dict[str, Any] = {
    "MAX_INTENTS": FEW_INTENTS,
    "MAX_CONFLICT_RETRIES": FEW_RETRIES,
    "secrets": CHANCES,
    "random": CHANCES,
    "os": CHANCES,
}


@contextmanager
def deterministic(**smaller: Any) -> Iterator[None]:
    """Timeouts happen only where a test injects them, however busy the machine is."""
    with replaced_constants(**SMALL | smaller), virtual_waits():
        yield
