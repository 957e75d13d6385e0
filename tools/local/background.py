"""A base class for the local service's background tasks. Each task runs in its own thread."""

import threading


class Background:
    """Runs the `_run` method in a thread. `_run` must return soon after `stop` has been called."""

    def __init__(self, name: str) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_seconds: float) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout_seconds)

    def _run(self) -> None:
        raise NotImplementedError
