"""A broken promise that a judge found."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A broken promise: its kind in a word or two, and what was found."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"

    def later(self) -> "Problem":
        """Return the problem, marked as found after all holds had ended."""
        return Problem(self.kind, f"when all holds are over, {self.text}")
