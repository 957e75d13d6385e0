"""A broken promise that the oracle found."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A broken promise: its kind, and the finding in words."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"
