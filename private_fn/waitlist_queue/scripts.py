"""Loads the Lua scripts.

The header of a script declares its arguments and replies, and names the code that it uses:

- `NEEDS` names files of `scripts/lib`, which contain functions.
- `PRELUDE` names files of `scripts/prelude`. Their code runs before the script, in this order, and
  may end the run with a refusal.
- `ARGV` names the arguments. `RETURNS joined|already rank ticket` names the values that follow
  these two outcomes in the reply, and `EACH entries entry_id rank` the values of a row.
- `PER_RUN` is the number of requests that one run carries out. The default is 1.

A file names only what it uses itself. Its files can name more files in the same way. Fields of the
hash `meta`, keys, and the arguments that the store adds are declared by their use: code that
contains `meta_paused` receives the field `paused`, and `keys.queue` is the name of a Redis key.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from waitlist_queue.keys import OF_WAITLIST

FOLDER = Path(__file__).with_name("scripts")
LIBRARY = FOLDER / "lib"
PRELUDE = FOLDER / "prelude"
COMMENT = re.compile(r"--[^\n]*")
# The comments at the beginning of a file.
HEADER = re.compile(r"(?:--.*\n)*")
FUNCTION = re.compile(r"^(local function (\w+)\(.*?^end\n)", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"\w+")
META_FIELD = re.compile(r"meta_(\w+)")
KEY = re.compile(r"keys\.(\w+)")
# If a script's code contains this text, the script uses all of a waitlist's keys.
EVERY_KEY = "unpack(KEYS)"
# If a script uses one of these arguments, the store adds the argument to every call of the script.
STORE_ARGUMENTS = ("now", "server_run_id")
Names = tuple[str, ...]


@dataclass(frozen=True)
class Script:
    """A script's code, and the declarations in its header."""

    name: str
    source: str
    keys: Names
    # The arguments that a request provides.
    arguments: Names
    # The arguments that the store adds.
    added: Names
    # The names of the values that follow each outcome in the reply.
    returns: dict[str, Names]
    # Some values in a reply are lists of rows. This dictionary contains the column names of each
    # such value.
    rows: dict[str, Names]
    # The number of requests that one run can carry out.
    per_run: int

    @cached_property
    def sha(self) -> str:
        return hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()


@cache
def script_named(name: str) -> Script:
    """Return the script with this name. The first call reads the script's file."""
    return load(FOLDER / f"{name}.lua")


def load(path: Path) -> Script:
    """Read a script's file, and add the code of the files that its header names."""
    text = path.read_text(encoding="utf-8")
    guards = in_order(words(text, "PRELUDE"), PRELUDE, "PRELUDE")
    header = "".join(map(_header, [*guards, text]))
    library = "".join(in_order(words(header, "NEEDS"), LIBRARY, "NEEDS"))
    # Remove comments, because Redis hashes every byte of a script. Keep their line breaks, because
    # Redis errors contain line numbers.
    body = COMMENT.sub("", "".join([*guards, text]))
    functions = _without_unused_functions(COMMENT.sub("", library), body)
    arguments = words(header, "ARGV")
    added = tuple(name for name in STORE_ARGUMENTS if re.search(rf"\b{name}\b", body))
    fields = tuple(dict.fromkeys(META_FIELD.findall(body)))
    used = {*KEY.findall(functions + body), *(["meta"] if fields else [])}
    is_every_key = EVERY_KEY in body
    keys = [name for name in OF_WAITLIST if is_every_key or name in used]
    keys += sorted(used - OF_WAITLIST.keys())  # the keys that belong to a single request
    return Script(
        name=path.stem,
        source=functions + _names(keys, arguments + added, fields) + body,
        keys=tuple(keys),
        arguments=arguments,
        added=added,
        returns=_declared(header, "RETURNS"),
        rows=_declared(header, "EACH"),
        per_run=int("".join(words(header, "PER_RUN")) or 1),
    )


def in_order(names: Names, folder: Path, keyword: str) -> list[str]:
    """Return the code of the named files and of all the files that they need.

    Each file comes after the files that it needs.
    """
    texts: dict[str, str] = {}

    def add(name: str) -> None:
        text = (folder / f"{name}.lua").read_text("utf-8")
        for needed in words(text, keyword):
            if needed not in texts:
                add(needed)
        texts[name] = text

    for name in names:
        if name not in texts:
            add(name)
    return list(texts.values())


def _names(keys: Sequence[str], arguments: Names, fields: Names) -> str:
    """Return the first line of a script's Lua code.

    This line declares variables for the Redis keys, the arguments, and the fields of the `meta`
    hash that the script uses.
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


def _without_unused_functions(library: str, code: str) -> str:
    """Return the library's code without the functions that the script does not use."""
    # Redis creates all of a script's functions anew for each run, which takes 0.1 microseconds per
    # function.
    pieces = FUNCTION.split(library)  # code, a function, its name, code, a function, its name, …
    named = set(WORD.findall("".join([*pieces[::3], code])))
    # A Lua function can be used only by the code after it, so check the functions from last to
    # first. When a function is checked, all code that could use it has already been checked.
    for place in reversed(range(1, len(pieces), 3)):
        function, name = pieces[place], pieces[place + 1]
        pieces[place + 1] = ""
        if name in named:
            named.update(WORD.findall(function))
        else:
            pieces[place] = "\n" * function.count("\n")
    return "".join(pieces)


def words(text: str, keyword: str) -> Names:
    """Return the words that follow a keyword in a file's header."""
    return tuple(word for line in _lines(text, keyword) for word in line.split())


def _lines(text: str, keyword: str) -> list[str]:
    return re.findall(rf"^-- {keyword} (.*)$", _header(text), re.MULTILINE)


def _header(text: str) -> str:
    found = HEADER.match(text)
    return found[0] if found else ""


def _declared(header: str, keyword: str) -> dict[str, Names]:
    """Return the declarations in the header lines that begin with a keyword.

    A line such as `joined|already rank ticket` declares the words `rank` and `ticket` for both
    names, `joined` and `already`.
    """
    lines = [line.split() for line in _lines(header, keyword)]
    return {name: tuple(others) for first, *others in lines for name in first.split("|")}
