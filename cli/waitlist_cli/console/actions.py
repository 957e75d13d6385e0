"""Actions: a dialog that names object and consequence, and the request that it sends."""

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from waitlist_cli.console.context import Console
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.operations.person import Person
from waitlist_cli.operations.settings import change_seen

MOST_BYTES = 1_000_000
Document = Mapping[str, Any]


class Form(ImmutableMultiDict[str, str]):
    """What a dialog sent."""

    def text(self, name: str) -> str:
        return self.get(name, "").strip()

    def number(self, name: str, label: str) -> int | None:
        """Return a whole number, None for an empty field; raises WrongUsage."""
        typed = self.text(name).replace(",", "")
        if not typed:
            return None
        if not (typed.isascii() and typed.isdecimal() and len(typed) <= 12):
            raise WrongUsage(f"{label}: give a whole number.")
        return int(typed)

    def seen(self) -> dict[str, Any] | None:
        """Return the settings that the form was made from; None if it does not have them."""
        try:
            found: dict[str, Any] | None = json.loads(self["seen"]) if "seen" in self else None
        except ValueError:
            raise WrongUsage("The form is damaged: open the page again.") from None
        return found

    def lines(self, name: str) -> list[str]:
        return [line.strip() for line in self.get(name, "").splitlines() if line.strip()]


def seen(waitlist: Document, names: Iterable[str]) -> str:
    """Return what a form of settings has in its field `seen`."""
    return json.dumps({name: waitlist[name] for name in names})


def save_settings(console: Console, waitlist_id: str, form: Form, given: dict[str, Any]) -> None:
    """Save what the operator has changed in a form; what others have changed beside it stays."""
    change_seen(console.api, waitlist_id, form.seen(), given)


@dataclass(frozen=True)
class Field:
    """A field of a dialog; `options` are pairs of a value and its text."""

    name: str
    label: str
    kind: str = "text"
    hint: str = ""
    value: str = ""
    options: Sequence[tuple[str, str]] = ()
    is_required: bool = False


REASON = Field("reason", "Reason", hint="Stored in the history.")
LEASE = Field("lease_seconds", "Lease in seconds", "number", "Empty: the list's lease.")


@dataclass(frozen=True)
class Action:
    """What an operator can do to one object, whose `page` the console shows.

    `fields` and `consequence` may depend on the object. A final action cannot be undone.
    """

    name: str
    title: str
    consequence: str | Callable[[Document], str]
    button: str
    carry_out: Callable[["Call"], Response]
    fields: Sequence[Field] | Callable[[Document], Sequence[Field]] = ()
    is_final: bool = False
    # The text of the button that opens the dialog, if it is another.
    label: str = ""


@dataclass(frozen=True)
class Call:
    """A dialog that was sent; `key` is the same if the operator sends it again."""

    console: Console
    waitlist_id: str
    entry_id: str
    form: Form

    @property
    def key(self) -> str:
        return self.form.text("key") or str(uuid.uuid4())

    @property
    def reason(self) -> str:
        return self.form.text("reason")

    @property
    def person(self) -> Person:
        """The person whom the dialog is about."""
        return Person(self.console.api, self.waitlist_id, self.entry_id, self.reason, self.key)


Endpoint = Callable[[Request, Form], Response]


def with_form(function: Endpoint) -> Callable[[Request], Any]:
    """Return an endpoint that reads the form first and then works in a thread."""

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
            # The browser sent the form itself, because its scripts were not loaded yet.
            return RedirectResponse(to, 303)
        return response

    return endpoint


def dialog(
    console: Console, request: Request, action: Action, subject: Document, who: str
) -> Response:
    """Render the question of an action."""
    return console.page(
        request,
        "dialog.html",
        action=action,
        title=action.title.format(who=who),
        consequence=_of(action.consequence, subject),
        fields=_of(action.fields, subject),
        key=str(uuid.uuid4()),
        send_to=request.url.path,
    )


def _of(part: Any, subject: Document) -> Any:
    return part(subject) if callable(part) else part


def done(
    send: Callable[["Call"], Any], notice: str | Callable[[Any], str]
) -> Callable[["Call"], Response]:
    """Return what carries an action out: a request, and a notice, which may name its answer."""
    return lambda call: call.console.done(_of(notice, send(call)))


def named(actions: Sequence[Action], name: str) -> Action:
    """Return an action by its name in the address; raises Refused."""
    for action in actions:
        if action.name == name:
            return action
    raise Refused(f"There is no action {name!r}.", "not_found", 404)
