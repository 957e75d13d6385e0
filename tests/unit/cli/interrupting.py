"""Imports that get a signal in the middle."""

import os
import signal
import threading

from tests.unit.cli.fake_service import FakeService
from tests.unit.cli.typed import Typed


def interrupted(fake: FakeService, number: int, *words: str) -> tuple[int, str, str]:
    """Run a command that gets a signal during its second call of an import.

    Returns its exit code, output and notes.
    """
    reached, go_on = threading.Event(), threading.Event()

    def meet(calls_so_far: int) -> None:
        if calls_so_far == 2:
            reached.set()
            assert go_on.wait(30)

    fake.on_import = meet
    with Typed(fake.url).process(*words) as process:
        assert reached.wait(30)
        os.kill(process.pid, number)
        if number == signal.SIGKILL:
            process.wait(30)
        # Any other is heard before the answer: at once, or with it by who was about to wait.
        go_on.set()
        out, err = process.communicate(timeout=30)
    fake.on_import = lambda _calls: None
    return process.returncode, out, err
