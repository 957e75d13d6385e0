"""Converts a script's reply to a result.

The script's header names the values in the reply, and the result's fields have the same names.
"""

from typing import Any

import msgspec

from waitlist_queue.scripts import Names, Script
from waitlist_queue.store import Reply
from waitlist_shared import contracts as c
from waitlist_shared.errors import BY_CODE, WaitlistError

# A result or a failure, as a dictionary that can be encoded as JSON.
Message = dict[str, Any]


def result_of(script: Script, result: type[c.Result], reply: Reply) -> Message:
    """Convert a script's reply to a result, or to a failure if the reply is an error code."""
    outcome = reply[0]
    if outcome in BY_CODE:
        return failure(BY_CODE[outcome]())
    values = _by_name(script, ("outcome", *script.returns[outcome]), reply)
    # A script returns the number 1 for true, which a strict conversion would refuse.
    return encoded(msgspec.convert(values, result, strict=False))


def failure(error: WaitlistError) -> Message:
    """Return the failure message for an error."""
    return encoded(c.Failure(code=error.code, message=error.message))


def encoded(answer: c.Result | c.Failure) -> Message:
    message: Message = msgspec.to_builtins(answer)
    return message


def _by_name(script: Script, names: Names, values: Reply) -> dict[str, Any]:
    """Return a dictionary of a reply's values. The keys are the names in the script's header."""
    # A script returns nil for false and for a missing value. A nil value is left out of the
    # dictionary, so the result's field keeps its default.
    if len(values) != len(names):
        raise ValueError(f"{script.name} returned {values}, its header declares {names}")
    pairs = zip(names, values, strict=True)
    return {name: _value(script, name, value) for name, value in pairs if value is not None}


def _value(script: Script, name: str, value: Any) -> Any:
    if name not in script.rows:
        return value
    if value and not isinstance(value[0], list):
        return _by_name(script, script.rows[name], value)
    return [_by_name(script, script.rows[name], row) for row in value]
