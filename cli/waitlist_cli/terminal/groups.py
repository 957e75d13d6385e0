"""Replaces a parameter of a command's function with several command-line options."""

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter
from typing import Any

from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.command import Function
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import Customer, EntryId, WaitlistId


def option(name: str, kind: Any, default: Any = None) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def replace_parameter(
    function: Function,
    name: str,
    options: Sequence[Parameter],
    make: Callable[..., Any],
) -> Function:
    """Replace the parameter `name` of a command's function with several command-line options.

    When the command runs, the function `make` receives the values of these options and returns the
    parameter's value.
    """
    own = inspect.signature(function)
    parameters = [
        kept
        for parameter in own.parameters.values()
        for kept in (options if parameter.name == name else [parameter])
    ]

    @wraps(function)
    def run(context: Context, **typed: Any) -> int | None:
        given = {option.name: typed.pop(option.name) for option in options}
        return function(context, **typed, **{name: make(context, **given)})

    run.__dict__["__signature__"] = own.replace(
        parameters=[kept.replace(kind=Parameter.KEYWORD_ONLY) for kept in parameters]
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
    """Replace a command's `person` parameter with the options that select a person."""
    return replace_parameter(function, "person", PERSON, _person)
