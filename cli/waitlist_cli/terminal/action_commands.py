"""Creates commands from the actions that `waitlist_cli.operations` declares."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer

from waitlist_cli.errors import Refused
from waitlist_cli.operations.action import Field, ListAction, ListRequest, PersonAction
from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.command import Function, command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.entry_output import print_status
from waitlist_cli.terminal.groups import PERSON, option, replace_parameter
from waitlist_cli.terminal.parameters import Filter, Key, Prefer, check_not_blank, typed_filters

CONTEXT = Parameter("context", Parameter.KEYWORD_ONLY, annotation=Context)
YES = Annotated[bool, typer.Option("--yes", help="Do it without asking for confirmation.")]


def person_command(
    action: PersonAction,
    panel: str,
    example: str,
    flag: str = "",
    instead: PersonAction | None = None,
) -> None:
    """Register a command that carries out an action on a person.

    The command's name is the second word of `example`. If `instead` is given, the command also has
    the option `flag`. With this option, the command carries out `instead` rather than `action`.
    """
    own = [parameter for field in action.fields for parameter in options_of(field)]
    if action.is_deleting:
        own.append(option("yes", YES, False))
    if instead is not None:
        own.append(
            option("instead", Annotated[bool, typer.Option(flag, help=instead.summary)], False)
        )

    def run(context: Context, **typed: Any) -> None:
        chosen = instead if instead is not None and typed["instead"] else action
        person = context.person(*(typed[parameter.name] for parameter in PERSON))
        if chosen.is_deleting:
            who = context.describe_person(person.entry_id)
            context.ask_first(typed["yes"], chosen.title.format(who=who))
        send_and_print(context, person, chosen, values_of(chosen.fields, typed, person.show))

    run.__dict__["__signature__"] = Signature([CONTEXT, *PERSON, *own])
    run.__doc__ = action.help
    command(example.split()[1], panel, example)(run)


def list_command(
    action: ListAction,
    panel: str,
    example: str,
    report: Callable[[Context, Any], None],
    *,
    has_key: bool = False,
) -> None:
    """Register the command for an action on a waitlist.

    The function `report` prints the response. If `has_key` is true, the operator can choose the
    request's idempotency key.
    """

    def run(context: Context, waitlist: str, key: str | None = None, **typed: Any) -> None:
        values = values_of(action.fields, typed)
        request = ListRequest(context.api, waitlist, key or str(uuid.uuid4()), values)
        _, answer = action.carry_out(request)
        report(context, answer)

    own = [parameter for field in action.fields for parameter in options_of(field)]
    if has_key:
        own.append(option("key", Key))
    run.__dict__["__signature__"] = Signature([CONTEXT, PERSON[0], *own])
    run.__doc__ = action.help
    command(action.name, panel, example)(run)


def with_fields(parameter: str, fields: Sequence[Field]) -> Callable[[Function], Function]:
    """Return a decorator that adds an option for each field to a command.

    The command receives the values of these options as a dictionary, in the parameter that
    `parameter` names.
    """
    options = [option for field in fields for option in options_of(field)]
    return lambda function: replace_parameter(
        function, parameter, options, lambda _, **typed: values_of(fields, typed)
    )


def options_of(field: Field) -> Iterator[Parameter]:
    """Return the command-line options for a form field.

    A field of the kind `choice` has one flag for each value except the default.
    """
    words, text = (field.option or f"--{field.name}").split(), field.help or field.hint
    match field.kind:
        case "choice":
            for value, _ in field.options:
                if value != field.value:
                    flag = typer.Option(f"--{value}", help=field.help)
                    yield option(value, Annotated[bool, flag], False)
        case "number":
            number = typer.Option(*words, min=field.at_least, max=field.at_most, help=text)
            default = int(field.value) if field.value else None
            yield option(field.name, Annotated[int | None, number], default)
        case "filters":
            yield option("filters", Filter)
            yield option("prefer", Prefer)
        case "seen":
            if field.option:
                seen = typer.Option(*words, metavar="TIME", help=text)
                yield option(field.name, Annotated[str | None, seen])
        case _:
            check = None if field.may_be_blank else check_not_blank
            given = Annotated[str, typer.Option(*words, help=text, callback=check)]
            yield option(field.name, given, Parameter.empty if field.is_required else "")


def values_of(
    fields: Sequence[Field], typed: dict[str, Any], show: Callable[[], Any] = dict
) -> dict[str, Any]:
    """Return the values that the operator gave for these fields.

    The operator can leave out the value of a `seen` field, such as the time when a person was
    parked. A missing value is read from the entry that `show` returns.
    """
    values: dict[str, Any] = {}
    for field in fields:
        match field.kind:
            case "choice":
                chosen = [value for value, _ in field.options if typed.get(value)]
                values[field.name] = chosen[0] if chosen else field.value
            case "seen":
                values[field.name] = typed.get(field.name) or show()[field.name]
            case "filters":
                values |= typed_filters(typed["filters"], typed["prefer"])
            case _ if typed[field.name] is not None:
                values[field.name] = typed[field.name]
    return values


def send_and_print(
    context: Context, person: Person, action: PersonAction, values: dict[str, Any]
) -> None:
    # Find the person's name before the action, because the action may erase the person.
    who = context.describe_person(person.entry_id)
    try:
        answer = returned = person.send(action, **values)
    except Refused as error:
        if who != person.entry_id:
            error.message = f"{who}: {error.message}"
        raise
    if action.outcome:
        answer = {"entry_id": person.entry_id, "outcome": action.outcome}
    if action.reveals and not context.output.as_json:
        context.output.line(answer[action.reveals])
    elif action.outcome or action.prints_notice:
        context.output.result(answer, action.notice_after(returned, who))
    else:
        print_status(context, answer)
