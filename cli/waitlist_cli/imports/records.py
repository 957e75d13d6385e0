"""Reads a file of people row by row."""

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
from waitlist_cli.imports.encodings import ENCODINGS, UTF_8, codec_of, detect_encoding, errors_of
from waitlist_cli.terminal.output import Output, format_count
from waitlist_cli.terminal.spreadsheets import remove_apostrophe, restore_cell

# The maximum length of a row. If a quote is never closed, this limit keeps the rest of the file
# from being read into memory.
MOST_CHARACTERS = 2 * 1024 * 1024
SUFFIXES = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
STDIN = "-"
# Characters that show that a text was read with the wrong encoding. A lone surrogate stands for a
# byte that could not be decoded. NUL characters appear if UTF-16 text is read as another encoding.
UNREADABLE = re.compile("[\x00\ud800-\udfff]")
# The first line of a CSV file can tell Excel the delimiter, as in `sep=;`.
DELIMITER_LINE = re.compile('"?sep=(.)"?\r?\n?', re.IGNORECASE)
# The columns that this program adds to a file of refused rows.
REJECTION_COLUMNS = (
    "refused_row",
    "refused_code",
    "refused_reason",
    "refused_line",
    "refused_read_as",
)
# A file with all these columns was exported by this program. Other programs' files do not have all
# of them.
EXPORT_COLUMNS = frozenset({"entry_id", "customer_id", "status", "priority", "joined_at"})


def is_export(names: Iterable[str]) -> bool:
    """Return whether a file with these column names was exported by this program."""
    return set(names) >= EXPORT_COLUMNS


@dataclass(frozen=True, slots=True)
class Record:
    """A row of the file."""

    # The row number, which begins at 1.
    number: int
    fields: dict[str, Any] = field(default_factory=dict)
    # The reason why the row cannot be sent, or "".
    problem: str = ""
    # The original text of a row that is not valid JSON or does not fit the header. It is "" for
    # every other row.
    line: str = ""


