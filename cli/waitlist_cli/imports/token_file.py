"""The file of the entry tokens of an import, which are secrets."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.private_files import open_private
from waitlist_cli.terminal.spreadsheets import SheetWriter

HEADER = ("entry_id", "customer_id", "entry_token", "link", "address")
# Longer than any line: ids of 26 and 256 characters, quotes, and a token of 52.
TAIL_BYTES = 4096
Issued = tuple[str, str, str, str, str]


class TokenFile:
    """Created with the first response; has a line for each accepted row.

    An import from row 1 replaces the file, because a repeat gets all tokens again.
    """

    def __init__(self, path: Path, *, goes_on: bool) -> None:
        self.path = path
        self.count = 0
        self._goes_on = goes_on
        self._file: TextIO | None = None
        self._writer: SheetWriter | None = None

    def write(self, issued: Sequence[Issued]) -> None:
        """Add the tokens of one call before its rows count as done."""
        if not issued:
            return
        try:
            if self._file is None or self._writer is None:
                self._file, self._writer = self._opened()
            for line in issued:
                self._writer.row(line)
            self._file.flush()
        except OSError as error:
            raise WrongUsage(
                f"{self.path} cannot be written: {error.strerror}. Name another file with "
                "--tokens, and run the same command again: it gets all tokens again."
            ) from error
        self.count += len(issued)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _opened(self) -> tuple[TextIO, SheetWriter]:
        is_new = not (self._goes_on and _cut(self.path) > 0)
        file = open_private(self.path, append=not is_new)
        writer = SheetWriter(file)
        if is_new:
            writer.header(HEADER)
        return file, writer


def token_file(
    chosen: str | None, taken: Sequence[str | Path], *, goes_on: bool
) -> TokenFile | None:
    """Return the chosen token file, if any; raises WrongUsage if the path is used otherwise."""
    if chosen is None:
        return None
    path = Path(chosen)
    if path.resolve() in [Path(one).resolve() for one in taken] or not _is_ours(path):
        raise WrongUsage(f"{path} is used for something else. Name another file with --tokens.")
    return TokenFile(path, goes_on=goes_on)


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return not path.exists()
    header = ",".join(HEADER).encode()
    try:
        with path.open("rb") as file:
            return file.read(len(header)) in (b"", header)
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror}") from error


def _cut(path: Path) -> int:
    """Remove an unfinished last line of a killed run; return the remaining size."""
    try:
        with path.open("rb+") as file:
            start = max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES)
            file.seek(start)
            return file.truncate(start + file.read().rfind(b"\n") + 1)
    except FileNotFoundError:
        return 0
