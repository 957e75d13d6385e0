"""Defines the types that all kinds of cases of the model checker use."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, Self
from zlib import crc32

from tests.support.problem import Problem

SEPARATOR = " / "
STEP = "step "


class Case(Protocol):
    """A case of the model checker. Its text is the line that replays the case, and `subject` names
    its operations.
    """

    @property
    def subject(self) -> str: ...

    @property
    def scenario(self) -> str: ...

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class OfOneOperation:
    """A case that runs a single operation.

    Its text, with which it can be replayed, contains the value of each field. `WORDS` lists the
    prefixes of some values.
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
    """Return a number for a case or a job, by which samples select it.

    The number is the same in each run.
    """
    return crc32(str(case).encode())


@dataclass(frozen=True)
class Sample:
    """A fixed selection that contains about one of every `one_in` cases."""

    one_in: int = 1

    def has(self, case: object) -> bool:
        return number_of(case) % self.one_in == 0


EVERYTHING = Sample()


@dataclass(frozen=True)
class Result:
    """The result of a case: the case itself, its problems, and the call at which the fault was
    injected (`where`).
    """

    case: Case
    problems: tuple[Problem, ...]
    where: str = ""
