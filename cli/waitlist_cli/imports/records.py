"""Reads a file of people one record at a time."""

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.encodings import ENCODINGS, UTF_8, codec_of, detected, errors_of
from waitlist_cli.terminal.output import Output
from waitlist_cli.terminal.spreadsheets import original, without_apostrophe

# Limit of one record, so that an unclosed quote does not read the whole file into memory.
MOST_CHARACTERS = 2 * 1024 * 1024
SUFFIXES = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
STDIN = "-"
# A lone surrogate stands for a byte that is not of the encoding; a NUL is half of a letter in
# UTF-16.
UNREADABLE = re.compile("[\x00\ud800-\udfff]")
# By this first line a file tells Excel its delimiter.
DELIMITER_LINE = re.compile('"?sep=(.)"?\r?\n?', re.IGNORECASE)
# Columns that this program adds to the file of refused rows.
REJECTION_COLUMNS = (
    "refused_row",
    "refused_code",
    "refused_reason",
    "refused_line",
    "refused_read_as",
)
# Columns of each export of this program, and of no file of another one.
EXPORT_COLUMNS = frozenset({"entry_id", "customer_id", "status", "priority", "joined_at"})


def is_export(names: Iterable[str]) -> bool:
    """Return whether a file with these columns, or a record with these fields, is an export."""
    return set(names) >= EXPORT_COLUMNS


@dataclass(frozen=True, slots=True)
class Record:
    """A row of the file, numbered from 1; a row with a `problem` is not sent.

    `line` is the original text, if `fields` cannot hold all of it.
    """

    number: int
    fields: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    line: str = ""


