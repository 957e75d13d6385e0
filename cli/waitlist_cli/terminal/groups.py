"""Gives a command several options for one of its parameters, which it gets made of them."""

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter
from typing import Any

from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.command import Function
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import Customer, EntryId, Reason, WaitlistId


def option(name: str, kind: Any, default: Any = None) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def expanded(
    function: Function,
    name: str,
    options: Sequence[Parameter],
    make: Callable[..., Any],
    last: Sequence[Parameter] = (),
) -> Function:
    """Replace the parameter `name` by options, and append the `last` ones.

    `make` gets the context and what was typed for all of these, and returns the parameter's value.
    """
    own = inspect.signature(function)
    parameters = [
        one
        for parameter in own.parameters.values()
        for one in (options if parameter.name == name else [parameter])
    ]

    @wraps(function)
    def run(context: Context, **typed: Any) -> int | None:
        given = {one.name: typed.pop(one.name) for one in (*options, *last)}
        return function(context, **typed, **{name: make(context, **given)})

    run.__dict__["__signature__"] = own.replace(
        parameters=[one.replace(kind=Parameter.KEYWORD_ONLY) for one in (*parameters, *last)]
    )
    return run


PERSON = (
    option("waitlist", WaitlistId, Parameter.empty),
    option("entry", EntryId),
    option("customer", Customer),
)


def _person(context: Context, **typed: Any) -> Person:
    return context.person(**typed)


def with_person(function: Function) -> Function:
    """Let a command name one person, whom it gets as `person`."""
    return expanded(function, "person", PERSON, _person)


def with_person_and_reason(function: Function) -> Function:
    """Let a command name one person, whom it gets as `person`, and a reason for the history."""
    return expanded(function, "person", PERSON, _person, [option("reason", Reason, "")])
