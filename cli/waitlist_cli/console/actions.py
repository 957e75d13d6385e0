"""Defines operator actions. Each action opens a confirmation dialog and then sends a request."""

import json
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from waitlist_cli.console.context import Console
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.operations.action import Action, Document, Field
from waitlist_cli.operations.settings import change_seen

MOST_BYTES = 1_000_000


Found = TypeVar("Found", "Action", "ListAction")


class Form(ImmutableMultiDict[str, str]):
    def text(self, name: str) -> str:
        return self.get(name, "").strip()

    def number(self, name: str, label: str) -> int | None:
        """Return the field as a whole number, or None if the field is empty."""
        return Field(name, label).number(self.text(name))

    @property
    def key(self) -> str:
        """The idempotency key of the dialog.

        Pressing the button of a dialog twice has only one effect.
        """
        return self.text("key") or str(uuid.uuid4())

    def read(self, action: Action) -> dict[str, Any]:
        """Return the values of an action's fields. Leave out empty numbers."""
        values: dict[str, Any] = {}
        for field in action.fields:
            typed = self.text(field.name)
            match field.kind:
                case "number":
                    if (number := field.number(typed)) is not None:
                        values[field.name] = number
                case "seen":
                    values[field.name] = typed or None
                case _:
                    values[field.name] = typed or field.value
        return values

    def seen(self) -> dict[str, Any] | None:
        """Return the settings that the form showed when it was opened, or None if unknown."""
        try:
            found: dict[str, Any] | None = json.loads(self["seen"]) if "seen" in self else None
        except ValueError:
            raise WrongUsage("The form contains invalid data. Open the page again.") from None
        return found

    def lines(self, name: str) -> list[str]:
        return [line.strip() for line in self.get(name, "").splitlines() if line.strip()]


def seen(waitlist: Document, names: Iterable[str]) -> str:
    """Return the named settings as JSON for the hidden `seen` field."""
    return json.dumps({name: waitlist[name] for name in names})


def save_settings(console: Console, waitlist_id: str, form: Form, given: dict[str, Any]) -> None:
    """Save only the settings that the operator changed in the form.

    Changes that other operators have made to other settings are kept.
    """
    change_seen(console.api, waitlist_id, form.seen(), given)


@dataclass(frozen=True)
class ListAction:
    """An action that an operator can take on a waitlist."""

    name: str
    title: str
    consequence: str | Callable[[Document], str]
    button: str
    carry_out: Callable[["Call"], Response]
    fields: Sequence[Field] | Callable[[Document], Sequence[Field]] = ()
    # Whether the action is impossible to undo.
    is_final: bool = False
    # The text of the button that opens the dialog, if it differs from `button`.
    label: str = ""


@dataclass(frozen=True)
class Call:
    """A submitted dialog of an action.

    The idempotency `key` belongs to the dialog, so pressing the button twice has only one effect.
    """

    console: Console
    waitlist_id: str
    entry_id: str
    form: Form

    @property
    def key(self) -> str:
        return self.form.key


Endpoint = Callable[[Request, Form], Response]


def with_form(function: Endpoint) -> Callable[[Request], Any]:
    """Return an endpoint that parses the submitted form and calls `function` with it."""

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
            # If the page's scripts have not been loaded, the browser submits the form itself and
            # needs an ordinary redirect.
            return RedirectResponse(to, 303)
        return response

    return endpoint


def dialog(
    console: Console,
    request: Request,
    action: Action | ListAction,
    consequence: str,
    fields: Iterable[Field],
    who: str,
) -> Response:
    return console.page(
        request,
        "dialog.html",
        action=action,
        title=action.title.format(who=who),
        consequence=consequence,
        fields=fields,
        key=str(uuid.uuid4()),
        send_to=request.url.path,
    )


def resolve(part: Any, subject: Document) -> Any:
    return part(subject) if callable(part) else part


def send_then_notify(
    send: Callable[["Call"], Any], notice: str | Callable[[Any], str]
) -> Callable[["Call"], Response]:
    """Return a function that sends an action's request and then shows a notice.

    If `notice` is a function, it receives the response and returns the text.
    """
    return lambda call: call.console.done(resolve(notice, send(call)))


def find_action(actions: Sequence[Found], name: str) -> Found:
    """Return the action with this name. Raises Refused if no action has this name."""
    for action in actions:
        if action.name == name:
            return action
    raise Refused(f"There is no action {name!r}.", "not_found", 404)
