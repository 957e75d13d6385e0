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
# Keys and arguments of the first come first; both take what the store adds, and one instant.
PAIR = """\
local now, here = micros(ARGV[#ARGV - 1]), ARGV[#ARGV]
ARGV[#ARGV - 1] = now
local keys, arguments = {{unpack(KEYS, 1, {keys})}}, {{unpack(ARGV, 1, {arguments})}}
arguments[{arguments} + 1], arguments[{arguments} + 2] = now, here
local reply = {first}(keys, arguments)
return {{reply, {second}({{unpack(KEYS, {keys} + 1)}}, {{unpack(ARGV, {arguments} + 1)}})}}
"""


@dataclass(frozen=True)
class Script:
    """One verb: all its code, and the keys, arguments and outcomes that its header declares."""

    name: str
    pieces: tuple[str, ...]
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
    pieces = _words(header, "USES")
    returns = " | ".join(line[8:] for line in header if line.startswith("RETURNS "))
    return Script(
        name=path.stem,
        pieces=pieces,
        source=_code(pieces, body),
        keys=_words(header, "KEYS"),
        arguments=_words(header, "ARGV"),
        outcomes=tuple(alternative.split()[0] for alternative in returns.split(" | ")),
    )


def load_pair(first: Script, second: Script) -> Script:
    """Return a script that runs both, in this order, and answers with both replies."""
    # A piece needs only those before it, and each script names all that it needs.
    pieces = (*second.pieces, *[piece for piece in first.pieces if piece not in second.pieces])
    own = first.arguments[: -len(OF_STORE)]
    ending = PAIR.format(
        first=first.name, second=second.name, keys=len(first.keys), arguments=len(own)
    )
    return Script(
        name=f"{first.name}+{second.name}",
        pieces=pieces,
        source=_code(pieces, _function(first), _function(second), ending),
        keys=first.keys + second.keys,
        arguments=own + second.arguments,
        outcomes=(),
    )


def _function(script: Script) -> str:
    body = (FOLDER / f"{script.name}.lua").read_text("utf-8")
    return f"local function {script.name}(KEYS, ARGV)\n{body}end\n"


def _code(pieces: tuple[str, ...], *bodies: str) -> str:
    """Return the code without comments: Redis reads and hashes all that is sent whole.

    The lines stay, so that an error's number is that of the line with its comments.
    """
    library = [(LIBRARY / f"{name}.lua").read_text("utf-8") for name in pieces]
    return COMMENT.sub("", "".join([*library, *bodies]))


def load_all() -> dict[str, Script]:
    """Read all scripts, by name."""
    return {path.stem: load(path) for path in sorted(FOLDER.glob("*.lua"))}


def _words(header: list[str], keyword: str) -> tuple[str, ...]:
    lines = [line.split()[1:] for line in header if line.startswith(keyword + " ")]
    return tuple(word for words in lines for word in words)
