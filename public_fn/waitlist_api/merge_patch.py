"""JSON Merge Patch (RFC 7396)."""

from typing import Any


def merged(target: Any, patch: Any) -> Any:
    """Return a document with a patch: `null` takes a name out, objects merge, lists replace."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result
