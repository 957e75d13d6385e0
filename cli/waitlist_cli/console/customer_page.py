"""What the customer's page of a list shows, as a form with the questions of its join form."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.errors import FieldProblem, Refused
from waitlist_cli.operations.settings import NO_PAGE, change

PATH = "/lists/{waitlist}/page"
# How the service names the setting in its errors.
OF_PAGE = "body.page."
COLOUR, USUAL_COLOUR = re.compile("#[0-9A-Fa-f]{6}"), "#1d4ed8"
NEW_QUESTION: dict[str, Any] = {
    "name": "",
    "label": "",
    "type": "text",
    "required": False,
    "options": [],
    "kept_in": "profile",
}
TYPES = (("text", "Text"), ("email", "Email"), ("tel", "Telephone"), ("select", "A choice"))
REQUIRED = (("no", "No"), ("yes", "Yes"))
KEPT_IN = (
    ("profile", "Profile: operators read it"),
    ("attributes", "Attribute: claims filter by it"),
)
# The fields of the form, as a list of errors calls them.
LABELS = {
    "text": "Text",
    "colour": "Colour",
    "logo_url": "Logo",
    "enter_url": "Where customers enter",
    "fields": "Questions",
}


def routes(console: Console) -> list[Route]:
    def shown(
        request: Request, page: Mapping[str, Any], problems: Sequence[FieldProblem] = ()
    ) -> Response:
        is_part = request.method == "POST" and request.headers.get("hx-request") == "true"
        return console.page(
            request,
            "customer_page_form.html" if is_part else "customer_page.html",
            waitlist=console.get(f"/{waitlist_of(request)}"),
            page=page,
            types=TYPES,
            required=REQUIRED,
            kept_in=KEPT_IN,
            problems=_by_field(problems, page),
            label=_label,
        )

    def show(request: Request) -> Response:
        return shown(request, console.get(f"/{waitlist_of(request)}")["page"] or NO_PAGE)

    def save(request: Request, form: Form) -> Response:
        waitlist_id, page = waitlist_of(request), _typed(form)
        try:
            change(console.api, waitlist_id, {"page": None if page == NO_PAGE else page})
        except Refused as error:
            if not error.fields:
                raise
            answer = shown(request, page, error.fields)
            answer.status_code = 422
            answer.headers.update({"HX-Retarget": "#page", "HX-Reswap": "outerMorph"})
            return answer
        return console.done("The page is saved.", to=f"/lists/{waitlist_id}/page")

    def arrange(request: Request, form: Form) -> Response:
        """Answer the form with a question more, or one moved up or removed; nothing is saved."""
        page = _typed(form)
        page["fields"] = _arranged(page["fields"], form.text("do"))
        return shown(request, page)

    def preview(request: Request, form: Form) -> Response:
        """Show the page that the form would make; nothing is saved."""
        page = _typed(form)
        colour = page["colour"] or ""
        return console.page(
            request,
            "customer_page_preview.html",
            waitlist=console.get(f"/{waitlist_of(request)}"),
            page=page,
            colour=colour if COLOUR.fullmatch(colour) else USUAL_COLOUR,
        )

    return [
        Route(PATH, show),
        Route(f"{PATH}/preview", with_form(preview), methods=["POST"]),
        Route(PATH, with_form(save), methods=["POST"]),
        Route(f"{PATH}/questions", with_form(arrange), methods=["POST"]),
    ]


def _typed(form: Form) -> dict[str, Any]:
    """Return the setting as the form has it; the service says what is wrong with it."""
    columns = ("name", "label", "type", "required", "kept_in", "options")
    rows = zip(*(form.getlist(f"question_{one}") for one in columns), strict=False)
    questions = [dict(zip(columns, map(str.strip, row), strict=True)) for row in rows]
    return {
        # A browser sends the ends of lines as CR LF.
        "text": form.text("text").replace("\r\n", "\n"),
        "colour": form.text("colour") or None,
        "logo_url": form.text("logo_url") or None,
        "enter_url": form.text("enter_url") or None,
        "fields": [
            {
                **one,
                "required": one["required"] == "yes",
                "options": _options(one["options"]) if one["type"] == "select" else [],
            }
            for one in questions
        ],
    }


def _options(lines: str) -> list[str]:
    return [line.strip() for line in lines.splitlines() if line.strip()]


def _arranged(questions: list[dict[str, Any]], order: str) -> list[dict[str, Any]]:
    """Return the questions after `add`, `up N` or `remove N`."""
    verb, _, number = order.partition(" ")
    if verb == "add":
        return [*questions, NEW_QUESTION]
    at = int(number) if number.isdecimal() else len(questions)
    if at >= len(questions):
        return questions
    others = [*questions[:at], *questions[at + 1 :]]
    if verb == "up":
        others.insert(max(0, at - 1), questions[at])
    return others


def _by_field(problems: Sequence[FieldProblem], page: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what is wrong, by the field of the form that it stands at; "" for all of it."""
    questions = range(len(page["fields"]))
    of_questions = [f"fields.{number}.{name}" for number in questions for name in NEW_QUESTION]
    places = [*of_questions, *(f"fields.{number}" for number in questions), *NO_PAGE]
    found: dict[str, list[str]] = {}
    for one in problems:
        field = one.field.removeprefix(OF_PAGE)
        place = next((name for name in places if f"{field}.".startswith(f"{name}.")), "")
        text = one.message if place else f"{one.field}: {one.message}"
        found.setdefault(place, []).append(text)
    return found


def _label(place: str) -> str:
    """Return what the form calls a place of `_by_field`."""
    part, _, rest = place.partition(".")
    return f"Question {int(rest.partition('.')[0]) + 1}" if rest else LABELS[part]
