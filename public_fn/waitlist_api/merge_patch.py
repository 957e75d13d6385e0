"""JSON Merge Patch (RFC 7396)."""

from typing import Any


def merged(target: Any, patch: Any, *, with_nulls: bool = False) -> Any:
    """Return a document with a patch: `null` takes a name out, objects merge, lists replace.

    With nulls, each `null` stays where it was given.
    """
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None and not with_nulls:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value, with_nulls=with_nulls)
    return result
