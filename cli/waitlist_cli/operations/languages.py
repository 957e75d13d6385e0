"""Finds the languages of a waitlist's texts for customers, and creates a form field for each
language.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from waitlist_cli.operations.action import Document, Field
from waitlist_cli.operations.declared import settings

if TYPE_CHECKING:
    from waitlist_cli.errors import WrongUsage

# The languages of the service, with their names.
LANGUAGES = dict(settings()["messages.language"].choices)
# The dictionary key of a text that is used in every language.
EVERY = ""


def languages_of(waitlist: Document) -> list[str]:
    """Return a waitlist's languages.

    The main language comes first, followed by the others in which the waitlist has texts.
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


def text_fields(
    field: Field, shown: Callable[[Document], str | Mapping[str, str]] = lambda _: ""
) -> tuple[Field, ...]:
    """Return all dialog fields that a text can need: one without a language, and one for each
    language.

    If a waitlist has one language, its dialog shows only the field without a language. Otherwise,
    it shows one field for each of the waitlist's languages, with the main language first. `shown`
    returns the text that the fields initially contain.
    """
    fields = {language: in_language(field, language) for language in LANGUAGES}

    def adapt(place: int, asked: Field, waitlist: Document, _person: Document) -> Field | None:
        """Return the dialog's field at this position, or None if the waitlist does not need the
        field. The field at position 0 is for waitlists with a single language.
        """
        languages, text = languages_of(waitlist), shown(waitlist)
        texts = {languages[0]: text} if isinstance(text, str) else text
        if len(languages) == 1:
            return None if place else replace(asked, value=next(iter(texts.values())))
        if not 0 < place <= len(languages):
            return None
        language = languages[place - 1]
        shown_field = replace(fields[language], value=texts.get(language, ""))
        # The main language's field is open and has a hint. The other fields are collapsed and have
        # none.
        return shown_field if place == 1 else replace(shown_field, is_folded=True, hint="")

    return tuple(
        replace(one, adapt=partial(adapt, place))
        for place, one in enumerate((field, *fields.values()))
    )


def wrong_text(field: Field, waitlist: Document, message: str) -> "WrongUsage":
    """Return an error about a text. The dialog shows it next to the text's first field."""
    languages = languages_of(waitlist)
    language = languages[0] if len(languages) > 1 else EVERY
    return in_language(field, language).wrong(message)


def in_language(field: Field, language: str) -> Field:
    """Return a copy of the field that takes the text in one language. For EVERY, return the field
    itself.
    """
    if language == EVERY:
        return field
    return replace(
        field,
        name=text_name(field.name, language),
        label=f"{field.label} in {LANGUAGES[language]}",
        option=f"--{field.name}-{language}",
        help=f"{field.label} for customers who read {LANGUAGES[language]}.",
    )


def text_name(name: str, language: str) -> str:
    """Return the name of the form field for a text in one language, such as `text_de`."""
    return f"{name}_{language}" if language else name


def typed_texts(values: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return the texts that the operator entered for a field, by language."""
    typed = {one: lines_of(values.get(text_name(name, one), "")) for one in (EVERY, *LANGUAGES)}
    return {language: text for language, text in typed.items() if text}


def lines_of(typed: str) -> str:
    """Convert line breaks to the form that the service stores. Browsers submit them as CR LF."""
    return re.sub(r"\r\n?", "\n", typed).strip()
