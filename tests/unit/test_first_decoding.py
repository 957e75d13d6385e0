"""Threads can decode messages of any type at the same time. msgspec can crash if several threads at
once are the first to decode a type, so the project decodes each type once at import.
"""

import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier
from typing import Any

import msgspec

import waitlist_api.queue.client
import waitlist_api.records.waitlists  # noqa: F401 the two modules prepare results and settings
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_queue.service import Rows
from waitlist_shared import contracts as c

THREADS = 16
TYPES: list[Any] = [WaitlistSettings, Rows, *c.REQUESTS.values(), *c.RESULTS.values()]


def message_for(one: Any) -> dict[str, Any]:
    """Return a message with a value for each field, because msgspec stops at the first missing
    field.
    """
    fields = {name: [{"op": "signup"}] for name in one.__annotations__}
    config = getattr(one, "__struct_config__", None)  # A dataclass does not have this attribute.
    return {"op": config and config.tag, **fields}


def _decode_in_threads() -> None:
    sys.setswitchinterval(1e-6)
    barrier = Barrier(THREADS)
    messages = [(one, message_for(one)) for one in TYPES]

    def decode_each(_thread: int) -> None:
        for one, message in messages:
            barrier.wait(timeout=60)
            with suppress(msgspec.ValidationError):
                msgspec.convert(message, one)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(decode_each, range(THREADS)))


def test_threads_may_decode_a_type_for_the_first_time_at_once() -> None:
    process = multiprocessing.get_context("spawn").Process(target=_decode_in_threads)
    process.start()
    process.join()
    assert process.exitcode == 0
