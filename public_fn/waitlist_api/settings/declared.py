"""Declare the limits and the words of settings.

A setting is a field of a struct in this package. The type of the field is annotated with a Setting.
The request bodies (`http/schemas/settings.py`) and the options and forms of the operators
(`tools/settings.py`) are made from the structs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

# The items of a list differ. The `check` of the list refuses or merges equal items.
DISTINCT = {"uniqueItems": True}


class Setting(Struct, frozen=True, eq=False):
    """What a value must be like, and the words about it.

    Only requests are checked. msgspec ignores this class, unlike its own `Meta`, so a stored
    setting can still be read after its limits have been lowered.
    """

    # The description in the API. Operators read its first sentence next to the option or field.
    about: str = ""
    # What null means, such as `no limit`.
    null: str = ""
    # The label of the field in the console, and of each choice. The choice `off` of the first
    # field in a group means that the whole group is null.
    label: str = ""
    choices: Mapping[str, str] = {}
    examples: Sequence[Any] = ()
    ge: int | None = None
    le: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    # The error if the text does not match the pattern. If it is empty, `errors.SHAPES` has the
    # error.
    refusal: str = ""
    # More keywords for the JSON schema in the API's documentation. They are not checked.
    schema: Mapping[str, Any] = {}
    # Returns the value to store, or raises ValueError.
    check: Callable[[Any], Any] | None = None
    # The name of this kind of value in error locations, if the value may also be a text.
    tag: str = ""
    # Whether only the service sets this field.
    is_internal: bool = False


class Settings(Struct, frozen=True, kw_only=True):
    """A group of settings."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield the field and the message of each problem that involves several fields.

        If the problem belongs to the whole group, the field is empty.
        """
        return iter(())


def check_distinct(items: list[Any]) -> list[Any]:
    """Return the items. Raise ValueError if an item is repeated."""
    if len(set(items)) < len(items):
        raise ValueError("must have each item only once")
    return items
