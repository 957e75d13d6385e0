"""Shows the dialog of each action, and reads the forms that operators submit."""

import json
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from waitlist_cli.console.context import UNDO_SHOWN_SECONDS, Console
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.action import (
    Action,
    Bulk,
    Document,
    Field,
    ListAction,
    PersonAction,
)
from waitlist_cli.operations.names import name_of
from waitlist_cli.operations.settings import change_seen
from waitlist_cli.terminal.output import format_count, format_duration
from waitlist_cli.terminal.parameters import filters_of, lines_of

MOST_BYTES = 1_000_000
CANNOT_BE_UNDONE = "This cannot be undone."


class Form(ImmutableMultiDict[str, str]):
    def text(self, name: str) -> str:
        # Browsers submit line breaks as CR LF.
        return self.get(name, "").strip().replace("\r\n", "\n")

    def number(self, name: str, label: str) -> int | None:
        """Return the field as a whole number, or None if the field is empty."""
        return Field(name, label).number(self.text(name))

    @property
    def key(self) -> str:
        """The dialog's idempotency key. If the operator presses the button twice, both requests
        have the same key, so the second has no effect.
        """
        return self.text("key") or str(uuid.uuid4())

    def read(
        self, action: Action, asked: Sequence[Field] = (), seen: Document | None = None
    ) -> dict[str, Any]:
        """Return the values that the operator has entered for this action.

        Empty number fields are left out. If `seen` contains the earlier values, unchanged values
        are left out too.
        """
        values: dict[str, Any] = {field.name: self.text(field.name) for field in asked}
        for field in action.fields:
            typed = self.text(field.name)
            match field.kind:
                case "number":
                    if (number := field.number(typed)) is not None:
                        values[field.name] = number
                case "filters":
                    values |= filters_of(typed, field.label)
                case "seen":
                    values[field.name] = typed or None
                case _:
                    values[field.name] = typed or field.value
        return {
            name: value
            for name, value in values.items()
            if seen is None or name not in seen or value != seen[name]
        }

    def seen(self) -> dict[str, Any] | None:
        """Return the settings from when the form was opened, or None if they are unknown."""
        try:
            found: dict[str, Any] | None = json.loads(self["seen"]) if "seen" in self else None
        except ValueError:
            raise WrongUsage("The form contains invalid data. Open the page again.") from None
        return found

    def lines(self, name: str) -> list[str]:
        return lines_of(self.get(name, ""))


def seen(waitlist: Document, names: Iterable[str]) -> str:
    """Return the settings in `names` as JSON for the form's hidden `seen` field.

    When the operator saves the form, this field contains the values that they saw.
    """
    return json.dumps({name: waitlist[name] for name in names})


def save_settings(
    console: Console, path: str, waitlist_id: str, form: Form, given: dict[str, Any], notice: str
) -> Response:
    """Save the settings that the operator has changed in the form, and open the page `path`.

    Settings that other operators have changed in the meantime are kept.
    """
    made = change_seen(console.api, waitlist_id, form.seen(), given)
    to = path.format(waitlist=waitlist_id)
    return console.done(notice, to=to, undo=console.undos.keep(waitlist_id, change=made, page=to))


Endpoint = Callable[[Request, Form], Response]


def with_form(function: Endpoint) -> Callable[[Request], Any]:
    """Return an endpoint that parses the submitted form and passes it to `function`."""

    async def endpoint(request: Request) -> Response:
        content = bytearray()
        async for part in request.stream():
            content += part
            if len(content) > MOST_BYTES:
                raise WrongUsage("The form is longer than 1 MB.")
        pairs = parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True)
        response = await run_in_threadpool(function, request, Form(pairs))
        to = response.headers.get("hx-redirect")
        if to and request.headers.get("hx-request") != "true":
            # If the page's scripts have not been loaded, the browser submits the form without htmx,
            # and needs an ordinary redirect.
            return RedirectResponse(to, 303)
        return response

    return endpoint


