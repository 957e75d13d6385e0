"""A promise of the service that was broken, as a check of a test has found."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A broken promise. `kind` is a short name, and `text` says what was found."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"

    def later(self) -> "Problem":
        """Add to the problem's text that it was found after all claims and offers had ended."""
        return Problem(self.kind, f"after all holds have ended, {self.text}")
