"""Previews and tests a waitlist's messages, and reports whether they were delivered."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import ONCE
from waitlist_cli.operations.declared import settings

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

KINDS = tuple(settings()["messages.kinds"].choices)
LANGUAGES = tuple(settings()["messages.language"].choices)
# Matches text between two Unicode isolate characters, which separate its reading direction from
# that of the surrounding text.
ISOLATED = re.compile("[\u2066-\u2068]([^\u2066-\u2069]*)\u2069")
# The service's reasons for not sending a message, and their descriptions.
REASONS = {
    "over": "no longer applied",
    "unreachable": "an earlier message bounced",
    "turned_off": "the customer turned messages off",
    "no_address": "no address",
    "refused": "the address cannot receive messages",
    "number_not_allowed": "the list sends no SMS to this country or type of number",
    "too_many": "the address received too many messages that a stranger could have requested",
    "over_budget": "the day's budget for such messages was used up",
}


def previews(
    api: "Api", waitlist_id: str, kind: str | None = None, language: str | None = None
) -> list[dict[str, Any]]:
    """Return previews of messages with example data.

    By default, return every kind of message in every language.
    """
    given = {"kind": kind, "language": language}
    params: dict[str, str | int] = {name: value for name, value in given.items() if value}
    found: list[dict[str, Any]] = api.operator("GET", f"/{waitlist_id}/messages", params=params)[
        "messages"
    ]
    return found


def send_test(
    api: "Api", waitlist_id: str, kind: str, language: str | None, address: Mapping[str, str]
) -> None:
    """Send a test message with example data to the email address or the phone number in
    `address`.
    """
    body = {"kind": kind, "language": language, **address}
    api.operator("POST", f"/{waitlist_id}/messages/test", body, policy=ONCE)


def plain(text: str) -> str:
    """Remove the Unicode isolates from a text."""
    return ISOLATED.sub(r"\1", text)


def pieces(line: str) -> list[tuple[str, bool]]:
    """Split a line into pairs of a text and a flag.

    The flag is true if the text was between Unicode isolate characters, which separate its reading
    direction from that of the line.
    """
    parts = ISOLATED.split(line)
    return [(part, number % 2 == 1) for number, part in enumerate(parts) if part]


def split_preview(preview: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the lines of a message, and the link from its last line."""
    text, _, url = preview["text"].strip().rpartition("\n")
    return text.strip().split("\n"), url


def describe_result(note: Mapping[str, Any]) -> str:
    """Describe a message's state in words, followed by the service's reason if there is one."""
    reason = note["reason"]
    return f"{note['state']}: {REASONS.get(reason, reason)}" if reason else str(note["state"])
