"""Changes a person's answers, and the other data in their profile and attributes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from waitlist_cli.errors import FieldProblem, WrongUsage
from waitlist_cli.operations.action import ENTRY, REASON, Document, Field, Inverse, PersonAction
from waitlist_cli.operations.questions import (
    PARTS,
    accepted,
    answered_fields,
    check_answer,
    stored_answer,
)
from waitlist_cli.terminal.output import escaped_json
from waitlist_cli.terminal.parameters import (
    attributes_of,
    json_object,
    lines_of,
    quote_value,
    unquote_line,
)

OLD_ADDRESS = (
    "Messages go to this address. If you change it, the place still belongs to the person who "
    "signed up."
)


def edit_fields(waitlist: Document, person: Document) -> Sequence[Field]:
    """Return the waitlist's questions with the person's answers."""
    identity = waitlist["identity"]
    address = f"profile.{identity['field']}" if identity else None
    return [
        replace(field, hint=OLD_ADDRESS) if field.name == address else field
        for field in answered_fields(waitlist, person)
    ]


def _others(waitlist: Document, person: Document, part: str) -> dict[str, Any]:
    asked = {field.name for field in answered_fields(waitlist, person)}
    return {name: value for name, value in person[part].items() if f"{part}.{name}" not in asked}


def _attribute_lines(attributes: Document) -> str:
    return "\n".join(
        f"{name}={quote_value(value)}"
        for name, values in attributes.items()
        for value in (values if isinstance(values, list) else [values])
    )


def _read(values: dict[str, Any], waitlist: Document, person: Document) -> dict[str, Any]:
    """Return the request body. `values` contains only what the operator has changed."""
    others = {part: _others(waitlist, person, part) for part in PARTS}
    if PROFILE.name in values:
        others["profile"] = _at_field(PROFILE, _read_profile, values[PROFILE.name])
    if ATTRIBUTES.name in values:
        others["attributes"] = _at_field(ATTRIBUTES, _read_attributes, values[ATTRIBUTES.name])
    for question in answered_fields(waitlist, person):
        part, _, name = question.name.partition(".")
        if name in others[part]:
            field = PROFILE if part == PROFILE.name else ATTRIBUTES
            raise field.wrong(f"The question {question.label!r} asks for {name}. Answer it there.")
        if (answer := _answer(question, values, person)) not in (None, ""):
            others[part][name] = answer
    return {"reason": values.get(REASON.name, ""), **others}


def _answer(question: Field, values: Mapping[str, str], person: Document) -> Any:
    """Return the answer to store. An answer that the operator has not changed is returned exactly
    as it was stored.
    """
    typed = values.get(question.name, question.value)
    if typed == question.value:
        return stored_answer(question, person)
    if typed:
        check_answer(question, typed)
    # A ticked checkbox is stored as the text that the person accepts. The customer page stores the
    # same text.
    return question.label if question.kind == "tick" and typed else accepted(question, typed)


def _at_field(field: Field, read: Callable[[str], dict[str, Any]], typed: str) -> dict[str, Any]:
    """Read what the operator typed into a field. If the input is invalid, the error names the
    field.
    """
    try:
        return read(typed)
    except WrongUsage as error:
        problem = FieldProblem(field.name, error.message)
        raise WrongUsage(error.message, fields=[problem]) from error


def _read_profile(typed: str) -> dict[str, Any]:
    return json_object(typed, PROFILE.label) if typed else {}


def _read_attributes(typed: str) -> dict[str, Any]:
    return attributes_of({}, [unquote_line(line) for line in lines_of(typed)], ATTRIBUTES.label)


def _with_other_data(field: Field, waitlist: Document, person: Document) -> Field:
    others = _others(waitlist, person, "profile")
    return replace(field, value=escaped_json(others, indent=2) if others else "")


def _with_other_attributes(field: Field, waitlist: Document, person: Document) -> Field:
    return replace(field, value=_attribute_lines(_others(waitlist, person, "attributes")))


PROFILE = Field(
    "profile",
    "Other profile data",
    "long",
    "A JSON object with the data that no question above asks for.",
    adapt=_with_other_data,
)
ATTRIBUTES = Field(
    "attributes",
    "Other attributes",
    "long",
    "Write one NAME=VALUE per line. If an attribute has several values, write a line for each "
    "value. If a value contains a hidden character, write it as a JSON string in double "
    "quotes, with an escape such as \\u202e.",
    adapt=_with_other_attributes,
)
EDIT = PersonAction(
    name="edit",
    title="Edit {who}",
    consequence="The person keeps their position. A change to their attributes can move them to "
    "different segments.",
    button="Save",
    label="Edit",
    method="PATCH",
    path=ENTRY,
    asked=edit_fields,
    fields=(PROFILE, ATTRIBUTES, REASON),
    read_answers=_read,
    notice="{who}'s answers were saved.",
    inverse=lambda person, _: [
        Inverse(
            "edit",
            person["entry_id"],
            {"profile": person["profile"], "attributes": person["attributes"]},
            "{who}'s earlier answers are restored.",
        )
    ],
)
