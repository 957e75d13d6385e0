"""Loads the Lua scripts; a script's header is its contract, read here and held by a test."""

import hashlib
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

FOLDER = Path(__file__).with_name("scripts")
LIBRARY = FOLDER / "lib"
COMMENT = re.compile(r" *--[^\n]*")
FUNCTION = re.compile(r"^local function (\w+)\(.*?^end\n", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"\w+")
# Arguments that the store adds at the end of the caller's.
OF_STORE = ("now", "server_run_id")
Names = tuple[str, ...]


@dataclass(frozen=True)
class Script:
    """One verb: all its code, and what its header declares.

    `returns` has the names of the values that follow each outcome, and `rows` the names of the
    values in each row of such a value.
    """

    name: str
    source: str
    keys: Names
    arguments: Names
    returns: dict[str, Names]
    rows: dict[str, Names]

    @cached_property
    def added(self) -> Names:
        """Return the arguments that the store adds."""
        return tuple(name for name in self.arguments if name in OF_STORE)

    @cached_property
    def sha(self) -> str:
        return hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()


@cache
def script_named(name: str) -> Script:
    """Return a verb's script. The first call reads it: an environment may never run the others."""
    return load(FOLDER / f"{name}.lua")


def load(path: Path) -> Script:
    """Read one script, with the shared Lua that it names put before it."""
    body = path.read_text(encoding="utf-8")
    header = [line[3:] for line in body.splitlines() if line.startswith("-- ")]
    replies = [reply for line in _lines(header, "RETURNS") for reply in line.split(" | ")]
    keys, arguments = _words(header, "KEYS"), _words(header, "ARGV")
    return Script(
        name=path.stem,
        source=_code(_words(header, "USES"), _names(keys, arguments, _words(header, "META")), body),
        keys=keys,
        arguments=arguments,
        returns=dict(map(_named, replies)),
        rows=dict(map(_named, _lines(header, "EACH"))),
    )


def _names(keys: Names, arguments: Names, fields: Names) -> str:
    """Return the Lua that names the header's keys (`keys.queue`), its arguments, and fields.

    The arguments are locals. The fields of the hash of the list, META, are read in one command and
    are locals too: `meta_paused` is the field `paused`.
    """
    table = ", ".join(f"{name} = KEYS[{number}]" for number, name in enumerate(keys, 1))
    names = f"local keys = {{{table}}}"
    if arguments:
        names += f" local {', '.join(arguments)} = unpack(ARGV)"
    if fields:
        values = ", ".join(f"meta_{field}" for field in fields)
        read = ", ".join(f"'{field}'" for field in fields)
        names += f" local {values} = unpack(redis.call('HMGET', keys.meta, {read}))"
    return names


def _code(pieces: Names, names: str, body: str) -> str:
    """Return the code without comments, because Redis reads and hashes every byte that is sent.

    The names take the place of the header's first line, so that every line keeps the number that
    it has in its file: an error in Redis' log names it.
    """
    library = "".join([(LIBRARY / f"{name}.lua").read_text("utf-8") for name in pieces])
    code = names + COMMENT.sub("", body)
    return _needed(COMMENT.sub("", library), code) + code


def _needed(library: str, code: str) -> str:
    """Return the library with empty lines for each function that no code after it names.

    Redis makes each function again at each run, which takes a tenth of a microsecond.
    """
    named = set(WORD.findall(FUNCTION.sub("", library) + code))
    for function in reversed(list(FUNCTION.finditer(library))):
        if function[1] in named:
            named.update(WORD.findall(function[0]))
        else:
            library = library.replace(function[0], "\n" * function[0].count("\n"))
    return library


def _words(header: list[str], keyword: str) -> Names:
    return tuple(word for line in _lines(header, keyword) for word in line.split())


def _lines(header: list[str], keyword: str) -> list[str]:
    return [line.removeprefix(keyword + " ") for line in header if line.startswith(keyword + " ")]


def _named(words: str) -> tuple[str, Names]:
    first, *others = words.split()
    return first, tuple(others)
