"""Samples: the counts of a waitlist, minute by minute."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """The counts of a waitlist at one moment; no personal data.

    `joined`, `admitted` and `left` count since the waitlist was created, so a missing sample loses
    no event. `version` is that of the settings.
    """

    millis: int
    joined: int = 0
    admitted: int = 0
    left: int = 0
    waiting: int = 0
    offered: int = 0
    parked: int = 0
    inside: int = 0
    version: int = 0
    paused: bool = False

    @property
    def occupied(self) -> int:
        """How many places inside are taken: by people, and by offers to people."""
        return self.inside + self.offered
