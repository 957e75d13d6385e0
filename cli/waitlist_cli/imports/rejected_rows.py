"""The file of rejected rows with reasons; once corrected, it can be imported itself."""

import json
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.columns import REJECTION_COLUMNS
from waitlist_cli.imports.records import STDIN, Record
from waitlist_cli.terminal.private_files import open_private
from waitlist_cli.terminal.spreadsheets import SheetWriter


class RejectedRows:
    """Creates the file with the first rejected row."""

    def __init__(self, path: Path, columns: list[str] | None, *, goes_on: bool) -> None:
        self.path = path
        self.count = 0
        self._columns = columns
        self._goes_on = goes_on
        self._file: TextIO | None = None
        self._writer: SheetWriter | None = None
        # Devices, pipes and links stay: root would replace /dev/null by a file.
        # A folder is an error before the first request.
        if not goes_on and not path.is_symlink() and (path.is_file() or path.is_dir()):
            path.unlink()

    def add(self, record: Record, code: str, reason: str) -> None:
        """Write a row; raises WrongUsage if that fails."""
        self.count += 1
        try:
            self._write(record, code, reason)
        except OSError as error:
            raise WrongUsage(
                f"{self.path} cannot be written: {error.strerror}. "
                "Name another file with --refused."
            ) from error

    def close(self) -> None:
        # What could not be written was an error before.
        with suppress(OSError):
            if self._file is not None:
                self._file.close()

    def _write(self, record: Record, code: str, reason: str) -> None:
        details = dict(
            zip(REJECTION_COLUMNS, (record.number, code, reason, record.line), strict=True)
        )
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
        is_new = not (self._goes_on and self.path.exists())
        self._file = open_private(self.path, append=not is_new, errors="surrogateescape")
        if self._columns is not None:
            self._writer = SheetWriter(self._file)
            if is_new:
                self._writer.header([*self._kept_columns(), *REJECTION_COLUMNS])
        return self._file


def rejected_path(source: str, form: str, chosen: str | None) -> Path:
    """Return the path of the file of rejected rows; by default it is beside the imported file."""
    if chosen:
        path = Path(chosen)
    else:
        stem = Path("import") if source == STDIN else Path(source).with_suffix("")
        path = stem.with_name(f"{stem.name}.refused.{form}")
    if source != STDIN and path.exists() and path.samefile(source):
        raise WrongUsage(f"{path} is the imported file. Name another one with --refused.")
    return path
