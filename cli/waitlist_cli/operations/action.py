"""Declares the actions that operators can take.

Each `Action` is declared once. Its command, its dialog in the console and the permissions of the
team on duty are made from this declaration.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from waitlist_cli.errors import FieldProblem, WrongUsage
from waitlist_cli.terminal.times import SkippedTime, utc

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

Document = Mapping[str, Any]
WHO = "{who}"
ENTRY = "/{waitlist_id}/entries/{entry_id}"
CLAIM = "/{waitlist_id}/claims/{entry_id}"
# The statuses of the people who are on a waitlist.
PRESENT = ("waiting", "offered", "parked")


@dataclass(frozen=True)
class Field:
    """A value that the operator enters for an action. It has the same name in the request body.

    The kind of a field is `text`, `long` (several lines), `email`, `tel`, `time`, `number`,
    `filters`, `tick` (a checkbox), `choice`, `select` or `seen`. `choice` and `select` fields have
    `options`, which are pairs of a value and its label.

    A `seen` field contains a value of the entry that the operator saw. If this value has changed
    since, the service refuses the request.
    """

    name: str
    label: str
    kind: str = "text"
    hint: str = ""
    # The field's initial value in the dialog. For a `choice`, it is also the command's default.
    value: str = ""
    options: Sequence[tuple[str, str]] = ()
    is_required: bool = False
    # True if the command accepts an empty value, which then means the same as no value.
    may_be_blank: bool = False
    # True if the dialog hides the field under "Other languages" until the operator opens it.
    is_folded: bool = False
    at_least: int = 0
    at_most: int | None = None
    # The name of the command's option, if it differs from the field's name.
    option: str = ""
    # The help text of the command's option, if it differs from the dialog's hint.
    help: str = ""
    # Adapts the field to a waitlist and a person. Returns None if the dialog does not need the
    # field. For an action on a whole waitlist, the person is {}.
    adapt: Callable[["Field", Document, Document], "Field | None"] | None = None

    def shown_for(self, waitlist: Document, person: Document) -> "Field | None":
        """Return the field as shown in the dialog for this waitlist and this person.

        Return None if the dialog does not need the field.
        """
        if self.kind == "seen":
            return replace(self, value=person[self.name] or "")
        return self.adapt(self, waitlist, person) if self.adapt else self

    def number(self, typed: str) -> int | None:
        """Parse a whole number that the operator typed, or return None if they typed nothing."""
        digits = typed.strip().replace(",", "")
        if not digits and not self.is_required:
            return None
        if digits and not (digits.isascii() and digits.isdecimal() and len(digits) <= 12):
            raise self.wrong("Enter a whole number.")
        number = int(digits) if digits else -1
        if number < self.at_least or (self.at_most is not None and number > self.at_most):
            to = "" if self.at_most is None else f" to {self.at_most:,}"
            raise self.wrong(f"Enter a number from {self.at_least}{to}.")
        return number

    def instant(self, typed: str, zone: str, others: str = "") -> str:
        """Parse a time that the operator typed or picked, and convert it to UTC.

        A time without a UTC offset is a local time in `zone`. `others` is appended to the error
        message, to say what else the operator can enter.
        """
        try:
            return utc(typed, ZoneInfo(zone))
        except SkippedTime:
            raise self.wrong(
                f"The clocks in {zone} skip this time. Choose an earlier or later time."
            ) from None
        except (ValueError, OverflowError):
            raise self.wrong(
                f"The value {typed!r} is not a time such as 2026-12-01T18:00{others}."
            ) from None

    def wrong(self, message: str) -> WrongUsage:
        """Return the error for an invalid value of this field. `message` is a full sentence."""
        return WrongUsage(
            f"{self.label}: {message[0].lower()}{message[1:]}",
            fields=[FieldProblem(self.name, message)],
        )


def name_zone(field: Field, waitlist: Document, _person: Document) -> Field:
    """Return a copy of a time field whose hint also names the waitlist's time zone."""
    return replace(field, hint=f"{field.hint} Time zone: {waitlist['timezone']}.")


