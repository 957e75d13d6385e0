"""JSON Merge Patch (RFC 7396)."""

from typing import Any


def apply_merge_patch(target: Any, patch: Any, *, with_nulls: bool = False) -> Any:
    """Apply a merge patch to a JSON document.

    A `null` in the patch removes the field. If `with_nulls` is true, it sets the field to `null`.
    """
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None and not with_nulls:
            result.pop(name, None)
        else:
            result[name] = apply_merge_patch(result.get(name), value, with_nulls=with_nulls)
    return result
