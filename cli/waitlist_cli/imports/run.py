"""Sends a file's rows in order."""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import PATIENT, RetryPolicy
from waitlist_cli.errors import Unavailable
from waitlist_cli.imports.batches import MOST_ROWS, Batch, Row, body_of, group_into_batches
from waitlist_cli.imports.columns import Columns
from waitlist_cli.imports.records import Record, Source
from waitlist_cli.imports.rejected_rows import RejectedRows
from waitlist_cli.imports.token_file import Issued, TokenFile
from waitlist_cli.terminal.output import format_count
from waitlist_cli.work.signals import Shutdown

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

MOST_REASONS = 1000
# The maximum number of rows that a warning lists.
MOST_WARNED = 10
UNUSABLE = "unusable_row"
NO_ADDRESS = "Joined without a suitable address for messages (profile.email or profile.phone)"
BESIDE_ADDRESS = (
    "The customer id does not belong to the address: a person who signs up with the address gets "
    "a second place. Import the addresses with --identity and without customer ids"
)
# The smallest number of rows in a request. While the service is busy, the import halves its
# requests down to this number. Only requests of this size are retried many times.
LEAST_ROWS = 25
HASTY = RetryPolicy(tries=3)


# Called after each request of an import with the number of finished rows and the number of bytes
# read from the file.
Progress = Callable[[int, int], None]


@dataclass
class Counts:
    """The results of an import."""

    joined: int = 0
    already: int = 0
    ended: int = 0
    moved: int = 0
    banned: int = 0
    # The number of exported people who are not imported, for example because they have left.
    left_out: int = 0
    refused: int = 0
    without_address: int = 0
    # The number of the last row that was imported, refused or left out.
    done_row: int = 0
    seconds: float = 0.0
    is_whole: bool = False
    # The number of rows whose customer id a guest has already used to sign up.
    warned: int = 0
    # The number of rows in which the customer id does not belong to the address.
    beside_address: int = 0
    # The numbers of the first few rows whose customer id a guest has already used to sign up.
    warned_rows: list[int] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    # Notes about data that is not imported, each with its number of rows.
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def rows(self) -> int:
        on_list = self.joined + self.already + self.moved
        return on_list + self.ended + self.banned + self.left_out + self.refused

    @property
    def remarks(self) -> list[tuple[str, int]]:
        """Notes about rows that were not refused, each with its number of rows."""
        # The import may change the notes in another thread, so read a copy.
        found = self.notes.copy().most_common()
        if self.without_address:
            found.append((NO_ADDRESS, self.without_address))
        if self.beside_address:
            found.append((BESIDE_ADDRESS, self.beside_address))
        return found

    @property
    def warning(self) -> str:
        """A warning about guests who have signed up with customer ids from the file, or ""."""
        if not self.warned:
            return ""
        rows = "row" if self.warned == 1 else "rows"
        named = ", ".join(map(str, self.warned_rows))
        more = ", …" if self.warned > len(self.warned_rows) else ""
        people = format_count(self.warned, "customer has", "customers have")
        return (
            f"{people} an entry that a guest signed up ({rows} {named}{more}). Anyone who knew the "
            "customer id may have signed up and may have the entry token, so the import issued no "
            "token. Check these entries before you bump or admit them."
        )

    def warn(self, row: int) -> None:
        """Count a row whose customer id a guest has already used to sign up."""
        self.warned += 1
        if len(self.warned_rows) < MOST_WARNED:
            self.warned_rows.append(row)

    def refuse(self, reason: str) -> None:
        self.refused += 1
        # Count at most MOST_REASONS different reasons. A reason can contain the invalid value, so
        # every row could have a different reason.
        if reason in self.reasons or len(self.reasons) < MOST_REASONS:
            self.reasons[reason] += 1


