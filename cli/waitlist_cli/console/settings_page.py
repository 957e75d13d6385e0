"""Builds the form for a waitlist's settings and the form for a new waitlist.

The fields are made from the settings that `settings.json` declares.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from waitlist_cli.client.ids import checked_waitlist_id, suggest_waitlist_id
from waitlist_cli.console.actions import Form, save_settings, seen, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.messages import country_codes
from waitlist_cli.console.picked_times import picked_utc, zones
from waitlist_cli.errors import FieldProblem, Refused, WrongUsage
from waitlist_cli.operations.action import Document, Field
from waitlist_cli.operations.declared import Setting, defaults, end_of_group, settings, settings_in
from waitlist_cli.operations.settings import WAITLIST_EXISTS, create
from waitlist_cli.operations.templates import Question, get, put, settings_like, templates
from waitlist_cli.operations.zone_countries import language_of, zone_countries

PATH = "/lists/{waitlist}/settings"
# The settings that other pages show.
OF_OTHER_PAGES = ("open", "paused", "admission", "page", "messages")
SHOWN = [name for name in settings_in("") if name not in OF_OTHER_PAGES]
OPEN = (("yes", "Open: customers can sign up"), ("no", "Closed: no signups yet"))
ID = Field(
    "id",
    "Id",
    hint="Lower-case letters, digits and hyphens. Addresses and events contain the id, which you "
    "cannot change later.",
    is_required=True,
)
LANGUAGE = Field(
    "messages.language",
    "Usual language of messages",
    "select",
    "The language of messages to people whose own language is unknown, such as people whom you "
    "add. The form proposes the language of the time zone's country.",
    value=settings()["messages.language"].default,
    options=list(settings()["messages.language"].choices.items()),
)
KINDS = {
    "boolean": "choice",
    "choice": "choice",
    "integer": "number",
    "lists": "long",
    "strings": "long",
    "time": "time",
}
EMPTY = "Answer this question."
HINTS = {
    "integers": "Separate the numbers with commas.",
    "lists": "Enter one item per line. Within an item, separate names with commas.",
    "strings": "Enter one item per line.",
}


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist = console.get(f"/{waitlist_of(request)}")
        fields, identity = _fields(waitlist)
        return console.page(
            request,
            "settings.html",
            waitlist=waitlist,
            fields=fields,
            identity=identity,
            seen=seen(waitlist, SHOWN),
        )

    def save(request: Request, form: Form) -> Response:
        waitlist_id = waitlist_of(request)
        given = _typed(form)
        return save_settings(console, PATH, waitlist_id, form, given, "The settings were saved.")

    def ask_new(request: Request) -> Response:
        like = request.query_params.get("like", "")
        base = settings_like(console.api, like) if like else {}
        (name, *others), identity = _fields({**defaults(""), "timezone": "", **base, "name": ""})
        is_open = Field("open", "Signups", "choice", options=OPEN, value="yes")
        template = templates().get(like)
        asked = [_asked(question, base, others) for question in template.asks] if template else []
        asked.append(next(field for field in others if field.name == "timezone"))
        if template and "messages" in template.settings:
            asked.append(LANGUAGE)
        names = {field.name for field in asked}
        typed = request.query_params
        return console.page(
            request,
            "new.html",
            like=like,
            templates=templates(),
            chosen=template,
            waitlists=console.get("")["waitlists"],
            asked=_with_typed([name, ID, *asked], typed),
            fields=_with_typed(
                [is_open, *(field for field in others if field.name not in names)], typed
            ),
            identity=_with_typed(identity, typed),
            countries=zone_countries(),
            language_of=language_of,
        )

    def suggest(request: Request) -> Response:
        return PlainTextResponse(suggest_waitlist_id(request.query_params.get("name", "")))

    def make(_request: Request, form: Form) -> Response:
        given, waitlist_id, like = _typed(form), _typed_id(form), form.text("like")
        base = settings_like(console.api, like) if like else {}
        given = {**base, **given, "open": form.text("open") != "no"}
        for question in templates()[like].asks if like in templates() else ():
            if question.kind:
                put(given, question.setting, _answer(form, question))
        if language := form.text(LANGUAGE.name):
            put(given, LANGUAGE.name, language)
        try:
            create(console.api, waitlist_id, given)
        except Refused as error:
            if error.code != WAITLIST_EXISTS:
                raise
            raise ID.wrong("A list with this id already exists. Choose a different id.") from error
        return console.done(f"{waitlist_id} was created.", to=f"/lists/{waitlist_id}")

    return [
        Route(PATH, show),
        Route(PATH, with_form(save), methods=["POST"]),
        Route("/new", ask_new),
        Route("/new", with_form(make), methods=["POST"]),
        Route("/new/id", suggest),
    ]


def _with_typed(fields: Iterable[Field], typed: Mapping[str, str]) -> list[Field]:
    """Return the fields with the values that the operator typed before choosing a template.

    Times are left out, because the browser sends them without their time zone.
    """
    return [
        replace(field, value=typed.get(field.name, field.value)) if field.kind != "time" else field
        for field in fields
    ]


def _typed_id(form: Form) -> str:
    typed = form.text(ID.name) or suggest_waitlist_id(form.text("name"))
    if not typed:
        raise ID.wrong(EMPTY)
    try:
        return checked_waitlist_id(typed)
    except WrongUsage as error:
        raise ID.wrong(f"The text {error.message}") from error


def _asked(question: Question, base: Document, fields: list[Field]) -> Field:
    """Return the form field for one of the template's questions.

    The field replaces the usual field for the same setting.
    """
    if not question.kind:
        usual = next(field for field in fields if field.name == question.setting)
        return replace(usual, label=question.label)
    # Leave a time field empty, because the operator must choose the time. Only the command line
    # uses the template's default time.
    value = None if question.kind == "time" else get(base, question.setting)
    return replace(_field_of(question), value="" if value is None else str(value))


def _field_of(question: Question) -> Field:
    return Field(
        question.setting,
        question.label,
        "text" if question.kind == "countries" else question.kind,
        question.hint,
        is_required=question.required,
        at_least=1,
    )


def _answer(form: Form, question: Question) -> Any:
    field, typed = _field_of(question), form.text(question.setting)
    if question.required and not typed:
        raise field.wrong(EMPTY)
    if question.kind == "number":
        return field.number(typed)
    if question.kind == "countries":
        return country_codes(field, typed)
    if question.kind == "time":
        return picked_utc(typed, form.text("timezone"), question.label, "")
    return typed or None


def _fields(waitlist: Document) -> tuple[list[Field], list[Field]]:
    """Return the form's general fields, and the fields that say how guests are identified."""
    fields: list[Field] = []
    for name in SHOWN:
        if name == "timezone":
            fields.append(_zone_field(waitlist[name]))
        elif name != "identity":
            fields += fields_of(settings()[name], waitlist[name])
    return fields, list(fields_of(settings()["identity"], waitlist["identity"]))


