"""Opens files with personal data or secrets so that only their owner can read them."""

import os
import stat
from pathlib import Path
from typing import Literal, TextIO

OWNER_ONLY = 0o600


def open_private(
    path: str | Path,
    *,
    append: bool = False,
    encoding: str = "utf-8",
    errors: str = "strict",
) -> TextIO:
    """Open a text file for writing, and make it readable only by its owner.

    Raises OSError if the file belongs to another user.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND * append, OWNER_ONLY)
    try:
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode):
            if stat.S_IMODE(found.st_mode) != OWNER_ONLY:
                _restrict(descriptor, path)
            if not append:
                os.ftruncate(descriptor, 0)
        mode: Literal["a", "w"] = "a" if append else "w"
        return open(descriptor, mode, encoding=encoding, errors=errors, newline="")
    except BaseException:
        os.close(descriptor)
        raise


def _restrict(descriptor: int, path: str | Path) -> None:
    # On Windows, os.fchmod exists only in Python 3.13 and later.
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, OWNER_ONLY)
    else:
        Path(path).chmod(OWNER_ONLY)
