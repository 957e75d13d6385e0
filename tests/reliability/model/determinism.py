"""Patches the service so that it uses few index shards and a single thread. A case is then short
and always runs in the same way.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from tests.reliability.model.chance import Chances
from tests.support.threads import InOrder
from tests.support.waits import virtual_waits
from waitlist_shared.ranks import TICKETS_PER_MILLISECOND

# A rebuild does the same for each shard of the index, so two shards reveal the same problems as
# sixteen.
FEW_SHARDS = 2
# A partition of the journal covers an hour instead of a minute, so that maintenance needs fewer
# steps.
HOUR = 3600_000 * TICKETS_PER_MILLISECOND
SMALL: dict[str, Any] = {
    "SHARDS": FEW_SHARDS,
    "MINUTE": HOUR,
    # Maintenance usually waits for up to an hour before it checks all entries again, and a case
    # ends earlier. If the pause is 0, maintenance checks all entries in each run.
    "LONGEST_PAUSE_MILLIS": 0,
    "ThreadPoolExecutor": InOrder,
}
# With this limit, an import of three rows needs two transactions to write its intents.
FEW_INTENTS = 2
CHANCES = Chances()
# Two requests that conflict again and again give up sooner with this limit, for example a signup
# and a reinstatement on a waitlist that is not open.
FEW_RETRIES = 2
# The model checker patches these values too, because a case must run in the same way each time.
OF_A_CASE: dict[str, Any] = {
    "MAX_INTENTS": FEW_INTENTS,
    "MAX_CONFLICT_RETRIES": FEW_RETRIES,
    "secrets": CHANCES,
    "random": CHANCES,
    "os": CHANCES,
}
PACKAGES = ("waitlist_api.", "waitlist_queue.", "waitlist_shared.")


@contextmanager
def deterministic(**smaller: Any) -> Iterator[None]:
    """Patch all modules of the service, so that the index has two shards and thread pools run
    without threads.

    Only injected faults cause timeouts, however busy the machine is. `smaller` maps the names of
    further values to the values that replace them.
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
        with virtual_waits():
            yield
    finally:
        for one in patches:
            one.stop()