REASON = Field(
    "reason",
    "Reason",
    hint="The reason is stored in the person's history.",
    may_be_blank=True,
)
TO = Field(
    "to",
    "Where to",
    "choice",
    options=(("place", "Their old place"), ("back", "End of the queue")),
    value="place",
    help="Return people to the end of the queue instead of to their old places.",
)


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to an operator route. `path` is relative to `/v1/admin/waitlists`."""

    method: str = "POST"
    path: str
    # True if the team on duty may send this request (see
    # docs/operate/policies/limited-operator.json).
    is_daily: bool = True


@dataclass(frozen=True)
class Inverse:
    """A request that undoes an action or part of it."""

    # The name of the action that is sent.
    action: str
    # The person's entry, or "" if the action is on the whole waitlist.
    entry_id: str = ""
    # The fields of the request body that come from the operator.
    values: Mapping[str, Any] = field(default_factory=dict)
    # The message that the operator sees after the undo. If it is empty, the console shows the
    # action's usual notice.
    notice: str = ""


@dataclass(frozen=True, kw_only=True)
class Action(Request):
    """An action that an operator can take.

    In its texts, `{who}` stands for the person or the waitlist.
    """

    name: str
    # A sentence that says what the action does. The help of its command begins with this sentence.
    summary: str = ""
    # The question at the top of the dialog.
    title: str
    consequence: str
    # Returns another sentence, shown only in the dialog, about what the action does to this person
    # or this waitlist.
    more: Callable[[Document], str] = lambda _: ""
    # The text of the button that carries out the action, if it differs from the action's name.
    button: str = ""
    # The text of the button that opens the dialog, if it differs from the button inside the dialog.
    label: str = ""
    # Returns the fields that are visible when the dialog opens. The operator must expand the
    # others. The arguments are the waitlist and the person. For an action on a whole waitlist, the
    # person is {}.
    asked: Callable[[Document, Document], Sequence[Field]] = lambda _waitlist, _person: ()
    fields: Sequence[Field] = ()
    # True if the dialog stays open after the action, so that the operator can repeat the action.
    stays_open: bool = False
    # Fields of the request body that have the same values in every request.
    body: Mapping[str, Any] = field(default_factory=dict)
    # True if the button in the dialog is red, because the action takes something away from the
    # person.
    is_final: bool = False
    # The label of a checkbox that the operator must tick in a second dialog. If it is "", there is
    # no second dialog.
    sure: str = ""
    # True if the action deletes data for good, so that its command asks the operator to confirm it
    # first.
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


@dataclass(frozen=True)
class Bulk:
    """The texts of an action on several people at once.

    In each text, `{people}` stands for a phrase such as `3 people`.
    """

    title: str
    # What the action does to these people.
    consequence: str
    # What the operator reads after the action.
    notice: str
    # Returns whether to start with the last person. For example, people who are moved to the front
    # one after another would otherwise end up in reverse order.
    is_backwards: Callable[[Document], bool] = lambda _: False


@dataclass(frozen=True, kw_only=True)
class PersonAction(Action):
    """An action on one person. The action sends a single request."""

    fields: Sequence[Field] = (REASON,)
    # Returns whether the person's state allows the action. By default, the person must be on the
    # waitlist.
    is_possible: Callable[[Document], bool] = lambda person: person["status"] in PRESENT
    # An example of the action's command. It is empty if a module in `commands` defines the command.
    example: str = ""
    # Converts the values of the fields in `asked` to fields of the request body. The arguments are
    # the operator's values, the waitlist and the person.
    read_answers: Callable[[dict[str, Any], Document, Document], dict[str, Any]] = (
        lambda values, _waitlist, _person: values
    )
    # Converts the operator's values to the remaining fields of the request body.
    to_body: Callable[[dict[str, Any]], dict[str, Any]] = lambda values: values
    # The text that tells the operator the result, or a function that makes this text from the
    # response.
    notice: str | Callable[[Any], str]
    # The name of the response field that contains a customer's secret, such as a token.
    reveals: str = ""
    # If the response is not an entry, the command prints this word as `outcome` in its JSON output.
    outcome: str = ""
    # True if the command prints `notice` instead of the entry's status.
    prints_notice: bool = False
    # True if the action ends a claim. The console then discards its token for the claim.
    ends_claim: bool = False
    # Returns the requests that undo the action, in the order in which they are sent. The arguments
    # are the person before the action and the person after it. None means that no request can undo
    # the action.
    inverse: Callable[[Document, Document], Sequence[Inverse]] | None = None
    # Returns whether the requests from `inverse` undo the action completely. The arguments are the
    # waitlist, the person before the action, and the request body. The body is {} until the
    # operator has submitted the dialog.
    has_inverse_for: Callable[[Document, Document, Document], bool] = lambda *_: True
    # True if the operator's input determines whether the action can be undone. If so, the dialog
    # does not say how long an undo is possible.
    may_be_undone: bool = False
    # Whether and how operators can take the action on several people at once.
    bulk: Bulk | None = None

    def can_be_inverted(self, waitlist: Document, person: Document, body: Document) -> bool:
        """Return whether other requests can reverse the action on this person."""
        return self.inverse is not None and self.has_inverse_for(waitlist, person, body)

    @property
    def can_wait(self) -> bool:
        """Return whether the console may wait a few seconds before it sends the action.

        The console may not delay an action that reveals a secret or asks the operator a second
        time.
        """
        return not self.reveals and not self.sure

    def notice_after(self, answer: Any, who: str) -> str:
        text = self.notice(answer) if callable(self.notice) else self.notice
        return text.replace(WHO, who)


@dataclass(frozen=True)
class ListRequest:
    """The data that an operator has submitted in the dialog of an action on a waitlist.

    Each dialog has its own idempotency `key`, so if it is submitted twice, the second request has
    no effect.
    """

    api: "Api"
    waitlist_id: str
    key: str
    values: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ListAction(Action):
    """An action on a whole waitlist. The action can send several requests."""

    # Sends the action's requests. Returns the message for the operator, and the response.
    carry_out: Callable[[ListRequest], tuple[str, Any]]
    # Returns the requests that undo the action, given the response that `carry_out` returned. None
    # means that no request can undo the action.
    inverse: Callable[[Any], Sequence[Inverse]] | None = None
    # Returns a description of what the action would do. A second dialog shows it and asks the
    # operator to confirm. If it is "", the action can be undone, so there is no second dialog.
    ask_again: Callable[[ListRequest], str] = lambda _: ""
    # The text of the button that opens the second dialog, if it differs from that of the button
    # that carries out the action.
    first_button: str = ""
