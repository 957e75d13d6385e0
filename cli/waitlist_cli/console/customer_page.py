"""What the customer's page of a list shows, as a form with the questions of its join form."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, save_settings, seen, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.errors import FieldProblem, Refused
from waitlist_cli.operations.settings import NO_PAGE

PATH = "/lists/{waitlist}/page"
# How the service names the setting in its errors.
OF_PAGE = "body.page."
NEW_QUESTION: dict[str, Any] = {
    "name": "",
    "label": "",
    "type": "text",
    "required": False,
    "options": [],
    "kept_in": "profile",
    "version": None,
}
TYPES = (
    ("text", "Text"),
    ("email", "Email"),
    ("tel", "Telephone"),
    ("select", "A choice"),
    ("checkbox", "A box: the customer agrees"),
    ("hidden", "None: from the page's address"),
)
INDEX = (("no", "No"), ("yes", "Yes"))
# A line of a text that has several languages.
OF_LANGUAGE = re.compile("(en|de|fr|es|ar): *(.+)")
PLURALS = ("zero", "one", "two", "few", "many", "other")
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
    "image_url": "Image of previews",
    "index": "Search engines",
    "source": "Counted field",
    "sources": "Counted answers",
    "texts": "Own words",
}


def routes(console: Console) -> list[Route]:
    def shown(
        request: Request,
        page: Mapping[str, Any],
        problems: Sequence[FieldProblem] = (),
        form: Form | None = None,
    ) -> Response:
        waitlist = console.get(f"/{waitlist_of(request)}")
        is_part = request.method == "POST" and request.headers.get("hx-request") == "true"
        return console.page(
            request,
            "customer_page_form.html" if is_part else "customer_page.html",
            waitlist=waitlist,
            seen=form.get("seen") if form else seen(waitlist, ["page"]),
            page=page,
            types=TYPES,
            required=REQUIRED,
            kept_in=KEPT_IN,
            index=INDEX,
            label_lines=_label_lines,
            choice_lines=_choice_lines,
            word_lines=_word_lines,
            problems=_by_field(problems, page),
            label=_label,
        )

    def show(request: Request) -> Response:
        return shown(request, console.get(f"/{waitlist_of(request)}")["page"] or NO_PAGE)

    def save(request: Request, form: Form) -> Response:
        waitlist_id, page = waitlist_of(request), typed_page(form)
        try:
            save_settings(console, waitlist_id, form, {"page": None if page == NO_PAGE else page})
        except Refused as error:
            if not error.fields:
                raise
            answer = shown(request, page, error.fields, form)
            answer.status_code = 422
            answer.headers.update({"HX-Retarget": "#page", "HX-Reswap": "outerMorph"})
            return answer
        return console.done("The page is saved.", to=f"/lists/{waitlist_id}/page")

    def arrange(request: Request, form: Form) -> Response:
        """Answer the form with a question more, or one moved up or removed; nothing is saved."""
        page = typed_page(form)
        page["fields"] = _arranged(page["fields"], form.text("do"))
        return shown(request, page, form=form)

    return [
        Route(PATH, show),
        Route(PATH, with_form(save), methods=["POST"]),
        Route(f"{PATH}/questions", with_form(arrange), methods=["POST"]),
    ]


def typed_page(form: Form) -> dict[str, Any]:
    """Return the setting as the form has it; the service says what is wrong with it."""
    columns = ("name", "label", "type", "required", "kept_in", "options", "version")
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
                "label": _label_of(one["label"]),
                "required": one["required"] == "yes",
                "options": _choices(one["options"]) if one["type"] == "select" else [],
                "version": one["version"] or None,
            }
            for one in questions
        ],
        "image_url": form.text("image_url") or None,
        "index": form.text("index") == "yes",
        "source": form.text("source") or None,
        "sources": _lines(form.text("sources")),
        "texts": _words_of(form.text("texts")),
    }


def _label_of(lines: str) -> str | dict[str, str]:
    """Return one text, or one for each language if each line begins with one."""
    typed = _lines(lines)
    found = [one for line in typed if (one := OF_LANGUAGE.fullmatch(line))]
    if typed and len(found) == len(typed):
        return {one[1]: one[2] for one in found}
    return " ".join(typed)


def _label_lines(label: str | Mapping[str, str]) -> str:
    """Return a label as the form has it."""
    if isinstance(label, Mapping):
        return "\n".join(f"{language}: {text}" for language, text in label.items())
    return label


def _choices(lines: str) -> list[str | dict[str, Any]]:
    """Return choices; the labels of one follow its value, as in `s | en: Small | de: Klein`."""
    found: list[str | dict[str, Any]] = []
    for line in _lines(lines):
        value, *labels = (part.strip() for part in line.split("|"))
        named = [one for label in labels if (one := OF_LANGUAGE.fullmatch(label))]
        is_plain = not labels or len(named) < len(labels)
        own = {one[1]: one[2] for one in named}
        found.append(line if is_plain else {"value": value, "labels": own})
    return found


def _choice_lines(options: Sequence[str | Mapping[str, Any]]) -> str:
    """Return choices as the form has them."""
    return "\n".join(
        one
        if isinstance(one, str)
        else " | ".join([one["value"], *_label_lines(one["labels"]).splitlines()])
        for one in options
    )


def _words_of(lines: str) -> dict[str, Any]:
    """Return words of the page by language and key; a line is `de.join: Anstellen`."""
    texts: dict[str, Any] = {}
    for line in _lines(lines):
        place, _, text = line.partition(":")
        language, _, key = place.strip().partition(".")
        text = text.strip().replace("\\n", "\n")
        own = texts.setdefault(language, {})
        name, _, category = key.rpartition(".")
        if category in PLURALS and isinstance(own.get(name, {}), dict):
            own.setdefault(name, {})[category] = text
        else:
            own[key] = text
    return texts


def _word_lines(texts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return own words as the form has them."""
    lines = []
    for language, own in texts.items():
        for key, text in own.items():
            forms = (
                {f".{one}": words for one, words in text.items()}
                if isinstance(text, Mapping)
                else {"": text}
            )
            lines += [f"{language}.{key}{one}: {words}" for one, words in forms.items()]
    return "\n".join(line.replace("\n", "\\n") for line in lines)


def _lines(lines: str) -> list[str]:
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
