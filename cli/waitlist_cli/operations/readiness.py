"""Describes why a waiting person cannot be admitted or claimed."""

from collections.abc import Mapping
from typing import Any


def passed_over(person: Mapping[str, Any]) -> str:
    """Return why a person cannot be admitted or claimed, such as `resting, held back`, or ""."""
    return ", ".join(reason.replace("_", " ") for reason in person.get("not_ready") or ())
