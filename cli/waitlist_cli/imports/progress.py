"""Shows an import's progress bar on a terminal."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class Bar:
    """An import's progress bar, with a count of the rows.

    The bar shows how much of the file has been read, because the total number of rows is not known
    in advance.
    """

    def __init__(self, console: Console, words: str, total_bytes: int | None) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            _RowsColumn(),
            _RateColumn(),
            TextColumn("time left"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task(words, total=total_bytes, rows=0)

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._progress.stop()

    def move(self, rows: int, bytes_read: int) -> None:
        self._progress.update(self._task, completed=bytes_read, rows=rows)


class _RowsColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.fields['rows']:,} rows", style="progress.download")


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        seconds = task.elapsed or 0.0
        rate = task.fields["rows"] / seconds if seconds else 0.0
        return Text(f"{rate:,.0f}/s", style="progress.data.speed")
