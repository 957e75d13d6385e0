"""Types that all kinds of cases share. A model checker case runs one or two operations with
faults.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, Self
from zlib import crc32

from tests.support.problem import Problem

SEPARATOR = " / "
STEP = "step "


class Case(Protocol):
    """A model checker case.

    Its text is a line from which the case can be run again. `subject` names the operations.
    """

    @property
    def subject(self) -> str: ...

    @property
    def scenario(self) -> str: ...

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class OfOneOperation:
    """A case with a single operation.

    For some fields, `WORDS` contains a word that is printed before the field's value.
    """

    WORDS: ClassVar[dict[str, str]] = {}

    operation: str
    scenario: str

    @property
    def subject(self) -> str:
        return self.operation

    def __str__(self) -> str:
        parts = ((self.WORDS.get(one.name, ""), getattr(self, one.name)) for one in fields(self))
        return SEPARATOR.join(f"{word}{value}" for word, value in parts)

    @classmethod
    def parse(cls, line: str) -> Self:
        values: list[Any] = []
        for one, part in zip(fields(cls), line.split(SEPARATOR), strict=True):
            text = part.removeprefix(cls.WORDS.get(one.name, ""))
            values.append(int(text) if one.type is int else text)
        return cls(*values)


def number_of(case: object) -> int:
    """Return a number that decides whether the case belongs to a sample. The number is the same in
    every run.
    """
    return crc32(str(case).encode())


@dataclass(frozen=True)
class Sample:
    one_in: int = 1

    def has(self, case: object) -> bool:
        return number_of(case) % self.one_in == 0


EVERYTHING = Sample()


@dataclass(frozen=True)
class Result:
    """A case's result: its problems, and the call at which the fault was injected (`where`)."""

    case: Case
    problems: tuple[Problem, ...]
    where: str = ""
