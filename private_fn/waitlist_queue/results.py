"""Maps a script's reply to the operation's result: each value is the field of its declared name."""

from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin

import msgspec
from msgspec import Struct

from waitlist_queue.scripts import Names, Script
from waitlist_queue.store import Reply
from waitlist_shared import contracts as c
from waitlist_shared.errors import BY_CODE, WaitlistError

# A result or a failure of the contract, as its JSON has it.
Message = dict[str, Any]
Convert = Callable[[Any], Any]
Rows = Mapping[str, Names]


def makers(script: Script, result: type[c.Result]) -> dict[str, Callable[[Reply], Message]]:
    """Return, by outcome or refusal, what makes an answer of this type from a script's reply."""
    return {
        name: _refuser(BY_CODE[name]())
        if name in BY_CODE
        else _maker(result, ("outcome", *names), script.rows)
        for name, names in script.returns.items()
    }


def failure(error: WaitlistError) -> Message:
    """Return the answer instead of a result."""
    return encoded(c.Failure(code=error.code, message=error.message))


def encoded(answer: c.Result | c.Failure) -> Message:
    message: Message = msgspec.to_builtins(answer)
    return message


def _refuser(error: WaitlistError) -> Callable[[Reply], Message]:
    return lambda _reply: failure(error)


def _maker(struct: type[Struct], names: Names, rows: Rows) -> Convert:
    """Return what makes the JSON of a struct from values by name; it leaves out unknown names.

    To make the struct first, and encode it then, would take 1.7 times as long.
    """
    fields = {field.name: field for field in msgspec.structs.fields(struct)}
    keys = [fields[name].encode_name if name in fields else name for name in names]
    unknown = [name for name in names if name not in fields]
    converters = [
        (fields[name].encode_name, convert)
        for name in names
        if name in fields and (convert := _converter(fields[name].type, name, rows))
    ]
    defaults = {
        field.encode_name: msgspec.to_builtins(field.default)
        for field in fields.values()
        if field.name not in names and not field.required
    }

    def make(values: Reply) -> Message:
        if len(values) != len(keys):
            raise ValueError(f"a script returned {values}, its header declares {names}")
        made = dict(zip(keys, values))  # noqa: B905 checked above in a fraction of the time
        for name in unknown:
            del made[name]
        for key, convert in converters:
            made[key] = convert(made[key])
        made.update(defaults)
        return made

    return make


def _converter(declared: Any, name: str, rows: Rows) -> Convert | None:
    """Return what makes a field of a value: Redis has no booleans and no names in rows."""
    if declared is bool:
        return bool
    if name not in rows:
        return None
    if get_origin(declared) not in (list, tuple):
        return _maker(declared, rows[name], rows)
    make_row = _maker(get_args(declared)[0], rows[name], rows)
    return lambda values: [make_row(row) for row in values]
