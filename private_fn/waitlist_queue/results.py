"""Maps a script's reply to the operation's result: each value is the field of its declared name."""

from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin

import msgspec
from msgspec import Struct

from waitlist_queue.scripts import Names, Script
from waitlist_shared import contracts as c
from waitlist_shared.errors import BY_CODE

Reply = list[Any]
Convert = Callable[[Any], Any]
Rows = Mapping[str, Names]


def makers(script: Script, result: type[c.Result]) -> dict[str, Convert]:
    """Return, by outcome, what makes a result of this type from a reply of this script."""
    return {
        outcome: _maker(result, ("outcome", *names), script.rows)
        for outcome, names in script.returns.items()
        if outcome not in BY_CODE
    }


def _maker(struct: type[Struct], names: Names, rows: Rows) -> Convert:
    """Return what makes a struct of values by name; it leaves out those of unknown names."""
    types = {field.name: field.type for field in msgspec.structs.fields(struct)}
    unknown = [name for name in names if name not in types]
    found = {name: _converter(types[name], name, rows) for name in names if name in types}
    converters = [(name, convert) for name, convert in found.items() if convert]

    def make(values: Reply) -> Any:
        if len(values) != len(names):
            raise ValueError(f"a script returned {values}, its header declares {names}")
        fields = dict(zip(names, values))  # noqa: B905 checked above in a fraction of the time
        for name in unknown:
            del fields[name]
        for name, convert in converters:
            fields[name] = convert(fields[name])
        return struct(**fields)

    return make


def _converter(declared: Any, name: str, rows: Rows) -> Convert | None:
    """Return what makes a field of a value: Redis has no booleans, tuples and structs."""
    if declared is bool:
        return bool
    if get_origin(declared) not in (list, tuple):
        return _maker(declared, rows[name], rows) if name in rows else None
    sequence: type[list[Any]] | type[tuple[Any, ...]] = get_origin(declared)
    if name not in rows:
        return sequence
    make_row = _maker(get_args(declared)[0], rows[name], rows)
    return lambda values: sequence([make_row(row) for row in values])
