"""Declares what operators can do.

The command, the dialog of the console, and the rights of the team on duty are made from an
`Action`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import WrongUsage

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

Document = Mapping[str, Any]
WHO = "{who}"
ENTRY = "/{waitlist_id}/entries/{entry_id}"
CLAIM = "/{waitlist_id}/claims/{entry_id}"


@dataclass(frozen=True)
class Field:
    """A value that the operator gives. The name is also the name in the request body.

    The kinds are `text`, `number`, `long` (several lines), `choice` (one of `options`, which are
    pairs of a value and its label), and `seen`. A `seen` value is read from the entry that the
    operator saw, so that the service refuses the request if the value has changed since then.
    """

    name: str
    label: str
    kind: str = "text"
    hint: str = ""
    # What the dialog shows at first. For a `choice`, it is also the default of the command.
    value: str = ""
    options: Sequence[tuple[str, str]] = ()
    is_required: bool = False
    at_least: int = 0
    at_most: int | None = None
    # The option of the command, if it is not made from the name.
    option: str = ""
    # The help of the option, if it differs from the hint.
    help: str = ""
    # Returns the field as the dialog of this person or waitlist shows it, or None to leave it out.
    adapt: Callable[["Field", Document], "Field | None"] | None = None

    def shown_for(self, subject: Document) -> "Field | None":
        """Return the field with what is known about the person or waitlist."""
        if self.kind == "seen":
            return replace(self, value=subject[self.name] or "")
        return self.adapt(self, subject) if self.adapt else self

    def number(self, typed: str) -> int | None:
        """Return what was typed as a whole number, or None if nothing was typed."""
        digits = typed.strip().replace(",", "")
        if not digits and not self.is_required:
            return None
        if digits and not (digits.isascii() and digits.isdecimal() and len(digits) <= 12):
            raise WrongUsage(f"{self.label}: enter a whole number.")
        number = int(digits) if digits else -1
        if number < self.at_least or (self.at_most is not None and number > self.at_most):
            to = "" if self.at_most is None else f" to {self.at_most:,}"
            raise WrongUsage(f"{self.label}: enter a number from {self.at_least}{to}.")
        return number


REASON = Field("reason", "Reason", hint="The reason is stored in the person's history.")
TO = Field(
    "to",
    "Where to",
    "choice",
    options=(("place", "Their old place"), ("back", "End of the queue")),
    value="place",
    help="Return people to the end of the queue instead of their old places.",
)


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to an operators' route. The path follows `/v1/admin/waitlists`."""

    method: str = "POST"
    path: str
    # Whether the team on duty may send it: docs/operate/policies/limited-operator.json.
    is_daily: bool = True


@dataclass(frozen=True, kw_only=True)
class Action(Request):
    """An action that an operator can take. In the texts, `{who}` is the person or the waitlist."""

    name: str
    # What the action does. The help of a command that is made from the action begins with it.
    summary: str = ""
    # The question at the top of the dialog.
    title: str
    consequence: str
    # What else follows for this person or waitlist. Only the dialog can say it.
    more: Callable[[Document], str] = lambda _: ""
    # The text of the dialog's button, if it differs from the name.
    button: str = ""
    # The text of the button that opens the dialog, if it differs from the dialog's button.
    label: str = ""
    fields: Sequence[Field] = ()
    # The part of the request body that is always the same.
    body: Mapping[str, Any] = field(default_factory=dict)
    # Whether the button of the dialog is red, because something is lost.
    is_final: bool = False
    # Whether data is deleted for good. The command then asks for a confirmation.
    is_deleting: bool = False

    @property
    def button_text(self) -> str:
        return self.button or self.name.replace("-", " ").capitalize()

    @property
    def label_text(self) -> str:
        return self.label or self.button_text

    @property
    def help(self) -> str:
        return f"{self.summary} {self.consequence}"


@dataclass(frozen=True, kw_only=True)
class PersonAction(Action):
    """An action on one person. It is a single request."""

    fields: Sequence[Field] = (REASON,)
    # Turns the values of the fields into the rest of the request body.
    to_body: Callable[[dict[str, Any]], dict[str, Any]] = lambda values: values
    # What to say afterwards. A function receives the response.
    notice: str | Callable[[Any], str]
    # The field of the response that contains a secret of the customer.
    reveals: str = ""
    # The word that `--json` prints for an action whose response is not an entry.
    outcome: str = ""
    # Whether the command prints the notice instead of the status of the entry.
    prints_notice: bool = False
    # Whether the action ends a claim that the console has made.
    ends_claim: bool = False

    def notice_after(self, answer: Any, who: str) -> str:
        text = self.notice(answer) if callable(self.notice) else self.notice
        return text.replace(WHO, who)


@dataclass(frozen=True)
class ListRequest:
    """A submitted dialog of an action on a waitlist.

    The idempotency `key` belongs to the dialog, so sending it twice has only one effect.
    """

    api: "Api"
    waitlist_id: str
    key: str
    values: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ListAction(Action):
    """An action on a whole waitlist. It can be several requests."""

    # Sends the requests. Returns what to say afterwards, and the response.
    carry_out: Callable[[ListRequest], tuple[str, Any]]
