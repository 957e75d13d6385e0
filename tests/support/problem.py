"""A broken promise that the oracle or another judge has found."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A broken promise. It has a short name for its kind, and a text that says what was found."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"

    def later(self) -> "Problem":
        """Return the same problem, with a note that it was found after all claims and offers had
        ended.
        """
        return Problem(self.kind, f"after all holds have ended, {self.text}")
