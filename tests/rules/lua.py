"""Reads the Lua scripts' headers and code as text."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.rules.sources import SCRIPTS

COMMENT = re.compile(r"--[^\n]*")
RETURNED = re.compile(r"\breturn \{([^{}\n]*(?:\{[^{}\n]*\}[^{}\n]*)*)\}?", re.MULTILINE)
ASSIGNED = re.compile(r"\boutcome\b[^=\n]*= '(\w+)'")
BARE_WORD = re.compile(r"\breturn '(\w+)'")
# Finds the error codes with which library functions refuse a request.
REFUSED = re.compile(r"\breturn nil, '(\w+)'")
# The states of claims and offers, which a script can return as its outcome.
HOLD_STATES = ["held", "offered", "parked", "done", "no_show"]
FUNCTION = re.compile(r"^local function (\w+)\(", re.MULTILINE)
CONSTANTS = re.compile(r"^local ([A-Z][A-Z_, ]*) =", re.MULTILINE)
# Finds the names of called functions and of constants, but not fields such as `hold.paid`.
WORD = re.compile(r"(?<![.\w])(?:\w+(?=\()|[A-Z][A-Z_]+)")
LOCAL = re.compile(r"\blocal (?:function )?(\w+)")
STRING = re.compile(r"'[^'\n]*'")


@dataclass(frozen=True)
class Source:
    """A Lua file: the script of an operation, a library file, or a check that runs before a
    script.
    """

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def place(self) -> str:
        return self.path.relative_to(SCRIPTS).with_suffix("").as_posix()

    @property
    def is_library(self) -> bool:
        return self.path.parent.name == "lib"

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def header(self) -> list[str]:
        lines = self.text.splitlines()
        end = next(n for n, line in enumerate(lines) if not line.startswith("--"))
        return [line.removeprefix("-- ") for line in lines[:end]]

    @cached_property
    def code(self) -> str:
        """The source code without comments."""
        return COMMENT.sub("", self.text)

    def declared(self, keyword: str) -> list[str]:
        """Return the words after a keyword, such as `ARGV`, in the header of the file."""
        lines = [line for line in self.header if line.split()[:1] == [keyword]]
        return [word for line in lines for word in line.split()[1:]]

    @cached_property
    def returns(self) -> dict[str, int]:
        """The outcomes that the header declares, each with the number of its values."""
        lines = [line.split()[1:] for line in self.header if line.startswith("RETURNS ")]
        return {name: len(words) for words in lines for name in words[0].split("|")}

    @cached_property
    def replies(self) -> dict[str, set[int]]:
        """The outcomes that the code returns, each with the possible numbers of its values."""
        sizes: dict[str, set[int]] = {}
        for elements in self._returned():
            words = self._outcomes_of(elements[0])
            for word in words:
                sizes.setdefault(word, set()).add(len(elements))
        return sizes

    def _returned(self) -> list[list[str]]:
        joined = re.sub(r",\n\s+", ", ", self.code)
        return [split_top_level(found) for found in RETURNED.findall(joined)]

    def _outcomes_of(self, first: str) -> list[str]:
        if literal := re.fullmatch(r"'(\w+)'", first):
            return [literal[1]]
        if first == "outcome":
            return ASSIGNED.findall(self.code)
        if first == "hold.state":
            return HOLD_STATES
        if first == "refusal":
            (check,) = [name for name in CHECKS if self.uses(name)]
            return REFUSED.findall(CHECKS[check])
        assert first == "reason", f"{self.name} returns {first}"
        return BARE_WORD.findall(self.code)

    @cached_property
    def functions(self) -> set[str]:
        return set(FUNCTION.findall(self.code))

    @cached_property
    def constants(self) -> set[str]:
        return {name for names in CONSTANTS.findall(self.code) for name in names.split(", ")}

    @cached_property
    def needed(self) -> set[str]:
        used = set(WORD.findall(STRING.sub("", self.code))) - set(LOCAL.findall(self.code))
        return {
            piece.name
            for piece in LIBRARY.values()
            if piece is not self and used & (piece.functions | piece.constants - self.constants)
        }

    def uses(self, name: str) -> bool:
        return re.search(rf"(?<![.\w]){name}\b", self.code) is not None


def split_top_level(elements: str) -> list[str]:
    parts, depth = [""], 0
    for letter in elements:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


VERBS = {path.stem: Source(path) for path in sorted(SCRIPTS.glob("*.lua"))}
LIBRARY = {path.stem: Source(path) for path in sorted((SCRIPTS / "lib").glob("*.lua"))}
PRELUDE = {path.stem: Source(path) for path in sorted((SCRIPTS / "prelude").glob("*.lua"))}
SOURCES = {one.place: one for one in [*VERBS.values(), *LIBRARY.values(), *PRELUDE.values()]}
# The source code of each library function that can refuse a request. Scripts return these refusals.
CHECKS = {
    name: LIBRARY[file].code.split(f"local function {name}(")[1].split("\nend\n")[0]
    for name, file in (
        ("check_token", "holds"),
        ("check_offer", "holds"),
        ("check_certain", "certain"),
    )
}