def _zone_field(value: str) -> Field:
    """Return the field for the time zone.

    A new waitlist has no time zone yet, so its form suggests the browser's time zone.
    """
    setting = settings()["timezone"]
    names = zones() if value in ("", *zones()) else [value, *zones()]
    hint = f"{setting.help} The times in this form are in this time zone too."
    return Field(setting.name, setting.label, "zone", hint, value, [(name, name) for name in names])


def fields_of(setting: Setting, value: Any) -> Iterator[Field]:
    """Yield the form field of a setting.

    If the setting is a group, yield a field for each setting in the group.
    """
    if setting.type != "group":
        yield _field(setting, value)
        return
    for part in settings_in(setting.name).values():
        usual = part.default if part.type == "choice" else None
        yield _field(part, usual if value is None else value.get(part.key, part.default))


def _field(setting: Setting, value: Any) -> Field:
    is_off = value is None and end_of_group(setting) is not None
    return Field(
        setting.name.replace(".", "_"),
        setting.label,
        KINDS.get(setting.type, "text"),
        _hint(setting),
        _format(setting, "off" if is_off and setting.type == "choice" else value),
        list(setting.choices.items()),
        is_required=_meaning_of_empty(setting) == "" and setting.type in ("integer", "string"),
    )


def _hint(setting: Setting) -> str:
    empty = "" if setting.type in ("choice", "boolean") else _meaning_of_empty(setting)
    empty = empty and f"An empty field means {empty}."
    hint = " ".join(filter(None, (setting.help, HINTS.get(setting.type), empty)))
    return hint.replace("`", "")