def dialog(
    console: Console,
    request: Request,
    action: PersonAction | ListAction,
    waitlist: Document,
    who: str,
    person: Document | None = None,
    known: Sequence[Field] = (),
    chosen: Sequence[Document] = (),
) -> Response:
    """Return the dialog in which the operator confirms an action on a waitlist or on a person.

    The dialog does not ask for the fields in `known`. If people are given as `chosen`, the dialog
    lists them and submits their entry ids.
    """
    unknown = [field for field in action.fields if field not in known]
    questions = action.asked(waitlist, person or {})
    fields = shown_fields(unknown, waitlist, person or {})
    shown = {field.name: field.value for field in (*questions, *fields)}
    return console.page(
        request,
        "dialog.html",
        action=action,
        title=action.title.format(who=who),
        waitlist=waitlist,
        consequence=f"{action.consequence} {action.more(person or waitlist)}",
        ending=_ending(console, action, waitlist, person or {}),
        questions=questions,
        fields=fields,
        seen=json.dumps(shown) if person and questions else "",
        key=str(uuid.uuid4()),
        send_to=request.url.path,
        button=getattr(action, "first_button", "") or action.button_text,
        **shown_people(chosen, waitlist),
    )


def _ending(
    console: Console, action: PersonAction | ListAction, waitlist: Document, person: Document
) -> str:
    """Return the sentence that tells the operator how long they can undo the action.

    Return "" if an action on a waitlist can be undone at any time. Also return "" if the values
    that the operator enters decide whether an action on a person can be undone.
    """
    if isinstance(action, ListAction):
        return "" if action.inverse else CANNOT_BE_UNDONE
    if action.may_be_undone:
        return ""
    if console.can_wait(action, waitlist, person, {}):
        return _undo_for(console.decisions.seconds)
    can_be_inverted = action.can_be_inverted(waitlist, person, {})
    return _undo_for(UNDO_SHOWN_SECONDS) if can_be_inverted else CANNOT_BE_UNDONE


def _undo_for(seconds: float) -> str:
    return f"You can undo this for {format_duration(int(seconds))}."


def bulk_dialog(
    console: Console,
    request: Request,
    action: PersonAction,
    bulk: Bulk,
    waitlist: Document,
    people: Sequence[Document],
) -> Response:
    """Return the dialog for an action on several people.

    It lists their names in the given order. If the action cannot be undone for some of the people,
    a second dialog says so.
    """
    can_be_inverted = all(action.can_be_inverted(waitlist, person, {}) for person in people)
    return console.page(
        request,
        "dialog.html",
        action=action,
        title=bulk.title.format(people=format_count(len(people), "person", "people")),
        consequence=bulk.consequence,
        ending=_undo_for(UNDO_SHOWN_SECONDS) if can_be_inverted else "",
        **shown_people(people, waitlist),
        questions=(),
        fields=[field for field in action.fields if field.kind != "seen"],
        key=str(uuid.uuid4()),
        send_to=request.url.path,
    )


def shown_people(chosen: Sequence[Document], waitlist: Document) -> dict[str, Any]:
    """Return the chosen people's names and entry ids for a dialog's template."""
    if not chosen:
        return {}
    return {
        "names": [name_of(person, waitlist) for person in chosen],
        "entries": [person["entry_id"] for person in chosen],
    }


def second_dialog(
    console: Console,
    request: Request,
    action: Action,
    form: Form,
    title: str,
    said: str,
    *,
    sure: str = "",
    **values: Any,
) -> Response:
    """Return a second dialog, which says what the action will do and asks for confirmation.

    It also submits the first dialog's values. If `sure` is given, the operator must tick a checkbox
    with this text.
    """
    entered = [replace(field, kind="seen", value=form.text(field.name)) for field in action.fields]
    question = Field("sure", sure, "tick", is_required=True)
    answer = question if sure else Field("sure", "", "seen", value="yes")
    response = console.page(
        request,
        "dialog.html",
        action=action,
        title=title,
        consequence=said,
        ending="",
        questions=(),
        fields=[*entered, answer],
        key=form.key,
        send_to=request.url.path,
        is_second=True,
        **values,
    )
    response.headers.update({"HX-Retarget": "#dialog-body", "HX-Reswap": "innerHTML"})
    return response


def shown_fields(fields: Iterable[Field], waitlist: Document, person: Document) -> list[Field]:
    """Adapt a dialog's fields to the waitlist and the person, and leave out the fields that are
    not needed.
    """
    return [shown for field in fields if (shown := field.shown_for(waitlist, person))]
