"""Sends a message to some or all people on a waitlist, and counts the recipients beforehand."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.action import Document, Field, ListAction, ListRequest
from waitlist_cli.operations.claim import FILTER
from waitlist_cli.operations.languages import in_language, text_fields, typed_texts, wrong_text
from waitlist_cli.operations.messages import REASONS
from waitlist_cli.terminal.output import format_count

PATH = "/{waitlist_id}/messages"
STATUSES = (
    ("", "Everyone who is waiting, has an offer, is called or is set aside"),
    ("waiting", "People who are waiting"),
    ("offered", "People who have an offer or are called"),
    ("parked", "People who are set aside"),
    ("inside", "People who are inside"),
)
UNVERIFIED = "the address is not verified"


SUBJECT = Field(
    "subject",
    "Subject of the email",
    hint="If you leave this empty, a standard subject says that the person has a message.",
)
TEXT = Field(
    "text",
    "Text",
    "long",
    "A link to the person's place is added at the end. {name} stands for the waitlist's name.",
)
TEXTS = tuple(
    field for pair in zip(text_fields(SUBJECT), text_fields(TEXT), strict=True) for field in pair
)
STATUS = Field(
    "status",
    "Who",
    "select",
    options=STATUSES,
    help="Send the message only to people with this status: waiting, offered (including claimed "
    "people), parked or inside. By default, it goes to everyone who is waiting, offered or parked.",
)
ENTRIES = Field(
    "entries",
    "Only these people",
    "long",
    "Ids of the entries that get the message. At most 100, separated by spaces.",
    option="--entries",
)


# The dialog leaves out these fields if the operator has selected people in a table.
WHO_GETS_IT = (STATUS, replace(FILTER, adapt=None), ENTRIES)


def message_body(values: Mapping[str, Any], waitlist: Document) -> dict[str, Any]:
    """Return the request body for the values that the operator has entered.

    A text without a language is in the waitlist's usual language.
    """
    usual = (waitlist["messages"] or {}).get("language", "en")
    texts, subjects = typed_texts(values, TEXT.name), typed_texts(values, SUBJECT.name)
    for language in subjects.keys() - texts.keys():
        raise in_language(TEXT, language).wrong("Enter the text too.")
    text = {
        language or usual: {
            "text": typed,
            **({"subject": subjects[language]} if language in subjects else {}),
        }
        for language, typed in texts.items()
    }
    if not text:
        raise wrong_text(TEXT, waitlist, "Enter the text of the message.")
    if values.get("filters"):
        raise FILTER.wrong("A message takes one filter.")
    body: dict[str, Any] = {"text": text}
    for name in (STATUS.name, "filter"):
        if values.get(name):
            body[name] = values[name]
    if entries := re.findall(r"[^\s,]+", values.get(ENTRIES.name, "")):
        body[ENTRIES.name] = entries
    return body


def reach_text(answer: Document) -> str:
    """Describe how many people get a message by email or SMS, and how many people cannot be
    reached.
    """
    mail, sms = answer["reached"]["mail"], answer["reached"]["sms"]
    verb = "would get" if answer["dry_run"] else "get"
    one = verb if answer["dry_run"] else "gets"
    text = f"{format_count(answer['people'], f'person {one}', f'people {verb}')} the message"
    text += f": {mail:,} by email and {sms:,} by SMS." if answer["people"] else "."
    missed = {name: count for name, count in answer["not_reached"].items() if count}
    if missed:
        why = ", ".join(f"{count:,} {_reason(name)}" for name, count in missed.items())
        people = format_count(sum(missed.values()), "person", "people")
        text += f" {people} cannot be reached ({why})."
    if answer["state"] == "running":
        text += (
            " There are more people, who have not been counted yet."
            if answer["dry_run"]
            else " It is being sent to more people, which takes a few minutes."
        )
    return text


def _reason(name: str) -> str:
    return UNVERIFIED if name == "unverified" else REASONS[name]


def send_message(request: ListRequest, *, dry_run: bool = False) -> Any:
    """Send a message, or just count its recipients, and return the service's response."""
    waitlist = request.api.operator("GET", f"/{request.waitlist_id}")
    body = message_body(request.values, waitlist)
    path = PATH.format(waitlist_id=request.waitlist_id)
    key = f"{request.key}.count" if dry_run else request.key
    return request.api.operator("POST", path, {**body, "dry_run": dry_run}, key=key)


def _count(request: ListRequest) -> str:
    """Describe who would receive the message. Raise WrongUsage if nobody would."""
    answer = send_message(request, dry_run=True)
    if not answer["people"]:
        raise WrongUsage(reach_text(answer))
    return reach_text(answer)


def _send(request: ListRequest) -> tuple[str, Any]:
    answer = send_message(request)
    return reach_text(answer), answer


MESSAGE = ListAction(
    name="message",
    summary="Send a message to some or all people by email or SMS.",
    title="Send a message to people on {who}",
    consequence="Each person gets the message once, by email or SMS. A message cannot be taken "
    "back.",
    more=lambda _: (
        "The next step shows how many people get the message. Nothing is sent before that."
    ),
    first_button="Count the people",
    button="Send the message",
    label="Message",
    path=PATH,
    fields=(STATUS, *TEXTS, *WHO_GETS_IT[1:]),
    carry_out=_send,
    ask_again=_count,
)
