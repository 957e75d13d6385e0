"""One import: call after call in the order of the file, until its end or Ctrl-C."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import Unavailable
from waitlist_cli.imports.batches import MOST_ROWS, Batch, Row, batches, body_of
from waitlist_cli.imports.columns import Columns
from waitlist_cli.imports.progress import Bar
from waitlist_cli.imports.records import Record, Source
from waitlist_cli.imports.rejected_rows import RejectedRows
from waitlist_cli.imports.token_file import Issued, TokenFile
from waitlist_cli.retries import PATIENT, RetryPolicy
from waitlist_cli.signals import Shutdown

if TYPE_CHECKING:
    from waitlist_cli.api import Api

UNUSABLE = "unusable_row"
# A service that is too busy for a call gets smaller ones, down to these, and then all patience.
LEAST_ROWS = 25
HASTY = RetryPolicy(tries=3)


@dataclass
class Counts:
    """`done_row` is the number of the last row that has an answer."""

    joined: int = 0
    already: int = 0
    ended: int = 0
    refused: int = 0
    done_row: int = 0
    seconds: float = 0.0
    is_whole: bool = False

    @property
    def rows(self) -> int:
        return self.joined + self.already + self.ended + self.refused


class ImportRun:
    """One call at a time: people without a time of their own stand in the order of the calls."""

    def __init__(
        self,
        api: "Api",
        waitlist_id: str,
        source: Source,
        columns: Columns,
        rejected: RejectedRows,
        shutdown: Shutdown,
        tokens: TokenFile | None = None,
        ended: str | None = None,
    ) -> None:
        self._api = api
        self._path = f"/{waitlist_id}/import"
        self._source = source
        self._columns = columns
        self._rejected = rejected
        self._shutdown = shutdown
        self._tokens = tokens
        self._ended = ended
        self._rows_a_call = MOST_ROWS
        self.counts = Counts()
        self.is_reading = False

    def run(self, from_row: int, bar: Bar) -> Counts:
        """Send what is to be sent; whatever ends it, `counts` tell how far it came."""
        began = time.monotonic()
        self.counts.done_row = from_row - 1
        try:
            calls = batches(self._records(from_row), self._columns)
            while (batch := self._next(calls)) is not None:
                self._send(batch)
                self.counts.seconds = time.monotonic() - began
                bar.move(self.counts.rows, self._source.bytes_read())
            self.counts.is_whole = not self._shutdown.to_finish.is_set()
        finally:
            self.counts.seconds = time.monotonic() - began
            self._rejected.close()
            if self._tokens is not None:
                self._tokens.close()
        return self.counts

    def _next(self, calls: Iterator[Batch]) -> Batch | None:
        """Return the next call, None after the last or once there is to be no more."""
        try:
            self.is_reading = True
            # A Ctrl-C from here on interrupts the reading; one that came before is asked for.
            return None if self._shutdown.to_finish.is_set() else next(calls, None)
        except KeyboardInterrupt:
            if self._shutdown.to_stop.is_set():
                raise
            return None
        finally:
            self.is_reading = False

    def _records(self, from_row: int) -> Iterator[Record]:
        return dropwhile(lambda record: record.number < from_row, self._source.records())

    def _send(self, batch: Batch) -> None:
        results = self._results(batch.sent)
        issued: list[Issued] = []
        for row in batch.rows:
            if row.content is None:
                self._refuse(row.record, UNUSABLE, row.problem)
                continue
            result = next(results)
            match result["outcome"]:
                case "joined":
                    self.counts.joined += 1
                case "already":
                    self.counts.already += 1
                case "ended":
                    self.counts.ended += 1
                case _:
                    self._refuse(row.record, result.get("code") or "", _reason(result))
            if token := result.get("entry_token"):
                issued.append((result["entry_id"], row.customer_id, token))
        if self._tokens is not None:
            self._tokens.write(issued)
        self.counts.done_row = batch.rows[-1].record.number

    def _results(self, rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
        """Yield what became of each row: in one call, or in smaller ones while it is busy.

        A call that fails has done a part of its rows, in their order; the next goes on from there.
        """
        start = 0
        while start < len(rows):
            part = rows[start : start + self._rows_a_call]
            policy = PATIENT if self._rows_a_call <= LEAST_ROWS else HASTY
            body = body_of(part, entry_tokens=self._tokens is not None, ended=self._ended)
            try:
                answer = self._api.operator("POST", self._path, body, policy=policy)
            except Unavailable:
                if self._rows_a_call <= LEAST_ROWS:
                    raise
                self._rows_a_call = max(LEAST_ROWS, self._rows_a_call // 2)
                continue
            self._rows_a_call = min(MOST_ROWS, self._rows_a_call * 2)
            start += len(part)
            yield from answer["results"]

    def _refuse(self, record: Record, code: str, reason: str) -> None:
        self.counts.refused += 1
        self._rejected.add(record, code, reason)


def _reason(result: dict[str, Any]) -> str:
    fields = [f"{one['field']}: {one['message']}" for one in result.get("errors") or []]
    detail = result.get("detail")
    return "; ".join(fields if detail in (None, "", *fields) else [str(detail), *fields])
