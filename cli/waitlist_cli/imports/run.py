"""Runs an import: sends the rows in file order until the end of the file or Ctrl-C."""

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
# The maximum number of row numbers in the warning about signups of guests.
MOST_WARNED = 10
UNUSABLE = "unusable_row"
NO_ADDRESS = "Joined without an address for messages (profile.email or profile.phone)"
BESIDE_ADDRESS = (
    "The customer id does not belong to the address: a person who signs up with the address gets "
    "a second place. Import the addresses with --identity and without customer ids"
)
# While the service is too busy, each request has half as many rows as the last, down to this
# number. Only the smallest requests are retried patiently.
LEAST_ROWS = 25
HASTY = RetryPolicy(tries=3)


# A function that is called after each request with the number of finished rows and the number of
# bytes read.
Progress = Callable[[int, int], None]


@dataclass
class Counts:
    """The results of an import.

    `done_row` is the number of the last row that has an outcome. `warned` counts the rows whose
    customer is or was on the list by a guest's signup, and `warned_rows` has the first of these row
    numbers. `left_out` counts people in an export whom the import does not add. `beside_address`
    counts rows in which the customer id does not belong to the address. `notes` counts the rows for
    each kind of data that is not imported.
    """

    joined: int = 0
    already: int = 0
    ended: int = 0
    moved: int = 0
    banned: int = 0
    left_out: int = 0
    refused: int = 0
    without_address: int = 0
    done_row: int = 0
    seconds: float = 0.0
    is_whole: bool = False
    warned: int = 0
    beside_address: int = 0
    warned_rows: list[int] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def rows(self) -> int:
        on_list = self.joined + self.already + self.moved
        return on_list + self.ended + self.banned + self.left_out + self.refused

    @property
    def remarks(self) -> list[tuple[str, int]]:
        """Notes for the report about rows that were not refused, with the number of rows."""
        # Copy the counter, because a page may show it while the import goes on.
        found = self.notes.copy().most_common()
        if self.without_address:
            found.append((NO_ADDRESS, self.without_address))
        if self.beside_address:
            found.append((BESIDE_ADDRESS, self.beside_address))
        return found

    @property
    def warning(self) -> str:
        """The warning about signups of guests, or "" if there are none."""
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
        """Count a row whose customer is or was on the list by a guest's signup."""
        self.warned += 1
        if len(self.warned_rows) < MOST_WARNED:
            self.warned_rows.append(row)

    def refuse(self, reason: str) -> None:
        self.refused += 1
        # A reason can contain the invalid value, so a file can have as many reasons as rows.
        if reason in self.reasons or len(self.reasons) < MOST_REASONS:
            self.reasons[reason] += 1


@dataclass
class ImportRun:
    """Sends the rows of a file, one request at a time.

    The order of the requests matters, because people without a signup time join in this order.
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
        """Send all rows from `from_row` on. If this fails, `counts` has the results so far."""
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
        """Return the next batch, or None after the last batch or after Ctrl-C."""
        try:
            self.is_reading = True
            # From here on, Ctrl-C interrupts reading the file. If Ctrl-C was pressed earlier, it
            # has set the event `to_finish`.
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
        """Send rows and yield the result of each row.

        While the service is busy, send smaller requests. A failed request may have imported some of
        its rows. It is safe to send these rows again, and they then count as joined.
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
    return "; ".join(fields if detail in (None, "", *fields) else [str(detail), *fields])
