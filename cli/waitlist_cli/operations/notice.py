"""Sets and ends a waitlist's notice, which all its customers see."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.operations.action import (
    Document,
    Field,
    Inverse,
    ListAction,
    ListRequest,
    name_zone,
)
from waitlist_cli.operations.languages import EVERY, text_fields, typed_texts, wrong_text
from waitlist_cli.terminal.output import format_value
from waitlist_cli.terminal.times import AGO, UNITS, in_utc

PATH = "/{waitlist_id}/notice"
IN_PAST = "Choose a time in the future."
ENDED = "The notice has ended. Customers no longer see it."


def _shown_text(waitlist: Document) -> str | Mapping[str, str]:
    """Return the current notice's text, or "" if there is no notice."""
    found: str | Mapping[str, str] = (waitlist.get("notice") or {}).get("text", "")
    return found


def _in_zone(field: Field, waitlist: Document, person: Document) -> Field:
    until = (waitlist.get("notice") or {}).get("until") or ""
    return replace(name_zone(field, waitlist, person), value=until)


TEXT = Field(
    "text",
    "Text",
    "long",
    "Customers see this text on their page, for example: The doctor is 30 minutes late.",
)
UNTIL = Field(
    "until",
    "Until when",
    "time",
    "The notice ends automatically at this time. If you leave this empty, the notice stays until "
    "you end it.",
    help="When the notice ends: a duration such as 2h, or a time such as 2026-12-01T18:00 in the "
    "waitlist's time zone. By default, the notice stays until you end it.",
    adapt=_in_zone,
)


def notice_text(notice: Document | None) -> str:
    """Return a notice's text in all its languages, or "" if there is no notice."""
    if notice is None or notice["text"] is None:
        return ""
    text = notice["text"]
    if isinstance(text, str):
        return text
    return " ".join(f"{language}: {own}" for language, own in text.items())


def _utc(typed: str, zone: str) -> str | None:
    """Convert the time when a notice ends to UTC. A time without an offset is a time in `zone`."""
    if not typed:
        return None
    if duration := AGO.fullmatch(typed.replace(" ", "")):
        ahead = timedelta(**{UNITS[duration[2]]: int(duration[1])})
        return in_utc(datetime.now(UTC).replace(microsecond=0) + ahead)
    return UNTIL.instant(typed, zone, ", and not a duration such as 2h")


def _typed_text(waitlist: Document, values: Mapping[str, Any]) -> str | dict[str, str]:
    texts = typed_texts(values, TEXT.name)
    text = texts.pop(EVERY, "")
    if text and texts:
        raise WrongUsage("Give either one text for all languages, or texts in specific languages.")
    if not text and not texts:
        raise wrong_text(TEXT, waitlist, "Enter the text that customers should read.")
    return texts or text


def _put(request: ListRequest) -> tuple[str, Any]:
    waitlist = request.api.operator("GET", f"/{request.waitlist_id}")
    text = _typed_text(waitlist, request.values)
    until = _utc(request.values.get(UNTIL.name) or "", waitlist["timezone"])
    return _send(request, waitlist, {"text": text, "until": until})


def _end(request: ListRequest) -> tuple[str, Any]:
    waitlist = request.api.operator("GET", f"/{request.waitlist_id}")
    return _send(request, waitlist, {"text": None})


def _send(request: ListRequest, waitlist: Document, body: Document) -> tuple[str, Any]:
    """Replace or end the waitlist's notice. Return a message for the operator, together with the
    old and the new notice.
    """
    path = PATH.format(waitlist_id=request.waitlist_id)
    try:
        answer = request.api.operator("PUT", path, body)
    except Refused as error:
        if any(found.field == "body.until" for found in error.fields):
            # The service's error message refers to an API request, which operators do not know, so
            # show a different message.
            raise UNTIL.wrong(IN_PAST) from error
        raise
    return shown_text(answer), {"before": waitlist.get("notice"), "now": answer}


def shown_text(notice: Document) -> str:
    """Describe how long customers see the notice, or say that the notice has ended."""
    if notice["text"] is None:
        return ENDED
    until = f"until {format_value(notice['until'])}" if notice["until"] else "until you end it"
    return f"Customers see the notice {until}."


def _undo(answer: Document) -> list[Inverse]:
    before = answer["before"]
    if before is None:
        return [Inverse("end-notice")]
    text = before["text"]
    texts = {"text": text} if isinstance(text, str) else {f"text_{key}": text[key] for key in text}
    values = {**texts, "until": before["until"]}
    return [Inverse("notice", values=values, notice="Customers see the earlier notice again.")]


NOTICE = ListAction(
    name="notice",
    summary="Show a notice to all customers of a waitlist.",
    title="Show a notice to the customers of {who}",
    consequence="Everyone who opens the waitlist's page sees the notice. A new notice replaces the "
    "current one. No message is sent to customers.",
    button="Show the notice",
    label="Notice",
    method="PUT",
    path=PATH,
    fields=(*text_fields(TEXT, _shown_text), UNTIL),
    carry_out=_put,
    inverse=_undo,
)
END_NOTICE = ListAction(
    name="end-notice",
    title="End the notice of {who}?",
    consequence="Customers no longer see the notice.",
    button="End the notice",
    method="PUT",
    path=PATH,
    carry_out=_end,
    inverse=_undo,
)
