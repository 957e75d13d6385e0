"""Defines and reads the form in which operators answer a waitlist's questions for a person."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from waitlist_cli.operations.action import Document, Field
from waitlist_cli.operations.declared import settings
from waitlist_cli.operations.names import label_of, questions_of
from waitlist_cli.terminal.output import CONTROLS

PARTS = ("profile", "attributes")
KINDS = {"email": "email", "tel": "tel", "checkbox": "tick", "select": "select"}
# The fields of the form if the waitlist has no questions. Operators need a name or an address to
# recognise a person.
USUAL = (
    {"name": "name", "label": "Name", "type": "text"},
    {"name": "email", "label": "Email address", "type": "email"},
    {"name": "phone", "label": "Telephone number", "type": "tel"},
)
ADDRESSES = {"email": ("Email address", "email"), "phone": ("Telephone number", "tel")}
ONE_PLACE = "A later signup with this address is treated as a signup by the same person."
FOR_GUESTS = "People who sign up on the page must answer this."
# The maximum length of an answer that the service accepts from guests.
MOST_ANSWER = settings()["page.fields"].max_answer
MAIL = re.compile(r"\S.*@[^@\s.]+(\.[^@\s.]+)+")
# A telephone number may end with an extension, such as "ext. 12".
EXTENSION = re.compile(r"\s*(;ext=|ext\.?|x|#)\s*\d{1,7}$", re.IGNORECASE)
FEWEST_DIGITS, MOST_DIGITS = 3, 20


def fields_for(waitlist: Document) -> Sequence[Field]:
    """Return the form fields for a person's answers, in the order of the questions.

    The form also has fields for the address that identifies a person and for the attributes that
    define segments, even if no question asks for them.
    """
    fields: dict[str, Field] = {}
    for field in _fields(waitlist):
        fields.setdefault(field.name, field)
    address = _address(waitlist)
    if address is not None and address.name not in fields:
        return [address, *fields.values()]
    return list(fields.values())


def check_answer(field: Field, typed: str) -> None:
    """Raise WrongUsage if the text cannot be an email address or a telephone number."""
    if field.kind == "email" and not MAIL.fullmatch(typed.strip()):
        raise field.wrong("Enter an email address, such as ada@example.com.")
    if field.kind == "tel" and not _may_be_number(typed.strip()):
        raise field.wrong("Enter a telephone number in digits, such as +49 30 901820.")


def _may_be_number(text: str) -> bool:
    number = EXTENSION.sub("", text.removeprefix("tel:"))
    digits = sum(map(str.isdecimal, number))
    return FEWEST_DIGITS <= digits <= MOST_DIGITS and not any(map(str.isalpha, number))


def check_profile(waitlist: Document, profile: Mapping[str, Any]) -> None:
    """Raise WrongUsage if an answer in the profile cannot be an email address or a telephone
    number, although its question asks for one.

    The address that identifies the person is left to the service, which checks it itself.
    """
    identity = waitlist["identity"]
    for field in fields_for(waitlist):
        part, _, name = field.name.partition(".")
        is_address = identity is not None and name == identity["field"]
        answer = profile.get(name) if part == "profile" and not is_address else None
        if isinstance(answer, str) and answer:
            check_answer(field, answer)


def answers(waitlist: Document, values: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the profile and the attributes that the operator entered in the form's fields."""
    found: dict[str, dict[str, str]] = {part: {} for part in PARTS}
    for field in fields_for(waitlist):
        part, _, name = field.name.partition(".")
        # A ticked checkbox is stored as the text that the person has accepted. The customer page
        # stores the same text.
        typed = accepted(field, values[field.name])
        answer = field.label if field.kind == "tick" and typed else typed
        if answer:
            found[part][name] = answer
    check_profile(waitlist, found["profile"])
    return found


def accepted(field: Field, typed: str) -> str:
    """Return the answer that the operator typed. Raise WrongUsage if it is too long."""
    if len(typed) > MOST_ANSWER:
        raise field.wrong(f"Enter at most {MOST_ANSWER} characters.")
    return typed


def answered_fields(waitlist: Document, person: Document) -> list[Field]:
    """Return the form fields for all questions, filled with this person's answers.

    Questions whose answers do not fit in a one-line field, such as lists, are left out.
    """
    fields = []
    for field in fields_for(waitlist):
        stored = stored_answer(field, person)
        if field.kind == "tick":
            fields.append(replace(field, value="yes" if stored else ""))
        elif (answer := _one_line(stored)) is not None:
            fields.append(_with_answer(field, answer))
    return fields


def stored_answer(field: Field, person: Document) -> Any:
    """Return the person's stored answer to a question, or None if there is no answer."""
    part, _, name = field.name.partition(".")
    return person[part].get(name)


def _one_line(stored: object) -> str | None:
    """Return a stored answer as text, or None if a one-line field cannot show it exactly."""
    if stored is None:
        return ""
    if isinstance(stored, bool) or not isinstance(stored, str | int | float):
        return None
    text = str(stored)
    # Operators cannot see invisible characters in a form field, so an answer that contains them
    # gets no field.
    return None if CONTROLS.search(text) or text != text.strip() else text


def _with_answer(field: Field, answer: str) -> Field:
    options = field.options
    if field.kind == "select" and answer not in dict(options):
        # The waitlist no longer offers the choice that the person made, so add it to the options.
        options = [*options, (answer, answer)]
    return replace(field, value=answer, options=options)


def _fields(waitlist: Document) -> Iterator[Field]:
    identity = waitlist["identity"]
    for question in questions_of(waitlist) or USUAL:
        name = f"{question.get('kept_in', 'profile')}.{question['name']}"
        if question["type"] == "hidden":
            continue
        is_address = identity is not None and name == f"profile.{identity['field']}"
        yield Field(
            name,
            label_of(question["label"]),
            KINDS.get(question["type"], "text"),
            ONE_PLACE if is_address else FOR_GUESTS if question.get("required") else "",
            options=[("", "No answer"), *map(_option, question.get("options", ()))],
        )
    for names in waitlist["segments"]:
        for name in names:
            yield Field(f"attributes.{name}", name.replace("_", " ").capitalize())


def _address(waitlist: Document) -> Field | None:
    """Return the field for the address that identifies people. Return None if no address identifies
    them.
    """
    if waitlist["identity"] is None:
        return None
    field = waitlist["identity"]["field"]
    label, kind = ADDRESSES[field]
    return Field(f"profile.{field}", label, kind, ONE_PLACE)


def _option(option: str | Mapping[str, Any]) -> tuple[str, str]:
    """Return the value of an option and its label."""
    if isinstance(option, str):
        return option, option
    return option["value"], label_of(option["labels"])