class Lines:
    """An iterator over the lines of a file."""

    def __init__(self, text: TextIO, wrong_encoding: WrongUsage) -> None:
        self._text = text
        self._wrong_encoding = wrong_encoding
        self._put_back = ""
        self.is_exhausted = False
        self.skipped = 0

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        line = self.read()
        if not line:
            self.is_exhausted = True
            raise StopIteration
        return line

    def skip(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """If the next line matches the pattern, skip it and return the match.

        Otherwise return None.
        """
        line = self.read()
        found = pattern.fullmatch(line)
        if found is None:
            self._put_back = line
        else:
            self.skipped += 1
        return found

    def read(self, most: int = -1) -> str:
        """Return the next line, or its first `most` characters if it is longer.

        The next call then continues in the same line.
        """
        if self._put_back:
            line, self._put_back = self._put_back, ""
            return line
        try:
            return self._text.readline(most)
        except UnicodeError as error:
            # The whole file must be in another encoding, such as UTF-16 without a byte order mark.
            raise self._wrong_encoding from error


class Source:
    """An open file of people, in CSV or JSON lines."""

    def __init__(
        self, binary: BinaryIO, name: str, form: str, delimiter: str, encoding: str = UTF_8
    ) -> None:
        self.name = name
        self.form = form
        self.encoding = encoding
        self._binary = binary
        # The error handler marks bytes that cannot be decoded, so that the import refuses only the
        # rows with such bytes.
        self._text = io.TextIOWrapper(
            binary, encoding=codec_of(encoding), errors=errors_of(encoding), newline=""
        )
        self._wrong_encoding = WrongUsage(
            f"{name} is not in the encoding {ENCODINGS.get(encoding, encoding)}. Choose another "
            "encoding with --encoding, such as cp1252 or utf-16, or save the file as UTF-8."
        )
        self._lines = Lines(self._text, self._wrong_encoding)
        self.columns: list[str] | None = None
        self.delimiter = delimiter
        if form == "csv":
            csv.field_size_limit(MOST_CHARACTERS)
            if (found := self._lines.skip(DELIMITER_LINE)) is not None:
                self.delimiter = found[1]
            self._reader = csv.reader(self._lines, delimiter=self.delimiter)
            self._original: Callable[[str], str] = remove_apostrophe
            self._header = self._read_header()
            self.columns = [name for name in self._header if name]

    def bytes_read(self) -> int:
        """Return how many bytes of the file have been read, including those still in a buffer."""
        return self._binary.tell() if self._binary.seekable() else 0

    def records(self) -> Iterator[Record]:
        return self._csv_records() if self.form == "csv" else self._json_records()

    def _read_header(self) -> list[str]:
        """Read the column names. The name of an unnamed column is ""."""
        cells = [name.strip() for name in next(self._rows(), [])]
        is_ours = is_export(cells) or set(REJECTION_COLUMNS) <= set(cells)
        if is_ours:
            # This program wrote the file, and put an apostrophe before each formula, even inside a
            # cell. Remove these apostrophes.
            self._original = restore_cell
        header = [*map(self._original, cells)]
        if any(UNREADABLE.search(name) for name in header):
            raise self._wrong_encoding
        if not header:
            raise WrongUsage(
                f"{self.name} is empty. The first line of a CSV file must name its columns."
            )
        twice = sorted({name for name in header if name and header.count(name) > 1})
        if twice:
            raise WrongUsage(
                f"{self.name} has several columns with the same name: {', '.join(twice)}"
            )
        return header

    def _rows(self) -> Iterator[list[str]]:
        """Yield the rows that are not empty. Spreadsheets often append empty rows."""
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
            if self._lines.is_exhausted:
                # The CSV reader asked for another line at the end of the file, so a quote was never
                # closed.
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
        """Describe how a row differs from the header. Return "" if the row fits the header.

        Empty cells beyond the last column are accepted, because spreadsheets often add them.
        """
        count = len(self._header)
        if len(row) < count or any(map(str.strip, row[count:])):
            fields = format_count(len(row), "field", "fields")
            return f"The row has {fields}, but the header has {count}"
        for number, (name, cell) in enumerate(zip(self._header, row, strict=False), 1):
            if not name and cell.strip():
                return f"{cell.strip()[:50]!r} is in column {number}, which has no name"
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
    """Build a JSON object. Raise ValueError if it contains a field twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same field twice")
    return found


@contextmanager
def open_source(
    path: str,
    form: str | None,
    delimiter: str,
    name: str | None = None,
    encoding: str | None = None,
) -> Iterator[Source]:
    """Open a file, or standard input if `path` is a hyphen.

    If no `encoding` is given, it is detected. A pipe is read as UTF-8, because detection would
    consume its content.
    """
    kind = form or SUFFIXES.get(Path(path).suffix.lower())
    if kind is None:
        raise WrongUsage(
            f"The format of {name or path} is unknown. Give a file whose name ends in .csv or "
            ".jsonl. For an import, you can also use --format csv or --format jsonl."
        )
    separator = "\t" if Path(path).suffix.lower() == ".tsv" or delimiter == "tab" else delimiter
    if len(separator) != 1:
        raise WrongUsage("--delimiter must be a single character, or `tab`.")
    if path == STDIN:
        # If standard input is closed, Python sets `sys.stdin` to None.
        if sys.stdin is None:
            raise WrongUsage(
                "Standard input is closed, so nothing can be read from it. Name a file instead."
            )
        yield Source(sys.stdin.buffer, "standard input", kind, separator, encoding or UTF_8)
        return
    try:
        used = encoding or (detect_encoding(Path(path)) if is_file(path) else UTF_8)
        binary = Path(path).open("rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror}") from error
    with binary:
        yield Source(binary, name or path, kind, separator, used)


def note_encoding(
    output: Output,
    source: Source,
    advice: str = "If this encoding is wrong, save the file as UTF-8.",
) -> None:
    """Print a file's detected encoding if it is not UTF-8."""
    if source.encoding != UTF_8:
        output.note(f"{source.name} is read as {ENCODINGS[source.encoding]}. {advice}")


def is_file(path: str) -> bool:
    """Return whether the path is a regular file.

    A regular file can be read twice, but a pipe cannot.
    """
    return path != STDIN and Path(path).is_file()


def size_of(path: str) -> int | None:
    """Return a file's size in bytes, or None for a pipe."""
    return Path(path).stat().st_size if is_file(path) else None
