"""The messages of a list: how they look, and what became of them."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import ONCE

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

KINDS = (
    "joined",
    "verify",
    "link",
    "address",
    "near",
    "offered",
    "ending",
    "confirm",
    "admitted",
    "left",
)
# What is between these characters keeps its own direction in a text of another one.
ISOLATED = re.compile("[\u2066-\u2068]([^\u2066-\u2069]*)\u2069")
LANGUAGES = ("en", "de", "fr", "es", "ar")
# What the service names as the reason of a message that was not sent.
REASONS = {
    "over": "no longer true",
    "unreachable": "a message came back before",
    "turned_off": "the person wants none",
    "no_address": "no address",
    "refused": "the address takes none",
    "number_not_allowed": "the list sends no SMS to this country or kind of number",
    "too_many": "too many messages to this address that anyone can cause",
    "over_budget": "the day's budget for such messages was used up",
}


def previews(
    api: "Api", waitlist_id: str, kind: str | None = None, language: str | None = None
) -> list[dict[str, Any]]:
    """Return messages with example data: of each kind in each language, or of one."""
    given = {"kind": kind, "language": language}
    params: dict[str, str | int] = {name: value for name, value in given.items() if value}
    found: list[dict[str, Any]] = api.operator("GET", f"/{waitlist_id}/messages", params=params)[
        "messages"
    ]
    return found


def send_test(
    api: "Api", waitlist_id: str, kind: str, language: str | None, address: Mapping[str, str]
) -> None:
    """Send a message with example data to an `email` or a `phone`."""
    body = {"kind": kind, "language": language, **address}
    api.operator("POST", f"/{waitlist_id}/messages/test", body, policy=ONCE)


def plain(text: str) -> str:
    """Return a text for a terminal, which has one direction."""
    return ISOLATED.sub(r"\1", text)


def pieces(line: str) -> list[tuple[str, bool]]:
    """Return the pieces of a line, each with whether it keeps its own direction."""
    parts = ISOLATED.split(line)
    return [(part, number % 2 == 1) for number, part in enumerate(parts) if part]


def split_preview(preview: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the lines of a message and its link, which is the last one."""
    text, _, url = preview["text"].strip().rpartition("\n")
    return text.strip().split("\n"), url


def describe_result(note: Mapping[str, Any]) -> str:
    """Return in words what became of a message."""
    reason = note["reason"]
    return f"{note['state']}: {REASONS.get(reason, reason)}" if reason else str(note["state"])
