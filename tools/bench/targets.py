"""The benchmarks' targets, and the results that are compared with them."""

from dataclasses import dataclass
from typing import Literal

Comparison = Literal["≥", ">", "≤"]


@dataclass(frozen=True)
class Target:
    comparison: Comparison
    value: float

    def met_by(self, measured: float) -> bool:
        if self.comparison == "≤":
            return measured <= self.value
        if self.comparison == ">":
            return measured > self.value
        return measured >= self.value

    def __str__(self) -> str:
        return f"{self.comparison} {self.value:g}"


@dataclass(frozen=True)
class Row:
    """A row of the results.

    `ratio` compares our value with the baseline, and `target` is the target for this ratio. `ours`
    and `baseline` are the two values with their units.
    """

    name: str
    beside: str
    ratio: float
    spread: tuple[float, float] | None
    ours: str
    baseline: str
    target: Target | None

    @property
    def verdict(self) -> str:
        if self.target is None:
            return "-"
        return "met" if self.target.met_by(self.ratio) else "missed"
