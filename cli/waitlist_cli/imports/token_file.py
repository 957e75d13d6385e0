"""Writes a file of the entry tokens that an import has issued. The tokens are secrets."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.private_files import open_private
from waitlist_cli.terminal.spreadsheets import SheetWriter

HEADER = ("entry_id", "customer_id", "entry_token", "link", "address")
# The maximum length of a line, which contains two ids, a token, a link and an address.
TAIL_BYTES = 4096
Issued = tuple[str, str, str, str, str]


class TokenFile:
    """A CSV file with the entry tokens of the imported people.

    An import that starts with the first row issues all tokens again, so it replaces the file. An
    import that continues at a later row adds tokens to the file.
    """

    def __init__(self, path: Path, *, append: bool) -> None:
        self.path = path
        self.count = 0
        self._append = append
        self._file: TextIO | None = None
        self._writer: SheetWriter | None = None

    def write(self, issued: Sequence[Issued]) -> None:
        """Write the tokens from one response to the file.

        The import counts rows as done only after it has written their tokens. If it is interrupted
        earlier, the next import sends the rows again, so no token is lost.
        """
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
                f"{self.path} cannot be written: {error.strerror}. Choose another file with "
                "--tokens and run the same command again. It writes all tokens again."
            ) from error
        self.count += len(issued)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _opened(self) -> tuple[TextIO, SheetWriter]:
        is_new = not (self._append and _remove_unfinished_line(self.path) > 0)
        file = open_private(self.path, append=not is_new)
        writer = SheetWriter(file)
        if is_new:
            writer.header(HEADER)
        return file, writer


def choose_token_file(
    chosen: str | None, taken: Sequence[str | Path], *, append: bool
) -> TokenFile | None:
    """Return the token file that the operator chose, or None if they chose none.

    Raises WrongUsage if the path is already used for something else, such as the file to import.
    """
    if chosen is None:
        return None
    path = Path(chosen)
    if path.resolve() in [Path(other).resolve() for other in taken] or not _is_ours(path):
        raise WrongUsage(
            f"{path} is already used for something else. Choose another file with --tokens."
        )
    return TokenFile(path, append=append)


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return not path.exists()
    header = ",".join(HEADER).encode()
    try:
        with path.open("rb") as file:
            return file.read(len(header)) in (b"", header)
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror}") from error


def _remove_unfinished_line(path: Path) -> int:
    """Remove an incomplete last line, and return the file's new size.

    An import that was killed can leave such a line.
    """
    try:
        with path.open("rb+") as file:
            start = max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES)
            file.seek(start)
            return file.truncate(start + file.read().rfind(b"\n") + 1)
    except FileNotFoundError:
        return 0
