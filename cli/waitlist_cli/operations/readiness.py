"""Whether a waiting person may be taken, in words."""

from collections.abc import Mapping
from typing import Any


def passed_over(person: Mapping[str, Any]) -> str:
    """Return why a waiting person is passed over, such as `resting, held back`; "" if ready."""
    return ", ".join(reason.replace("_", " ") for reason in person.get("not_ready") or ())
