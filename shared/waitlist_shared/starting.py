"""Cold starts without garbage collections."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Collect no garbage while a function is imported or composed, and never what exists then.

    All of that lives as long as the process. To look through it again and again would take a sixth
    of a cold start, and milliseconds of later requests.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()