class Lines:
    """The lines of a text; `are_over` if a reader asked for one more line than there are.

    `skipped` counts the lines that `skip` has taken away.
    """

    def __init__(self, text: TextIO, wrong_encoding: WrongUsage) -> None:
        self._text = text
        self._wrong_encoding = wrong_encoding
        self._put_back = ""
        self.are_over = False
        self.skipped = 0

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        line = self.read()
        if not line:
            self.are_over = True
            raise StopIteration
        return line

    def skip(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take the next line away if it fits the pattern; raises WrongUsage."""
        line = self.read()
        found = pattern.fullmatch(line)
        if found is None:
            self._put_back = line
        else:
            self.skipped += 1
        return found

    def read(self, most: int = -1) -> str:
        """Return the next line, or its first characters; raises WrongUsage."""
        if self._put_back:
            line, self._put_back = self._put_back, ""
            return line
        try:
            return self._text.readline(most)
        except UnicodeError as error:
            # Such as UTF-16 without its first two bytes; other errors refuse their row alone.
            raise self._wrong_encoding from error


class Source:
    """An open file; `columns` are the names in the header of a CSV, None for JSON lines.

    `delimiter` is that of a CSV.
    """

    def __init__(
        self, binary: BinaryIO, name: str, form: str, delimiter: str, encoding: str = UTF_8
    ) -> None:
        self.name = name
        self.form = form
        self.encoding = encoding
        self._binary = binary
        # Bytes that are not of the encoding reject their row only, not the file.
        self._text = io.TextIOWrapper(
            binary, encoding=codec_of(encoding), errors=errors_of(encoding), newline=""
        )
        self._wrong_encoding = WrongUsage(
            f"{name} is not {ENCODINGS.get(encoding, encoding)}. Choose another "
            "encoding (--encoding, such as cp1252 or utf-16), or save the file as UTF-8."
        )
        self._lines = Lines(self._text, self._wrong_encoding)
        self.columns: list[str] | None = None
        self.delimiter = delimiter
        if form == "csv":
            csv.field_size_limit(MOST_CHARACTERS)
            if (said := self._lines.skip(DELIMITER_LINE)) is not None:
                self.delimiter = said[1]
            self._reader = csv.reader(self._lines, delimiter=self.delimiter)
            self._original: Callable[[str], str] = without_apostrophe
            self._header = self._read_header()
            self.columns = [name for name in self._header if name]

    def bytes_read(self) -> int:
        """Return how far the file is read, to within a buffer."""
        return self._binary.tell() if self._binary.seekable() else 0

    def records(self) -> Iterator[Record]:
        return self._csv_records() if self.form == "csv" else self._json_records()

    def _read_header(self) -> list[str]:
        """Return the name of each column; "" for one without a name."""
        cells = [name.strip() for name in next(self._rows(), [])]
        is_ours = is_export(cells) or set(REJECTION_COLUMNS) <= set(cells)
        if is_ours:
            # Within a cell, an apostrophe of another program is a part of the text.
            self._original = original
        header = [*map(self._original, cells)]
        if any(UNREADABLE.search(name) for name in header):
            raise self._wrong_encoding
        if not header:
            raise WrongUsage(f"{self.name} is empty. A CSV begins with the names of its columns.")
        twice = sorted({name for name in header if name and header.count(name) > 1})
        if twice:
            raise WrongUsage(f"{self.name} has columns of the same name: {', '.join(twice)}")
        return header

    def _rows(self) -> Iterator[list[str]]:
        """Yield the rows without the empty ones, which spreadsheets append."""
        while True:
            skipped = self._lines.skipped
            first_line = self._reader.line_num + skipped + 1
            try:
                row = next(self._reader, None)
            except csv.Error as error:
                line = self._reader.line_num + skipped
                raise WrongUsage(
                    f"{self.name}, line {line}: {error}. The import stops here."
                ) from error
            if row is None:
                return
            if self._lines.are_over:
                # Only within an open quote does the reader ask for a line after the last.
                raise WrongUsage(
                    f"{self.name}, line {first_line}: a quote in this row is never closed. "
                    "The import stops here."
                )
            if any(map(str.strip, row)):
                yield row

    def _csv_records(self) -> Iterator[Record]:
        header = self._header
        for number, row in enumerate(self._rows(), 1):
            named = zip(header, map(self._original, row), strict=False)
            fields = {name: cell for name, cell in named if name}
            problem = self._problem_of(row)
            yield Record(number, fields, problem, self._as_line(row) if problem else "")

    def _problem_of(self, row: list[str]) -> str:
        """Return why a row cannot be read by the header; "" if it can.

        Spreadsheets write empty columns without a name beside the others.
        """
        count = len(self._header)
        if len(row) < count or any(map(str.strip, row[count:])):
            return f"{len(row)} fields, but the header has {count}"
        for number, (name, cell) in enumerate(zip(self._header, row, strict=False), 1):
            if not name and cell.strip():
                return f"{cell.strip()[:50]!r} stands in column {number}, which has no name"
        return ""

    def _as_line(self, row: list[str]) -> str:
        text = io.StringIO()
        csv.writer(text, delimiter=self.delimiter, lineterminator="").writerow(row)
        return text.getvalue()

    def _json_records(self) -> Iterator[Record]:
        number = 0
        while line := self._lines.read(MOST_CHARACTERS):
            whole = line.endswith("\n") or len(line) < MOST_CHARACTERS
            while not whole:
                rest = self._lines.read(MOST_CHARACTERS)
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
        found = json.loads(line, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        return Record(number, {}, f"invalid JSON: {error}", line.strip())
    if not isinstance(found, dict):
        return Record(number, {}, "not a JSON object", line.strip())
    return Record(number, found)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object; raises ValueError for a field that it has twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a field twice")
    return found


@contextmanager
def opened(
    path: str,
    form: str | None,
    delimiter: str,
    name: str | None = None,
    encoding: str | None = None,
) -> Iterator[Source]:
    """Open a file, or standard input for a hyphen; raises WrongUsage if it cannot be read.

    Errors call the file `name`, or by its path. Without an encoding, a file has the one that is
    found in it, and a pipe, which is read once, UTF-8.
    """
    kind = form or SUFFIXES.get(Path(path).suffix.lower())
    if kind is None:
        raise WrongUsage(
            f"The format of {name or path} is not known. Give --format csv or --format jsonl."
        )
    separator = "\t" if Path(path).suffix.lower() == ".tsv" or delimiter == "tab" else delimiter
    if len(separator) != 1:
        raise WrongUsage("--delimiter takes one character, or tab.")
    if path == STDIN:
        # A caller may have closed it.
        if sys.stdin is None:
            raise WrongUsage("There is no standard input. Name a file.")
        yield Source(sys.stdin.buffer, "standard input", kind, separator, encoding or UTF_8)
        return
    try:
        used = encoding or (detected(Path(path)) if is_file(path) else UTF_8)
        binary = Path(path).open("rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror}") from error
    with binary:
        yield Source(binary, name or path, kind, separator, used)


def note_encoding(output: Output, source: Source, advice: str = "Else save it as UTF-8.") -> None:
    """Print the encoding that was found in a file, if it is not the usual one."""
    if source.encoding != UTF_8:
        output.note(f"{source.name} is read as {ENCODINGS[source.encoding]}. {advice}")


def is_file(path: str) -> bool:
    """Return whether a path is a file that can be read twice, and no pipe."""
    return path != STDIN and Path(path).is_file()


def size_of(path: str) -> int | None:
    """Return the size of a file in bytes, None for a pipe."""
    return Path(path).stat().st_size if is_file(path) else None
