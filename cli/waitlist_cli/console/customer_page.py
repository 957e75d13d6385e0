"""Builds the console page on which operators edit a waitlist's customer page and its questions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, save_settings, seen, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.messages import SPOKEN
from waitlist_cli.errors import FieldProblem, Refused
from waitlist_cli.operations.declared import choices, defaults, settings_in
from waitlist_cli.operations.names import label_of
from waitlist_cli.operations.settings import NO_PAGE
from waitlist_cli.operations.spellings import fold

PATH = "/lists/{waitlist}/page"
# The service identifies each invalid field by its path. The paths of all customer page fields begin
# with this prefix.
PAGE_PREFIX = "body.page."
NEW_QUESTION = {**defaults("page.fields"), "name": "", "label": ""}
TYPES = choices("page.fields.type")
FONTS = choices("page.font")
# The preview can show the page of a customer in each of these states.
STATES = {"join": "Joining", "waiting": "Waiting", "offered": "Their turn", "called": "Called"}
OWN_LANGUAGE = ("", "The language of this browser")
INDEX = (("no", "No"), ("yes", "Yes"))
# Matches a line such as `de: Ihr Name`, which contains a label in one language.
LANGUAGE_LABEL = re.compile("(en|de|fr|es|ar): *(.+)")
# The profile fields with the addresses that the service sends messages to.
ADDRESS_NAMES = {"email": "email", "tel": "phone"}
LONGEST_NAME = 32
PLURALS = ("zero", "one", "two", "few", "many", "other")
REQUIRED = (("no", "No"), ("yes", "Yes"))
KEPT_IN = choices("page.fields.kept_in")
# The labels of the form fields. The list of errors uses them to name the fields.
LABELS = {key: setting.label for key, setting in settings_in("page").items()}


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
            fonts=FONTS,
            states=STATES,
            languages=[OWN_LANGUAGE, *SPOKEN.items()],
            label_lines=_format_label,
            choice_lines=_format_choices,
            word_lines=_format_texts,
            problems=_problems_by_field(problems, page),
            label=_field_label,
        )

    def show(request: Request) -> Response:
        return shown(request, console.get(f"/{waitlist_of(request)}")["page"] or NO_PAGE)

    def save(request: Request, form: Form) -> Response:
        waitlist_id, page = waitlist_of(request), with_names(typed_page(form))
        try:
            given: dict[str, Any] = {"page": None if page == NO_PAGE else page}
            return save_settings(console, PATH, waitlist_id, form, given, "The page was saved.")
        except Refused as error:
            if not error.fields:
                raise
            answer = shown(request, page, error.fields, form)
            answer.status_code = 422
            answer.headers.update({"HX-Retarget": "#page", "HX-Reswap": "outerMorph"})
            return answer

    def arrange(request: Request, form: Form) -> Response:
        """Add, move or remove a question in the form, without saving the change."""
        page = typed_page(form)
        page["fields"] = _rearrange(page["fields"], form.text("do"))
        return shown(request, page, form=form)

    return [
        Route(PATH, show),
        Route(PATH, with_form(save), methods=["POST"]),
        Route(f"{PATH}/questions", with_form(arrange), methods=["POST"]),
    ]


def typed_page(form: Form) -> dict[str, Any]:
    """Return the `page` setting from the form."""
    columns = ("name", "label", "type", "required", "kept_in", "options", "version")
    rows = zip(*(form.getlist(f"question_{column}") for column in columns), strict=False)
    questions = [dict(zip(columns, map(str.strip, row), strict=True)) for row in rows]
    return {
        # Browsers submit line breaks as CR LF.
        "text": form.text("text").replace("\r\n", "\n"),
        "colour": form.text("colour") or None,
        "logo_url": form.text("logo_url") or None,
        "header_url": form.text("header_url") or None,
        "font": form.text("font") or NO_PAGE["font"],
        "enter_url": form.text("enter_url") or None,
        "fields": [
            {
                **question,
                "label": _read_label(question["label"]),
                "required": question["required"] == "yes",
                "options": (
                    _read_choices(question["options"]) if question["type"] == "select" else []
                ),
                "version": question["version"] or None,
            }
            for question in questions
        ],
        "privacy_url": form.text("privacy_url") or None,
        "imprint_url": form.text("imprint_url") or None,
        "image_url": form.text("image_url") or None,
        "index": form.text("index") == "yes",
        "source": form.text("source") or None,
        "sources": _lines(form.text("sources")),
        "texts": _read_texts(form.text("texts")),
    }


def with_names(page: dict[str, Any]) -> dict[str, Any]:
    """Name each question that has a label but no name, and return the changed page settings.

    The name is made from the label. No two questions get the same name.
    """
    taken = {question["name"] for question in page["fields"]}
    named = []
    for question in page["fields"]:
        name = question["name"]
        if not name and question["label"]:
            name = next(name for name in _possible_names(question) if name not in taken)
            taken.add(name)
        named.append({**question, "name": name})
    return {**page, "fields": named}


def _possible_names(question: Mapping[str, Any]) -> Iterator[str]:
    if question["type"] in ADDRESS_NAMES:
        yield ADDRESS_NAMES[question["type"]]
    words = re.sub(r"[^a-z0-9]+", "_", fold(label_of(question["label"])))
    name = re.sub(r"^[^a-z]+", "", words)[:LONGEST_NAME].strip("_")
    if name:
        yield name
    for number in count(2 if name else 1):
        yield f"{(name or 'question')[: LONGEST_NAME - 4]}_{number}"


def _read_label(lines: str) -> str | dict[str, str]:
    """Parse a label. If every line names a language, return a dictionary from languages to labels.

    Otherwise, return one string.
    """
    typed = _lines(lines)
    found = [match for line in typed if (match := LANGUAGE_LABEL.fullmatch(line))]
    if typed and len(found) == len(typed):
        return {match[1]: match[2] for match in found}
    return " ".join(typed)


def _format_label(label: str | Mapping[str, str]) -> str:
    """Format a label for its form field, with one line for each language."""
    if isinstance(label, Mapping):
        return "\n".join(f"{language}: {text}" for language, text in label.items())
    return label


def _read_choices(lines: str) -> list[str | dict[str, Any]]:
    """Parse a question's choices, one per line.

    A line is either plain text, or a value and its labels in several languages, such as `s | en:
    Small | de: Klein`.
    """
    found: list[str | dict[str, Any]] = []
    for line in _lines(lines):
        value, *labels = (part.strip() for part in line.split("|"))
        named = [match for label in labels if (match := LANGUAGE_LABEL.fullmatch(label))]
        is_plain = not labels or len(named) < len(labels)
        by_language = {match[1]: match[2] for match in named}
        found.append(line if is_plain else {"value": value, "labels": by_language})
    return found


def _format_choices(options: Sequence[str | Mapping[str, Any]]) -> str:
    """Format a question's choices for the form field, one choice per line."""
    return "\n".join(
        choice
        if isinstance(choice, str)
        else " | ".join([choice["value"], *_format_label(choice["labels"]).splitlines()])
        for choice in options
    )


