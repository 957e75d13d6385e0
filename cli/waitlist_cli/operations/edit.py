"""Changes the profile and the attributes of a person."""

from dataclasses import replace
from typing import Any

from waitlist_cli.operations.action import ENTRY, REASON, Document, Field, Inverse, PersonAction
from waitlist_cli.terminal.output import escaped_json
from waitlist_cli.terminal.parameters import (
    attributes_of,
    json_object,
    lines_of,
    quote_value,
    unquote_line,
)


def _attribute_lines(person: Document) -> str:
    return "\n".join(
        f"{name}={quote_value(value)}"
        for name, values in person["attributes"].items()
        for value in (values if isinstance(values, list) else [values])
    )


def _parsed(values: dict[str, Any]) -> dict[str, Any]:
    lines = [unquote_line(line) for line in lines_of(values["attributes"])]
    return {
        **values,
        "profile": json_object(values["profile"], PROFILE.label),
        "attributes": attributes_of({}, lines, ATTRIBUTES.label),
    }


PROFILE = Field(
    "profile",
    "Profile",
    "long",
    "A JSON object of at most 8 KB.",
    adapt=lambda field, person: replace(field, value=escaped_json(person["profile"], indent=2)),
)
ATTRIBUTES = Field(
    "attributes",
    "Attributes",
    "long",
    "Write one NAME=VALUE per line. To give several values, repeat the name. A value in double "
    "quotes is a JSON string, in which an escape such as \\u202e stands for a hidden character.",
    adapt=lambda field, person: replace(field, value=_attribute_lines(person)),
)
EDIT = PersonAction(
    name="edit",
    title="Edit {who}",
    consequence="The person keeps their position. If attributes change, the person can move to "
    "other segments.",
    button="Save",
    label="Edit",
    method="PATCH",
    path=ENTRY,
    fields=(PROFILE, ATTRIBUTES, REASON),
    to_body=_parsed,
    notice="The profile and the attributes are saved.",
    inverse=lambda person, _: [
        Inverse(
            "edit",
            person["entry_id"],
            {"profile": person["profile"], "attributes": person["attributes"]},
        )
    ],
)
