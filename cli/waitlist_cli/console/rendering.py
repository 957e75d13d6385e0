"""Renders the console's pages. The templates escape every value."""

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from waitlist_cli.operations.readiness import passed_over
from waitlist_cli.terminal.output import format_details, format_duration, format_value

# A time that is less than 12 hours away is shown without its date, even on the other side of
# midnight. It is not ambiguous, because each time of day occurs only once in that range.
TIME_ALONE = timedelta(hours=12)
# Numbers from here on are abbreviated. Smaller numbers keep all digits.
COMPACT_FROM = 10_000
# UTF-8 cannot encode surrogates, so a response that contains a surrogate would fail.
SURROGATES = re.compile("[\ud800-\udfff]")
UNITS = ((1_000_000_000, "B"), (1_000_000, "M"), (1_000, "K"))
NONE = "-"


def text(value: object) -> str:
    """Return a value as readable text, with control and direction characters replaced."""
    return NONE if value is None or value == "" else format_value(value)


def own(value: object) -> str:
    """Return a value that a customer chose as text. Numbers get no thousands separators."""
    return format_value(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def compact(value: int | None) -> str:
    """Return a number in at most five characters, such as 9,999, 12.3K or 1.2M."""
    if value is None:
        return NONE
    for size, unit in UNITS:
        if value >= size and value >= COMPACT_FROM:
            # Truncate instead of rounding, because 999,999 is not a million yet.
            tenths = value * 10 // size
            return f"{value // size if tenths >= 1000 else tenths / 10:g}{unit}"
    return f"{value:,}"


def seconds(value: int | None) -> str:
    """Return a duration such as 2 h 5 min."""
    return NONE if value is None else format_duration(value)


def moment(value: str | None) -> str:
    """Return a time in this computer's time zone.

    The format is 14:03:22 within 12 hours of now, 3 Mar 14:03 in the current year, and otherwise
    3 Mar 2019.
    """
    if value is None:
        return NONE
    local = datetime.fromisoformat(value).astimezone()
    now = datetime.now(UTC).astimezone()
    if abs(local - now) < TIME_ALONE:
        return f"{local:%H:%M:%S}"
    return (
        f"{local.day} {local:%b %H:%M}" if local.year == now.year else f"{local.day} {local:%b %Y}"
    )


def ago(value: str | None) -> str:
    """Return how long ago a time was, such as 2 min 5 s."""
    return NONE if value is None else format_duration(max(0, -_seconds_until(value)))


def ahead(value: str) -> str:
    """Return how long it is until a time, such as 2 min 5 s."""
    return format_duration(max(0, _seconds_until(value)))


def _seconds_until(value: str) -> int:
    return int((datetime.fromisoformat(value) - datetime.now(UTC)).total_seconds())


@cache
def _environment() -> Environment:
    """Return the template environment, which the whole process shares."""
    made = Environment(
        loader=PackageLoader("waitlist_cli.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        text=text, own=own, compact=compact, seconds=seconds, moment=moment, ago=ago, ahead=ahead
    )
    made.filters |= {"details": format_details, "passed_over": passed_over}
    return made


@dataclass(frozen=True)
class Pages:
    """Renders templates. Every page shows the service's address, `service`."""

    service: str
    templates: Environment = field(default_factory=_environment)

    def html(self, template: str, **values: Any) -> str:
        html = self.templates.get_template(template).render(service=self.service, **values)
        # Values of form fields do not go through the filter `text`, so surrogates can remain.
        return SURROGATES.sub("�", html)

    def answer(
        self, request: Request, template: str, status_code: int = 200, **values: Any
    ) -> HTMLResponse:
        """Render a template as a whole page, or as a fragment if htmx sent the request."""
        is_part = request.headers.get("hx-request") == "true"
        layout = "part.html" if is_part else "page.html"
        html = self.html(template, layout=layout, path=request.url.path, **values)
        return HTMLResponse(html, status_code)
