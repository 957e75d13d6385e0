"""Renders the console's pages. The templates escape all values."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from starlette.requests import Request
from starlette.responses import HTMLResponse

from waitlist_cli.console.picked_times import in_zone
from waitlist_cli.operations.checklist import checklist
from waitlist_cli.operations.explain import event_name
from waitlist_cli.operations.names import chosen_id, field_label, name_of, own_name_of, status_name
from waitlist_cli.operations.readiness import passed_over
from waitlist_cli.terminal.output import format_details, format_duration, format_value
from waitlist_cli.terminal.times import INSTANT, localize

# A time less than 12 hours away is shown without a date, because its date is obvious.
TIME_ALONE = timedelta(hours=12)
# The smallest number that is abbreviated, for example to 12.3K. Smaller numbers are written in
# full.
COMPACT_FROM = 10_000
# UTF-8 cannot encode surrogates, so a page that contains a surrogate cannot be sent.
SURROGATES = re.compile("[\ud800-\udfff]")
UNITS = ((1_000_000_000, "B"), (1_000_000, "M"), (1_000, "K"))
NONE = "-"


@pass_context
def text(context: Context, value: object) -> str:
    """Format a value as readable text.

    Control characters and text direction marks are replaced. Times are in the time zone of the
    page's waitlist.
    """
    if value is None or value == "":
        return NONE
    if isinstance(value, str) and INSTANT.fullmatch(value):
        return localize(value, _zone(context))
    return format_value(value)


@pass_context
def localized(context: Context, text: str) -> str:
    """Convert the times in a text to the time zone of the page's waitlist."""
    return localize(text, _zone(context))


def own(value: object) -> str:
    """Format a value that a customer entered. Numbers get no thousands separators."""
    return format_value(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def status_word(person: Mapping[str, Any]) -> str:
    """Return the status that the console shows for a person.

    In the API, claimed people and people with an offer have the same status, `offered`. The console
    shows claimed people as `called` or `claimed`.
    """
    if person["status"] != "offered" or person["offered_until"]:
        return status_name(person["status"])
    return "called" if person["call"] else "claimed"


def sentence(message: str) -> str:
    """Format the service's message about an invalid field as a sentence.

    A message that begins with a verb, such as `is too long`, becomes `This answer is too long.`
    """
    shown = format_value(message) if message else NONE
    whole = shown if shown[:1].isupper() else f"This answer {shown}"
    return whole if whole.endswith(".") else f"{whole}."


def compact(value: int | None) -> str:
    """Format a number in at most five characters, such as 9,999, 12.3K or 1.2M."""
    if value is None:
        return NONE
    for size, unit in UNITS:
        if value >= size and value >= COMPACT_FROM:
            # Truncate instead of rounding, so that 999,999 does not become 1M.
            tenths = value * 10 // size
            return f"{value // size if tenths >= 1000 else tenths / 10:g}{unit}"
    return f"{value:,}"


def seconds(value: int | None) -> str:
    """Format a number of seconds as a duration such as 2 h 5 min."""
    return NONE if value is None else format_duration(value)


@pass_context
def moment(context: Context, value: str | None) -> str:
    """Format a time in the time zone of the page's waitlist.

    Examples: 14:03:22, 3 Mar 14:03, 3 Mar 2019.
    """
    if value is None:
        return NONE
    zone = ZoneInfo(_zone(context))
    local = datetime.fromisoformat(value).astimezone(zone)
    now = datetime.now(zone)
    if abs(local - now) < TIME_ALONE:
        return f"{local:%H:%M:%S}"
    return (
        f"{local.day} {local:%b %H:%M}" if local.year == now.year else f"{local.day} {local:%b %Y}"
    )


@pass_context
def local_time(context: Context, value: str) -> str:
    """Format a time for a field in which the operator picks a date and time."""
    return in_zone(value, _zone(context))


@pass_context
def passed_over_until(context: Context, person: Mapping[str, Any]) -> str:
    """Return the reasons why a person cannot be admitted or claimed.

    For a delay or a pause, the text includes the end, as in `delayed until 14:03:22`.
    """
    return passed_over(person, partial(moment, context))


def _zone(context: Context) -> str:
    """Return the time zone of the page's waitlist, or UTC if the page has none."""
    waitlist = context.get("waitlist")
    return str(waitlist["timezone"]) if isinstance(waitlist, Mapping) else "UTC"


def ago(value: str | None) -> str:
    """Format how long ago a time was, such as 2 min 5 s."""
    return NONE if value is None else format_duration(max(0, -_seconds_until(value)))


def ahead(value: str) -> str:
    """Format how long it is until a time, such as 2 min 5 s."""
    return format_duration(max(0, _seconds_until(value)))


def _seconds_until(value: str) -> int:
    return int((datetime.fromisoformat(value) - datetime.now(UTC)).total_seconds())


@cache
def _environment() -> Environment:
    """Return the template environment. The whole process shares one environment."""
    made = Environment(
        loader=PackageLoader("waitlist_cli.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        text=text,
        localized=localized,
        own=own,
        sentence=sentence,
        compact=compact,
        seconds=seconds,
        moment=moment,
        ago=ago,
        ahead=ahead,
    )
    made.filters["local_time"] = local_time
    made.filters["checklist"] = checklist
    made.filters |= {
        "details": format_details,
        "passed_over": passed_over_until,
        "name_in": name_of,
    }
    made.filters["own_name_in"] = own_name_of
    made.filters |= {"chosen_id": chosen_id, "status_word": status_word, "field_label": field_label}
    made.filters |= {"status_name": status_name, "event_name": event_name}
    return made


@dataclass(frozen=True)
class Pages:
    """Renders templates. Every page shows `service`, the service's address."""

    service: str
    templates: Environment = field(default_factory=_environment)

    def html(self, template: str, **values: Any) -> str:
        html = self.templates.get_template(template).render(service=self.service, **values)
        # UTF-8 cannot encode lone surrogates. The templates' `text` filter replaces them, but form
        # field values do not pass through it. Replace the remaining surrogates here.
        return SURROGATES.sub("�", html)

    def answer(
        self, request: Request, template: str, status_code: int = 200, **values: Any
    ) -> HTMLResponse:
        """Render a template as a full page, or as only a part of it if htmx sent the request."""
        is_part = request.headers.get("hx-request") == "true"
        layout = "part.html" if is_part else "page.html"
        html = self.html(template, layout=layout, path=request.url.path, **values)
        return HTMLResponse(html, status_code)
