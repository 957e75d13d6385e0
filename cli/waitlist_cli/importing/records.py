"""Reads a file of people one record at a time; the whole is never in memory."""

import csv
import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from waitlist_cli.errors import WrongUsage

# Of one record: the API takes far less, and an unclosed quote must not swallow the whole file.
MOST_CHARACTERS = 2 * 1024 * 1024
SUFFIXES = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
STDIN = "-"


@dataclass(frozen=True, slots=True)
class Record:
    """A row of the file; the first has number 1. With a `problem` it cannot be sent."""

    number: int
    fields: dict[str, Any] = field(default_factory=dict)
    problem: str = ""


class Source:
    """An open file; `columns` are those of a CSV's header, None where there is no header."""

    def __init__(self, binary: BinaryIO, name: str, form: str, delimiter: str) -> None:
        self.name = name
        self.form = form
        self._binary = binary
        # Bytes that are no UTF-8 come through, to be refused with their row alone.
        self._text = io.TextIOWrapper(
            binary, encoding="utf-8-sig", errors="surrogateescape", newline=""
        )
        self.columns: list[str] | None = None
        if form == "csv":
            csv.field_size_limit(MOST_CHARACTERS)
            self._reader = csv.reader(self._text, delimiter=delimiter)
            self.columns = self._header()

    def bytes_read(self) -> int:
        """Return how far the file is read, to within a buffer."""
        return self._binary.tell() if self._binary.seekable() else 0

    def records(self) -> Iterator[Record]:
        return self._csv_records() if self.form == "csv" else self._json_records()

    def _header(self) -> list[str]:
        header = [name.strip() for name in next(self._rows(), [])]
        if not header:
            raise WrongUsage(f"{self.name} is empty: a CSV begins with the names of its columns.")
        twice = sorted({name for name in header if header.count(name) > 1})
        if twice:
            raise WrongUsage(f"{self.name} has columns of the same name: {', '.join(twice)}")
        return header

    def _rows(self) -> Iterator[list[str]]:
        while True:
            try:
                row = next(self._reader, None)
            except csv.Error as error:
                line = self._reader.line_num
                raise WrongUsage(
                    f"{self.name}, line {line}: {error}. Nothing behind it is read."
                ) from error
            if row is None:
                return
            if row:
                yield row

    def _csv_records(self) -> Iterator[Record]:
        columns = self.columns or []
        for number, row in enumerate(self._rows(), 1):
            fields = dict(zip(columns, row, strict=False))
            problem = ""
            if len(row) != len(columns):
                problem = f"{len(row)} fields, where the header has {len(columns)}"
            yield Record(number, fields, problem)

    def _json_records(self) -> Iterator[Record]:
        number = 0
        while line := self._text.readline(MOST_CHARACTERS):
            whole = line.endswith("\n") or len(line) < MOST_CHARACTERS
            while not whole:
                rest = self._text.readline(MOST_CHARACTERS)
                whole = not rest or rest.endswith("\n")
                line = ""
            if line and not line.strip():
                continue
            number += 1
            yield _json_record(number, line)


def _json_record(number: int, line: str) -> Record:
    if not line:
        return Record(number, {}, f"longer than {MOST_CHARACTERS:,} characters")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Record(number, {"refused_line": line.strip()}, f"no JSON: {error}")
    if not isinstance(found, dict):
        return Record(number, {"refused_line": line.strip()}, "no JSON object")
    return Record(number, found)


@contextmanager
def opened(path: str, form: str | None, delimiter: str) -> Iterator[Source]:
    """Open a file, or standard input for a hyphen; raises WrongUsage for what cannot be read."""
    kind = form or SUFFIXES.get(Path(path).suffix.lower())
    if kind is None:
        raise WrongUsage(f"What is in {path}? --format csv or --format jsonl")
    separator = "\t" if Path(path).suffix.lower() == ".tsv" or delimiter == "tab" else delimiter
    if len(separator) != 1:
        raise WrongUsage("--delimiter takes one character, or tab.")
    if path == STDIN:
        yield Source(sys.stdin.buffer, "standard input", kind, separator)
        return
    try:
        binary = Path(path).open("rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror}") from error
    with binary:
        yield Source(binary, path, kind, separator)


def size_of(path: str) -> int | None:
    """Return how many bytes a file has, None for what only flows."""
    found = Path(path)
    return found.stat().st_size if path != STDIN and found.is_file() else None
