"""Describes a promise that the service has broken."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A broken promise. `kind` is a short name, and `text` says what was found."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"

    def later(self) -> "Problem":
        """Return a copy of this problem whose text says that it was found after all claims and
        offers had ended.
        """
        return Problem(self.kind, f"after all claims and offers have ended, {self.text}")
