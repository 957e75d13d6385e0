"""Writes the refused rows and the reasons to a file.

Once the operator has corrected the rows, the file can be imported.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.encodings import UTF_8, codec_of
from waitlist_cli.imports.records import REJECTION_COLUMNS, STDIN, SUFFIXES, Record, Source
from waitlist_cli.terminal.private_files import open_private
from waitlist_cli.terminal.spreadsheets import SheetWriter


class RejectedRows:
    """A file for refused rows. It is created when the first row is refused.

    The file also contains `read_as`, the guesses about the original file, so that a later import of
    the refused rows uses the same guesses.
    """

    def __init__(self, path: Path, source: Source, *, append: bool, read_as: str = "") -> None:
        self.path = path
        self.count = 0
        self._columns = source.columns
        self._delimiter = source.delimiter
        self._encoding = source.encoding
        self._append = append
        self._read_as = read_as
        self._file: TextIO | None = None
        self._writer: SheetWriter | None = None
        # Remove the file of an earlier import, but never a device such as /dev/null. For a folder,
        # `unlink` raises an error, so the operator learns about the mistake before the import
        # begins.
        if not append and not path.is_symlink() and (path.is_file() or path.is_dir()):
            path.unlink()

    def add(self, record: Record, code: str, reason: str) -> None:
        """Write a refused row. Raise WrongUsage if the file cannot be written."""
        self.count += 1
        try:
            self._write(record, code, reason)
        except OSError as error:
            raise WrongUsage(
                f"{self.path} cannot be written: {error.strerror}. Choose another file with "
                "--refused."
            ) from error

    def close(self) -> None:
        # Ignore errors on closing the file, because a failed write has already raised one.
        with suppress(OSError):
            if self._file is not None:
                self._file.close()

    def _write(self, record: Record, code: str, reason: str) -> None:
        values = (record.number, code, reason, record.line, self._read_as)
        details = dict(zip(REJECTION_COLUMNS, values, strict=True))
        file = self._opened()
        if self._writer is None:
            file.write(json.dumps({**record.fields, **details}) + "\n")
        else:
            kept = [record.fields.get(name, "") for name in self._kept_columns()]
            self._writer.row([*kept, *details.values()])
        file.flush()

    def _kept_columns(self) -> list[str]:
        return [name for name in self._columns or [] if name not in REJECTION_COLUMNS]

    def _opened(self) -> TextIO:
        if self._file is not None:
            return self._file
        is_new = not (self._append and self.path.exists())
        # A byte order mark lets spreadsheets recognise UTF-8. A JSON lines file has none.
        codec = codec_of(self._encoding) if self._columns is not None else self._encoding
        # A byte that is not valid UTF-8 is written as it was read. In other encodings, the original
        # byte is unknown, so an escape sequence is written instead.
        errors = "surrogateescape" if self._encoding == UTF_8 else "backslashreplace"
        self._file = open_private(self.path, append=not is_new, encoding=codec, errors=errors)
        if self._columns is not None:
            self._writer = SheetWriter(self._file, self._delimiter)
            if is_new:
                self._writer.header([*self._kept_columns(), *REJECTION_COLUMNS])
        return self._file


def rejected_path(source: str, form: str, chosen: str | None) -> Path:
    """Return the path of the file for refused rows.

    By default, it is next to the imported file.
    """
    if chosen:
        path = Path(chosen)
    else:
        stem = Path("import") if source == STDIN else Path(source).with_suffix("")
        # Keep the suffix .tsv, because files with this suffix are always read with tabs.
        suffix = Path(source).suffix if Path(source).suffix.lower() in SUFFIXES else f".{form}"
        path = stem.with_name(f"{stem.name}.refused{suffix}")
    if source != STDIN and path.exists() and path.samefile(source):
        raise WrongUsage(f"{path} is the imported file. Choose another file with --refused.")
    return path