@dataclass
class ImportRun:
    """Sends a file's rows, one request after another.

    The requests follow the order of the file, so people without a signup time join in that order.
    """

    api: "Api"
    waitlist_id: str
    source: Source
    columns: Columns
    rejected: RejectedRows
    shutdown: Shutdown
    tokens: TokenFile | None = None
    ended: str | None = None
    on_list: str | None = None
    counts: Counts = field(default_factory=Counts)
    is_reading: bool = False
    rows_a_call: int = MOST_ROWS

    def run(self, from_row: int, on_progress: Progress) -> Counts:
        """Send all rows from `from_row` on.

        If the import fails, `counts` contains the results so far.
        """
        began = time.monotonic()
        self.counts.done_row = from_row - 1
        try:
            calls = group_into_batches(self._records(from_row), self.columns, secrets.token_hex(8))
            while (batch := self._next(calls)) is not None:
                self._send(batch)
                self.counts.seconds = time.monotonic() - began
                on_progress(self.counts.rows, self.source.bytes_read())
            self.counts.is_whole = not self.shutdown.to_finish.is_set()
        finally:
            self.counts.seconds = time.monotonic() - began
            self.rejected.close()
            if self.tokens is not None:
                self.tokens.close()
        return self.counts

    def _next(self, calls: Iterator[Batch]) -> Batch | None:
        """Return the next batch of rows.

        Return None if no rows are left, or if the operator has stopped the import.
        """
        try:
            self.is_reading = True
            # Reading can block while the input is empty, so Ctrl-C interrupts it at once if
            # `is_reading` is true. If the operator has already pressed Ctrl-C, do not start
            # reading.
            return None if self.shutdown.to_finish.is_set() else next(calls, None)
        except KeyboardInterrupt:
            if self.shutdown.to_stop.is_set():
                raise
            return None
        finally:
            self.is_reading = False

    def _records(self, from_row: int) -> Iterator[Record]:
        return dropwhile(lambda record: record.number < from_row, self.source.records())

    def _send(self, batch: Batch) -> None:
        results = self._results(batch.sent)
        issued: list[Issued] = []
        for row in batch.rows:
            if row.problem:
                self._refuse(row.record, UNUSABLE, row.problem)
                continue
            self.counts.notes.update(row.notes)
            if row.content is None:
                self.counts.left_out += 1
                continue
            result = next(results)
            self.counts.without_address += bool(result.get("has_no_address"))
            match result["outcome"]:
                case "joined":
                    self.counts.joined += 1
                case "already":
                    self.counts.already += 1
                case "ended":
                    self.counts.ended += 1
                case "banned":
                    self.counts.banned += 1
                case _:
                    self._refuse(row.record, result.get("code") or "", reason_of(result))
            if result.get("warning") == "another_address":
                self.counts.beside_address += 1
            elif result.get("warning"):
                self.counts.warn(row.record.number)
            if token := result.get("entry_token"):
                link = result.get("link") or ""
                issued.append((result["entry_id"], row.customer_id, token, link, row.address))
        if self.tokens is not None:
            self.tokens.write(issued)
        self.counts.done_row = batch.rows[-1].record.number

    def _results(self, rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
        """Send the rows and yield each row's result.

        If the service is busy, the next request contains fewer rows.
        """
        start = 0
        while start < len(rows):
            part = rows[start : start + self.rows_a_call]
            policy = PATIENT if self.rows_a_call <= LEAST_ROWS else HASTY
            body = body_of(part, ended=self.ended, on_list=self.on_list)
            with_tokens = "/tokens" if self.tokens is not None else ""
            path = f"/{self.waitlist_id}/import{with_tokens}"
            try:
                answer = self.api.operator("POST", path, body, policy=policy)
            except Unavailable:
                if self.rows_a_call <= LEAST_ROWS:
                    raise
                self.rows_a_call = max(LEAST_ROWS, self.rows_a_call // 2)
                continue
            self.rows_a_call = min(MOST_ROWS, self.rows_a_call * 2)
            start += len(part)
            yield from answer["results"]

    def _refuse(self, record: Record, code: str, reason: str) -> None:
        self.counts.refuse(reason)
        self.rejected.add(record, code, reason)


def reason_of(result: Mapping[str, Any]) -> str:
    fields = [f"{error['field']}: {error['message']}" for error in result.get("errors") or []]
    detail = result.get("detail")
    if detail in (None, "", *fields):
        return "; ".join(fields)
    return "; ".join([str(detail).removesuffix(".") if fields else str(detail), *fields])
