"""Shows a load test's progress: a progress bar in a terminal, and otherwise a line from time to
time.
"""

import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

LINE_SECONDS = 10.0


class Shown:
    def __init__(self, console: Console) -> None:
        self._console = console
        columns = (BarColumn(bar_width=24), TimeElapsedColumn(), TextColumn("{task.description}"))
        self._progress = Progress(*columns, console=console, transient=True)
        self._task = self._progress.add_task("", total=1)
        self._next_line = 0.0
        self._last = ""

    def note(self, what: str, part: float) -> None:
        self._progress.update(self._task, description=what, completed=part)
        now, step = time.monotonic(), what.split(",")[0].lstrip("0123456789 ")
        if not self._console.is_terminal and (now >= self._next_line or step != self._last):
            self._next_line, self._last = now + LINE_SECONDS, step
            self._console.print(what)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._progress.stop()
