"""One import of the console: a file that was dropped, and the thread that sends its rows."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Literal

from waitlist_cli.api import Api
from waitlist_cli.errors import CliError, WrongUsage
from waitlist_cli.imports.columns import Columns
from waitlist_cli.imports.records import SUFFIXES, Record, Source, opened
from waitlist_cli.imports.rejected_rows import RejectedRows
from waitlist_cli.imports.run import Counts, ImportRun
from waitlist_cli.imports.token_file import TokenFile
from waitlist_cli.signals import Shutdown

State = Literal["ready", "running", "stopping", "stopped", "failed", "done"]
SAMPLE_ROWS = 3
DELIMITERS = (",", ";", "\t", "|")


class _Cancelled(Exception):
    """The operator cancelled while the import waited for the service."""


@dataclass(frozen=True)
class Layout:
    """How the file is read, and whether it has tokens and former customers."""

    columns: Columns
    delimiter: str
    with_tokens: bool
    ended: str | None


@dataclass
class ImportJob:
    """`folder` holds the file, the refused rows and the tokens; the console's end removes it."""

    id: str
    waitlist_id: str
    name: str
    folder: Path
    api: Api
    state: State = "ready"
    counts: Counts = field(default_factory=Counts)
    bytes_read: int = 0
    notice: str = ""
    problem: CliError | None = None
    layout: Layout | None = None
    _shutdown: Shutdown = field(default_factory=lambda: Shutdown(lambda: None))
    _thread: threading.Thread | None = None
    _former_rows: int = 0

    @property
    def path(self) -> Path:
        return self.folder / f"people{Path(self.name).suffix.lower()}"

    @property
    def form(self) -> str:
        """Whether the file is `csv` or `jsonl`; raises WrongUsage for another name."""
        found = SUFFIXES.get(self.path.suffix)
        if found is None:
            raise WrongUsage(
                f"{self.name} is no .csv, .tsv, .jsonl or .ndjson file. Save a spreadsheet as CSV."
            )
        return found

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    @property
    def refused_path(self) -> Path:
        return self.folder / f"refused.{self.form}"

    @property
    def tokens_path(self) -> Path:
        return self.folder / "tokens.csv"

    @property
    def is_active(self) -> bool:
        return self.state in ("running", "stopping")

    def likely_delimiter(self) -> str:
        """Return the delimiter that the header has most of."""
        with self.path.open("rb") as file:
            header = file.readline(100_000).decode("utf-8", "replace")
        return max(DELIMITERS, key=header.count)

    def sample(self, delimiter: str) -> tuple[list[str], list[Record]]:
        """Return the names of the columns and the first records; raises WrongUsage."""
        with self._opened(delimiter) as source:
            records = list(islice(source.records(), SAMPLE_ROWS))
        names = source.columns
        if names is None:
            names = list(dict.fromkeys(name for record in records for name in record.fields))
        return names, records

    def start(self, layout: Layout) -> None:
        """Begin the import, or go on after the last row that is done; raises WrongUsage."""
        with self._opened(layout.delimiter) as source:
            layout.columns.check(source.columns)
        self.layout = layout
        self.state, self.problem, self.notice = "running", None, ""
        self._shutdown = Shutdown(lambda: None)
        self._thread = threading.Thread(target=self._run, args=(layout,), name=f"import-{self.id}")
        self._thread.start()

    def cancel(self) -> None:
        """Stop after the current call."""
        if self.is_active:
            self.state = "stopping"
            self._shutdown.to_finish.set()

    def wait(self) -> None:
        """Wait for the end of the thread."""
        if self._thread is not None:
            self._thread.join()

    def move(self, _rows: int, bytes_read: int) -> None:
        """Take the progress of the run, which counts its rows itself."""
        self.bytes_read, self.notice = bytes_read, ""

    @property
    def rows_per_second(self) -> float:
        rows = self.counts.rows - self._former_rows
        return rows / self.counts.seconds if self.counts.seconds else 0.0

    def _run(self, layout: Layout) -> None:
        from_row = self.counts.done_row + 1
        self._former_rows = self.counts.rows
        goes_on = from_row > 1
        try:
            with self._opened(layout.delimiter) as source:
                rejected = RejectedRows(self.refused_path, source.columns, goes_on=goes_on)
                tokens = (
                    TokenFile(self.tokens_path, goes_on=goes_on) if layout.with_tokens else None
                )
                api = replace(self.api, sleep=self._pause, on_retry=self._retried)
                run = ImportRun(
                    api,
                    self.waitlist_id,
                    source,
                    layout.columns,
                    rejected,
                    self._shutdown,
                    tokens,
                    layout.ended,
                    # The same object, so that a page sees the counts grow, also after a pause.
                    self.counts,
                )
                run.run(from_row, self)
            self.state = "done" if run.counts.is_whole else "stopped"
        except _Cancelled:
            self.state = "stopped"
        except CliError as error:
            self.state, self.problem = "failed", error
        except OSError as error:
            problem = WrongUsage(f"{error.filename or self.name}: {error.strerror}", "file_problem")
            self.state, self.problem = "failed", problem

    def _pause(self, seconds: float) -> None:
        if self._shutdown.to_finish.wait(seconds):
            raise _Cancelled

    def _retried(self, problem: str, seconds: float, attempt: int, tries: int) -> None:
        self.notice = f"{problem} Try {attempt} of {tries} in {seconds:.0f} s."

    @contextmanager
    def _opened(self, delimiter: str) -> Iterator[Source]:
        # A .tsv has tabs, whatever the delimiter.
        with opened(str(self.path), self.form, delimiter, self.name) as source:
            yield source


@dataclass
class ImportJobs:
    """The imports of this run; `folder` is private to the operator."""

    folder: Path
    api: Api
    _jobs: dict[str, ImportJob] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def new(self, waitlist_id: str, name: str) -> ImportJob:
        """Return a job without a file; raises WrongUsage for a name of another format."""
        number = str(next(self._numbers))
        job = ImportJob(number, waitlist_id, name, self.folder / number, self.api)
        job.form  # noqa: B018 (refuses the name)
        job.folder.mkdir(mode=0o700)
        return job

    def keep(self, job: ImportJob) -> None:
        """Keep a job whose file is complete."""
        with self._lock:
            self._jobs[job.id] = job

    def get(self, waitlist_id: str, job_id: str) -> ImportJob | None:
        job = self._jobs.get(job_id)
        return job if job is not None and job.waitlist_id == waitlist_id else None

    def of(self, waitlist_id: str) -> list[ImportJob]:
        """Return the imports of a list, the latest first."""
        return [
            job for job in reversed(list(self._jobs.values())) if job.waitlist_id == waitlist_id
        ]

    def start(self, job: ImportJob, layout: Layout) -> None:
        """Start or continue a job; raises WrongUsage if the list has one already."""
        with self._lock:
            if any(one.is_active for one in self.of(job.waitlist_id)):
                raise WrongUsage(
                    "Another import into this list is running. People without a time of signup "
                    "join in the order of the calls, so wait for its end or cancel it."
                )
            job.start(layout)

    def end(self) -> None:
        """Cancel all jobs and wait for their current calls."""
        for job in self._jobs.values():
            job.cancel()
        for job in self._jobs.values():
            job.wait()
