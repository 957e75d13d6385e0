"""Maps a script's reply to the result: each value is the JSON field of its declared name."""

from typing import Any

import msgspec

from waitlist_queue.scripts import Names, Script
from waitlist_queue.store import Reply
from waitlist_shared import contracts as c
from waitlist_shared.errors import BY_CODE, WaitlistError

# A result or a failure of the contract, as its JSON has it.
Message = dict[str, Any]


def result_of(script: Script, result: type[c.Result], reply: Reply) -> Message:
    """Return the answer that a script's reply means: a result of this type, or a refusal."""
    outcome = reply[0]
    if outcome in BY_CODE:
        return failure(BY_CODE[outcome]())
    values = _by_name(script, ("outcome", *script.returns[outcome]), reply)
    # Not strict: a script returns true as 1.
    return encoded(msgspec.convert(values, result, strict=False))


def failure(error: WaitlistError) -> Message:
    """Return the answer instead of a result."""
    return encoded(c.Failure(code=error.code, message=error.message))


def encoded(answer: c.Result | c.Failure) -> Message:
    message: Message = msgspec.to_builtins(answer)
    return message


def _by_name(script: Script, names: Names, values: Reply) -> dict[str, Any]:
    """Return values, and those of their rows, by the names that the script's header declares.

    A script returns nil for false and for a value that is not there: the field has its default.
    """
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
