"""The base class for work that the local run does in the background. Each kind of work has its own
thread.
"""

import threading


class Background:
    """Calls the method `_run` in a thread. `_run` must return soon after `_stopping` is set."""

    def __init__(self, name: str) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_seconds: float) -> None:
        """Stop the thread, and wait until the current work is done or the timeout expires."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout_seconds)

    def _run(self) -> None:
        raise NotImplementedError
