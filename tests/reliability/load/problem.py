"""What the oracle finds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A broken promise: its kind in some words, and what was found."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"
