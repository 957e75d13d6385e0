"""Loads the Lua scripts; a script's header is its contract, read here and held by a test."""

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).with_name("scripts")
LIBRARY = FOLDER / "lib"
COMMENT = re.compile(r" *--[^\n]*")
# What the store knows and callers do not; they end a script's arguments.
OF_STORE = ("now", "here")


@dataclass(frozen=True)
class Script:
    """One verb: all its code, and the keys, arguments and outcomes that its header declares."""

    name: str
    source: str
    keys: tuple[str, ...]
    arguments: tuple[str, ...]
    outcomes: tuple[str, ...]

    @cached_property
    def added(self) -> tuple[str, ...]:
        """Return the arguments that the store adds."""
        return tuple(name for name in self.arguments if name in OF_STORE)

    @cached_property
    def sha(self) -> str:
        return hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()


def load(path: Path) -> Script:
    """Read one script, with the shared Lua that it names put before it."""
    body = path.read_text(encoding="utf-8")
    header = [line[3:] for line in body.splitlines() if line.startswith("-- ")]
    returns = " | ".join(line[8:] for line in header if line.startswith("RETURNS "))
    return Script(
        name=path.stem,
        source=_code(_words(header, "USES"), body),
        keys=_words(header, "KEYS"),
        arguments=_words(header, "ARGV"),
        outcomes=tuple(alternative.split()[0] for alternative in returns.split(" | ")),
    )


def _code(pieces: tuple[str, ...], body: str) -> str:
    """Return the code without comments: Redis reads and hashes all that is sent whole.

    The lines stay, so that an error's number is that of the line with its comments.
    """
    library = [(LIBRARY / f"{name}.lua").read_text("utf-8") for name in pieces]
    return COMMENT.sub("", "".join([*library, body]))


def load_all() -> dict[str, Script]:
    """Read all scripts, by name."""
    return {path.stem: load(path) for path in sorted(FOLDER.glob("*.lua"))}


def _words(header: list[str], keyword: str) -> tuple[str, ...]:
    lines = [line.split()[1:] for line in header if line.startswith(keyword + " ")]
    return tuple(word for words in lines for word in words)
