"""Finds the languages that a waitlist uses for its customers."""

import re
from collections.abc import Iterator

from waitlist_cli.operations.action import Document
from waitlist_cli.operations.declared import settings

# The languages of the service, with their names.
LANGUAGES = dict(settings()["messages.language"].choices)


def languages_of(waitlist: Document) -> list[str]:
    """Return the languages of a waitlist.

    The main language comes first, followed by the other languages in which the waitlist has texts.
    """
    usual = (waitlist.get("messages") or {}).get("language")
    found = {*_languages(waitlist), *([usual] if usual else [])} or {"en"}
    return sorted(found & {*LANGUAGES}, key=lambda one: (one != usual, [*LANGUAGES].index(one)))


def _languages(waitlist: Document) -> Iterator[str]:
    page, messages = waitlist.get("page") or {}, waitlist.get("messages") or {}
    yield from page.get("texts", {})
    yield from messages.get("texts", {})
    for question in page.get("fields", ()):
        options = (one["labels"] for one in question["options"] if not isinstance(one, str))
        for labels in (question["label"], *options):
            if not isinstance(labels, str):
                yield from labels
    text = (waitlist.get("notice") or {}).get("text")
    if isinstance(text, dict):
        yield from text


def lines_of(typed: str) -> str:
    """Convert the line breaks of a text to the form that the service stores.

    Browsers submit line breaks as CR LF.
    """
    return re.sub(r"\r\n?", "\n", typed).strip()