def _meaning_of_empty(setting: Setting) -> str:
    """Describe what an empty field means.

    Return "" if the field must not be empty.
    """
    if (end := end_of_group(setting)) is not None:
        return end
    if setting.is_nullable:
        return setting.null
    return _format(setting, setting.default) or "none" if setting.group else ""


def _format(setting: Setting, value: Any) -> str:
    """Format a setting's value for its field."""
    if value is None:
        return ""
    match setting.type:
        case "boolean":
            return "yes" if value else "no"
        case "integers":
            return ", ".join(map(str, value))
        case "strings":
            return "\n".join(value)
        case "lists":
            return "\n".join(",".join(names) for names in value)
    return str(value)


def _typed(form: Form) -> dict[str, Any]:
    """Return the settings that the form describes. Raises WrongUsage if a field is not valid."""
    return {name: read_setting(form, settings()[name]) for name in SHOWN}


def read_setting(form: Form, setting: Setting) -> Any:
    if setting.type == "group":
        return _read_group(form, setting)
    with _errors_at_field(setting):
        return _read_single(form, setting)


def _read_single(form: Form, setting: Setting) -> Any:
    name, label = setting.name.replace(".", "_"), setting.label
    typed = form.text(name)
    match setting.type:
        case "integer":
            return _number(form.number(name, label), setting)
        case "boolean":
            return typed == "yes"
        case "time":
            before, shown = form.text(f"{name}_before"), (form.seen() or {}).get("timezone", "UTC")
            return picked_utc(typed, form.text("timezone"), label, before, shown)
        case "strings":
            return form.lines(name)
        case "lists":
            return [[item.strip() for item in line.split(",")] for line in form.lines(name)]
        case "integers":
            items = [item.strip() for item in typed.split(",") if item.strip()]
            if not all(map(str.isdecimal, items)):
                raise WrongUsage(f"{label}: enter whole numbers, separated by commas.")
            return [int(item) for item in items]
    if not typed and setting.name == "name":
        raise WrongUsage(EMPTY)
    # Country codes are upper-case, but operators may type them in lower case.
    text = typed.upper() if setting.name == "identity.region" else typed
    return text or setting.default


@contextmanager
def _errors_at_field(setting: Setting) -> Iterator[None]:
    """Add the setting's form field to any WrongUsage that names no field."""
    try:
        yield
    except WrongUsage as error:
        if error.fields:
            raise
        message = error.message.removeprefix(f"{setting.label}: ")
        problem = FieldProblem(setting.name, f"{message[:1].upper()}{message[1:]}")
        raise WrongUsage(f"{setting.label}: {message}", fields=[problem]) from error


def _number(typed: int | None, setting: Setting) -> int | None:
    if setting.is_nullable or end_of_group(setting) is not None:
        return typed or None
    if typed is None and not setting.group:
        raise WrongUsage(f"{setting.label}: enter a whole number.")
    return setting.default if typed is None else typed


def _read_group(form: Form, group: Setting) -> dict[str, Any] | None:
    """Return a group's settings, or None if the operator has turned the group off.

    To turn a group off, the operator empties its first field.
    """
    first, *others = settings_in(group.name).values()
    if form.text(first.name.replace(".", "_")) not in ("", "off", "0"):
        return {part.key: read_setting(form, part) for part in (first, *others)}
    was_on = (form.seen() or {}).get(group.name) is not None
    for other in others:
        if first.type == "integer" and not was_on and _is_filled(form, other):
            raise WrongUsage(f"{first.label}: enter a number, or leave {other.label!r} empty too.")
    return None


def _is_filled(form: Form, setting: Setting) -> bool:
    return setting.type != "choice" and form.text(setting.name.replace(".", "_")) != ""
