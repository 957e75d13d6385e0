"""What cases of all kinds have in common."""

from dataclasses import dataclass
from typing import Protocol
from zlib import crc32

from tests.reliability.model.oracle import Problem

SEPARATOR = " / "


class Case(Protocol):
    """As text a case is the line that replays it; `subject` is what it is about."""

    @property
    def subject(self) -> str: ...

    @property
    def scenario(self) -> str: ...

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Sample:
    """Every case, or a fixed choice of one in so many."""

    one_in: int = 1

    def has(self, case: object) -> bool:
        return crc32(str(case).encode()) % self.one_in == 0


EVERYTHING = Sample()


@dataclass(frozen=True)
class Result:
    """What a case came to; `where` names the call that was struck."""

    case: Case
    problems: tuple[Problem, ...]
    where: str = ""
