"""Manages the files that the operator has dropped onto the console, and the threads that send their
rows to the service.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Literal, Protocol

from waitlist_cli.client.api import Api
from waitlist_cli.errors import CliError, WrongUsage
from waitlist_cli.imports.encodings import UTF_8, detect_encoding
from waitlist_cli.imports.records import DELIMITER_LINE, SUFFIXES, Record, Source, open_source
from waitlist_cli.imports.run import Counts
from waitlist_cli.terminal.spreadsheets import UTF_8_MARK
from waitlist_cli.work.signals import Shutdown

State = Literal["ready", "running", "stopping", "stopped", "failed", "done"]
# The console reads a file's first GUESSED_ROWS rows to guess what the columns contain. It shows the
# operator the first SHOWN_ROWS rows.
GUESSED_ROWS, SHOWN_ROWS = 1_000, 3
DELIMITERS = (",", ";", "\t", "|")


class _Cancelled(Exception):
    """Raised when the operator cancels the job while it waits before a retry."""


@dataclass(frozen=True)
class Reading:
    """A file's encoding, and its delimiter if it is a CSV file."""

    delimiter: str = ","
    encoding: str = UTF_8


class Task(Protocol):
    """Defines what a job does with its file's rows."""

    @property
    def reading(self) -> "Reading": ...

    def check(self, source: Source) -> None:
        """Raise WrongUsage if the file lacks a column that the task needs."""

    def run(self, job: "FileJob", source: Source, api: Api, shutdown: Shutdown) -> bool:
        """Send the remaining rows, and update `job.counts` and the job's progress after each
        request.

        Return whether all rows have been sent.
        """


@dataclass
class FileJob:
    """A file that the operator has dropped onto a page to import or move people."""

    id: str
    # The kind of work, `import` or `move`.
    kind: str
    waitlist_id: str
    name: str
    # A folder for the file, the refused rows and the entry tokens. The folder is deleted when the
    # console ends.
    folder: Path
    api: Api
    state: State = "ready"
    counts: Counts = field(default_factory=Counts)
    progress: float = 0.0
    notice: str = ""
    problem: CliError | None = None
    task: Task | None = None
    _shutdown: Shutdown = field(default_factory=lambda: Shutdown(lambda: None))
    _thread: threading.Thread | None = None
    _former_rows: int = 0

    @property
    def path(self) -> Path:
        return self.folder / f"people{Path(self.name).suffix.lower()}"

    @property
    def form(self) -> str:
        """Return the file format, `csv` or `jsonl`. Raises WrongUsage for any other suffix."""
        found = SUFFIXES.get(self.path.suffix)
        if found is None:
            raise WrongUsage(
                f"{self.name} is not a .csv, .tsv, .jsonl or .ndjson file. Save a spreadsheet as "
                "CSV."
            )
        return found

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    @property
    def refused_path(self) -> Path:
        return self.folder / f"refused{self.path.suffix}"

    @property
    def tokens_path(self) -> Path:
        return self.folder / "tokens.csv"

    @property
    def is_active(self) -> bool:
        return self.state in ("running", "stopping")

    def likely_reading(self) -> Reading:
        """Guess the file's encoding and delimiter.

        The first line of a CSV file can name the delimiter, as in `sep=;`.
        """
        encoding = detect_encoding(self.path)
        with self.path.open("rb") as file:
            header = file.readline(100_000).decode(encoding, "replace").removeprefix(UTF_8_MARK)
        named = DELIMITER_LINE.fullmatch(header)
        return Reading(named[1] if named else max(DELIMITERS, key=header.count), encoding)

    def sample(self, reading: Reading) -> tuple[list[str], list[Record]]:
        """Return the column names and the first records.

        Raises WrongUsage if the file is invalid.
        """
        with self.opened(reading) as source:
            records = list(islice(source.records(), GUESSED_ROWS))
        names = source.columns
        if names is None:
            names = list(dict.fromkeys(name for record in records for name in record.fields))
        return names, records

    def row_count(self, reading: Reading) -> int:
        """Count the file's rows. Raises WrongUsage if the file is invalid."""
        with self.opened(reading) as source:
            return sum(1 for _ in source.records())

    def start(self, task: Task) -> None:
        """Start the task, or continue after the last row that was sent."""
        with self.opened(task.reading) as source:
            task.check(source)
        self.task = task
        self.state, self.problem, self.notice = "running", None, ""
        self._shutdown = Shutdown(lambda: None)
        self._thread = threading.Thread(target=self._run, args=(task,), name=f"file-{self.id}")
        self._thread.start()

    def cancel(self) -> None:
        """Stop the job after its current request."""
        if self.is_active:
            self.state = "stopping"
            self._shutdown.to_finish.set()

    def wait(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def reached(self, progress: float) -> None:
        """Update the job's progress after a successful request."""
        self.progress, self.notice = progress, ""

    @property
    def rows_per_second(self) -> float:
        rows = self.counts.rows - self._former_rows
        return rows / self.counts.seconds if self.counts.seconds else 0.0

    def _run(self, task: Task) -> None:
        self._former_rows = self.counts.rows
        try:
            with self.opened(task.reading) as source:
                api = replace(self.api, sleep=self._pause, on_retry=self._retried)
                is_whole = task.run(self, source, api, self._shutdown)
            self.state = "done" if is_whole else "stopped"
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
    def opened(self, reading: Reading) -> Iterator[Source]:
        """Open the file. Raises WrongUsage if the file cannot be read."""
        path, form = str(self.path), self.form
        # A .tsv file always uses tabs, even if the operator chose another delimiter.
        with open_source(path, form, reading.delimiter, self.name, reading.encoding) as source:
            yield source


@dataclass
class FileJobs:
    """The files that the operator has dropped onto the console since it started.

    The files are stored in `folder`, which only the operator should be able to read.
    """

    folder: Path
    api: Api
    _jobs: dict[str, FileJob] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def new(self, kind: str, waitlist_id: str, name: str) -> FileJob:
        """Create a job for a file that is still being uploaded.

        Raises WrongUsage for an unknown format.
        """
        number = str(next(self._numbers))
        job = FileJob(number, kind, waitlist_id, name, self.folder / number, self.api)
        job.form  # noqa: B018 (refuses the name)
        job.folder.mkdir(mode=0o700)
        return job

    def keep(self, job: FileJob) -> None:
        """Register a job whose file has been uploaded completely."""
        with self._lock:
            self._jobs[job.id] = job

    def get(self, kind: str, waitlist_id: str, job_id: str) -> FileJob | None:
        job = self._jobs.get(job_id)
        if job is None or (job.kind, job.waitlist_id) != (kind, waitlist_id):
            return None
        return job

    def for_waitlist(self, waitlist_id: str) -> list[FileJob]:
        """Return a waitlist's jobs, newest first."""
        return [
            job for job in reversed(list(self._jobs.values())) if job.waitlist_id == waitlist_id
        ]

    def start(self, job: FileJob, task: Task) -> None:
        """Start or continue a job. Raises WrongUsage if another job of the waitlist is active."""
        with self._lock:
            if any(other.is_active for other in self.for_waitlist(job.waitlist_id)):
                raise WrongUsage(
                    "Another file is being processed for this list. Wait until it "
                    "is done, or cancel it."
                )
            job.start(task)

    def end(self) -> None:
        """Cancel all jobs, then wait until their current requests have ended."""
        for job in self._jobs.values():
            job.cancel()
        for job in self._jobs.values():
            job.wait()
