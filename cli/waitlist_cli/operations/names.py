"""Finds the name by which operators know a person."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waitlist_cli.terminal.output import format_value

Document = Mapping[str, Any]
# A question asks for the person's name if its field name or one of its labels contains one of these
# words.
NAME = re.compile(
    r"(?<![^\W_])(names?|surname|vorname|nachname|nom|prénom|nombre|apellidos?|اسم|الاسم|اسمك)"
    r"(?![^\W_])"
)
# The profile fields that usually contain a person's name, for waitlists whose page asks no
# questions.
USUAL_NAMES = (("name",), ("full_name",), ("display_name",), ("first_name", "last_name"))
ADDRESSES = ("email", "phone")
# If a message is about many people, it names this many of them and says how many others there are.
MOST_NAMES = 3
# The pattern of the customer ids that the console generates for people without an address.
MADE_ID = "desk-{key}"
IS_MADE = re.compile(r"desk-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def questions_of(waitlist: Document) -> Sequence[Mapping[str, Any]]:
    """Return the signup form's questions, in the order in which they are asked."""
    questions: Sequence[Mapping[str, Any]] = (waitlist.get("page") or {}).get("fields", ())
    return questions


def label_of(labels: str | Mapping[str, str]) -> str:
    """Return a label's text for operators, in English if there is an English text."""
    if isinstance(labels, str):
        return labels
    return labels.get("en") or next(iter(labels.values()), "")


def labels_in(waitlist: Document) -> dict[tuple[str, str], str]:
    """Return the wording of each question.

    A key is a pair of the field that stores the answer, `profile` or `attributes`, and the
    question's name.
    """
    return {
        (question["kept_in"], question["name"]): label_of(question["label"])
        for question in questions_of(waitlist)
    }


def status_name(status: str) -> str:
    """Return the name under which operators see a status. It can differ from the API's name."""
    return "set aside" if status == "parked" else status.replace("_", " ")


def field_label(waitlist: Document, part: str, name: str) -> str:
    """Return the wording of the question that asks for this profile field or attribute.

    If no question asks for it, return its name.
    """
    return labels_in(waitlist).get((part, name), name)


def chosen_id(person: Document) -> str | None:
    """Return the customer id, or None if there is none or the console generated it."""
    customer_id: str | None = person.get("customer_id")
    return None if customer_id is None or IS_MADE.fullmatch(customer_id) else customer_id


def name_of(person: Document, waitlist: Document) -> str:
    """Return a person's call number and name, such as `A042 Ada`.

    If the person has no call number, return only the name.
    """
    return " ".join(filter(None, [person.get("call_number"), own_name_of(person, waitlist)]))


def list_names(names: Sequence[str]) -> str:
    """List the names, or the first few and the number of others, such as `Ada, Bob, Cem and 5
    others`.
    """
    if len(names) > MOST_NAMES + 1:
        return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES:,} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def own_name_of(person: Document, waitlist: Document) -> str:
    """Return the name by which operators know a person.

    The name comes from the person's answers. If the answers contain no name, return the person's
    address, another answer, the customer id or the entry id.
    """
    return format_value(next(_names(person, waitlist)))


def data_beside_name(person: Document, waitlist: Document) -> list[tuple[str, Any]]:
    """Return a person's answers and other data, each with the label of its question.

    The person's name is left out.
    """
    own_name = own_name_of(person, waitlist)
    return [
        (
            field_label(waitlist, part, name),
            "; ".join(value) if isinstance(value, list) else value,
        )
        for part in ("profile", "attributes")
        for name, value in (person.get(part) or {}).items()
        if value != own_name
    ]


def _names(person: Document, waitlist: Document) -> Iterator[str]:
    profile = person.get("profile") or {}
    questions = questions_of(waitlist)
    asked = [
        _answer(person, question)
        for question in questions
        if question["type"] == "text" and _asks_for_a_name(question)
    ]
    if any(asked):
        yield " ".join(filter(None, asked))
    for fields in USUAL_NAMES:
        parts = [_text(profile.get(field)) for field in fields]
        if any(parts):
            yield " ".join(filter(None, parts))
    identity = waitlist.get("identity")
    addresses = [
        *([identity["field"]] if identity else []),
        *(question["name"] for question in questions if question["type"] in ("email", "tel")),
        *ADDRESSES,
    ]
    yield from filter(None, (_text(profile.get(field)) for field in addresses))
    required = (one for one in questions if one["type"] == "text" and one.get("required"))
    yield from filter(None, (_answer(person, question) for question in required))
    yield str(person.get("customer_id") or person["entry_id"])


def _asks_for_a_name(question: Mapping[str, Any]) -> bool:
    labels = question["label"]
    texts = [labels] if isinstance(labels, str) else [*labels.values()]
    return any(NAME.search(text.casefold()) for text in [question["name"], *texts])


def _answer(person: Document, question: Mapping[str, Any]) -> str:
    return _text((person.get(question["kept_in"]) or {}).get(question["name"]))


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
