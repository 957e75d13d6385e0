"""Types shared by all kinds of cases."""

from dataclasses import dataclass
from typing import Protocol
from zlib import crc32

from tests.reliability.model.oracle import Problem

SEPARATOR = " / "


class Case(Protocol):
    """A case; its text is the line that replays it, and `subject` names its operations."""

    @property
    def subject(self) -> str: ...

    @property
    def scenario(self) -> str: ...

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Sample:
    """A fixed selection of the cases: one in `one_in`."""

    one_in: int = 1

    def has(self, case: object) -> bool:
        return crc32(str(case).encode()) % self.one_in == 0


EVERYTHING = Sample()


@dataclass(frozen=True)
class Result:
    """The problems of a case; `where` names the call that the fault struck."""

    case: Case
    problems: tuple[Problem, ...]
    where: str = ""
