"""Runs an import in its own process and sends a signal to it."""

import os
import signal
import threading

from tests.unit.cli.fake_service import FakeService
from tests.unit.cli.typed import Typed


def run_interrupted(fake: FakeService, number: int, *words: str) -> tuple[int, str, str]:
    """Send a signal during the second request, and return the exit code, stdout and stderr."""
    reached, go_on = threading.Event(), threading.Event()

    def meet(calls_so_far: int) -> None:
        if calls_so_far == 2:
            reached.set()
            assert go_on.wait(30)

    fake.on_import = meet
    with Typed(fake.url).start(*words) as process:
        assert reached.wait(30)
        os.kill(process.pid, number)
        if number == signal.SIGKILL:
            process.wait(30)
        # The service answers the request only after the process has received the signal.
        go_on.set()
        out, err = process.communicate(timeout=30)
    fake.on_import = lambda _calls: None
    return process.returncode, out, err
