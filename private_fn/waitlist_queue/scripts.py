"""Loads the Lua scripts, and reads the keys, arguments and replies that their headers declare."""

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
# The store adds these arguments to every call.
STORE_ARGUMENTS = ("now", "server_run_id")
Names = tuple[str, ...]


@dataclass(frozen=True)
class Script:
    """The code of a script, and the declarations in its header."""

    name: str
    source: str
    keys: Names
    arguments: Names
    # The names of the values that follow each outcome in the reply.
    returns: dict[str, Names]
    # The names of the values in each row, for values that are lists of rows.
    rows: dict[str, Names]

    @cached_property
    def added(self) -> Names:
        """Return the names of the arguments that the store adds."""
        return tuple(name for name in self.arguments if name in STORE_ARGUMENTS)

    @cached_property
    def sha(self) -> str:
        return hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()


@cache
def script_named(name: str) -> Script:
    """Return the script with this name, and read its file at the first call."""
    return load(FOLDER / f"{name}.lua")


def load(path: Path) -> Script:
    """Read a script file, and add the library functions that the script uses."""
    body = path.read_text(encoding="utf-8")
    header = [line[3:] for line in body.splitlines() if line.startswith("-- ")]
    replies = [reply for line in _lines(header, "RETURNS") for reply in line.split(" | ")]
    keys, arguments = _words(header, "KEYS"), _words(header, "ARGV")
    return Script(
        name=path.stem,
        source=_code(_words(header, "USES"), _names(keys, arguments, _words(header, "META")), body),
        keys=keys,
        arguments=arguments,
        returns=dict(map(_split_declaration, replies)),
        rows=dict(map(_split_declaration, _lines(header, "EACH"))),
    )


def _names(keys: Names, arguments: Names, fields: Names) -> str:
    """Return Lua code that gives names to the keys, arguments and META fields of a script.

    META fields are fields of the hash `meta`, which are read with a single command. For example,
    `meta_paused` is the `paused` field.
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
    """Return the complete code of a script without comments."""
    # Comments are removed because Redis hashes every byte of a script. Each line keeps its
    # number, because Redis errors contain line numbers.
    library = "".join([(LIBRARY / f"{name}.lua").read_text("utf-8") for name in pieces])
    code = names + COMMENT.sub("", body)
    return _without_unused_functions(COMMENT.sub("", library), code) + code


def _without_unused_functions(library: str, code: str) -> str:
    """Return the library code without the functions that the script does not use."""
    # Redis creates each function again in every run, which takes 0.1 microseconds per function.
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


def _split_declaration(words: str) -> tuple[str, Names]:
    first, *others = words.split()
    return first, tuple(others)