def _read_texts(lines: str) -> dict[str, Any]:
    """Parse the operator's own texts for the customer page.

    A line such as `de.join: Anstellen` replaces one standard text in one language.
    """
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


def _format_texts(texts: Mapping[str, Mapping[str, Any]]) -> str:
    """Format the operator's own texts for the form field."""
    lines = []
    for language, own in texts.items():
        for key, text in own.items():
            forms = (
                {f".{category}": words for category, words in text.items()}
                if isinstance(text, Mapping)
                else {"": text}
            )
            lines += [f"{language}.{key}{ending}: {words}" for ending, words in forms.items()]
    return "\n".join(line.replace("\n", "\\n") for line in lines)


def _lines(lines: str) -> list[str]:
    return [line.strip() for line in lines.splitlines() if line.strip()]


def _rearrange(questions: list[dict[str, Any]], order: str) -> list[dict[str, Any]]:
    """Add, move or remove a question, and return all questions.

    `order` is `add`, `up N` or `remove N`, where N is the question's number.
    """
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


def _problems_by_field(
    problems: Sequence[FieldProblem], page: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Group the errors by form field. Errors that belong to no field have the key ""."""
    questions = range(len(page["fields"]))
    of_questions = [f"fields.{number}.{name}" for number in questions for name in NEW_QUESTION]
    places = [*of_questions, *(f"fields.{number}" for number in questions), *NO_PAGE]
    found: dict[str, list[str]] = {}
    for problem in problems:
        field = problem.field.removeprefix(PAGE_PREFIX)
        place = next((name for name in places if f"{field}.".startswith(f"{name}.")), "")
        text = problem.message if place else f"{problem.field}: {problem.message}"
        found.setdefault(place, []).append(text)
    return found


def _field_label(place: str) -> str:
    """Return the label that the list of errors shows for a form field."""
    part, _, rest = place.partition(".")
    return f"Question {int(rest.partition('.')[0]) + 1}" if rest else LABELS[part]
