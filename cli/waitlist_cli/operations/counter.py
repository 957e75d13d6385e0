"""Declares what an operator at a service counter can do with a person who has been called."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from waitlist_cli.operations.action import PersonAction
from waitlist_cli.operations.claim import COMPLETE, RELEASE
from waitlist_cli.operations.leave import REMOVE

# How many seconds must pass before a skipped person can be called again.
SKIP_SECONDS = 120


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A choice that an operator has for a person who has been called, and the action that carries
    it out.

    `shortcut` is the keyboard key that presses the choice's button.
    """

    name: str
    label: str
    shortcut: str
    hint: str
    action: PersonAction
    values: Mapping[str, Any] = field(default_factory=dict)


ARRIVED = Outcome(
    name="arrived",
    label="Arrived",
    shortcut="a",
    hint="The person is admitted.",
    action=COMPLETE,
)
NO_SHOW = Outcome(
    name="no-show",
    label="No-show",
    shortcut="x",
    hint="The person did not come, and is removed from the list.",
    action=REMOVE,
    values={"reason": "no-show"},
)
SKIP = Outcome(
    name="skip",
    label="Skip",
    shortcut="s",
    hint="The person keeps their place, but cannot be called again for two minutes.",
    action=RELEASE,
    values={"to": "place", "delay_seconds": SKIP_SECONDS, "reason": "skipped"},
)
# Operators choose this outcome if they called the person by mistake.
PUT_BACK = Outcome(
    name="put-back",
    label="Put back",
    shortcut="b",
    hint="The call was a mistake. The person returns to their old place.",
    action=RELEASE,
    values={"to": "place", "reason": "called by mistake"},
)
OUTCOMES = (ARRIVED, NO_SHOW, SKIP, PUT_BACK)
