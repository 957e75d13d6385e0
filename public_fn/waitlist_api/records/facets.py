"""Define the facets of an entry's record.

A facet groups the fields of one capability. It is stored as a map under its own attribute, and it
is absent from the table until the capability is used. A change to a facet writes the whole map.
"""

from typing import Any

from msgspec import Struct


class Facet(Struct, frozen=True, kw_only=True):
    """The base class of all facets. All fields have default values."""


class Ban(Facet, frozen=True):
    """The last ban of the customer."""

    # The timestamp of the `banned` event, or 0 if the customer is not banned.
    stamp: int = 0
    reason: str = ""
    # A digest of the ban's idempotency key. It is kept after the ban has ended.
    key: str = ""


def stored(struct: Struct) -> dict[str, Any]:
    """Return the fields of a record or a facet as they are stored.

    Fields that are empty, zero or None are left out, and so are facets that are not used.
    """
    fields = {}
    for name in struct.__struct_fields__:
        value = getattr(struct, name)
        if isinstance(value, Struct):
            value = stored(value)
        if value not in (None, "", 0, {}):
            fields[name] = value
    return fields
