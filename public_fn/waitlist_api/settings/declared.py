"""Declare the limits and descriptions of settings.

A setting is a field of a struct in this package. The request bodies, the command-line options and
the forms for operators are generated from the settings.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

# A JSON schema keyword for lists whose items must all be different. The list's `check` function
# refuses or removes duplicates.
DISTINCT = {"uniqueItems": True}


class Setting(Struct, frozen=True, eq=False):
    """A setting's limits, and the texts that describe it.

    The limits apply only to values in requests. Stored values are not checked against them.
    """

    # The setting's description in the API. Its first sentence is also shown to operators, next to
    # the option or field.
    about: str = ""
    # What null means, such as `no limit`.
    null: str = ""
    # The console's labels for the field and its choices. If a group of settings can be null, its
    # first field may have the choice `off`, which sets the whole group to null.
    label: str = ""
    choices: Mapping[str, str] = {}
    examples: Sequence[Any] = ()
    ge: int | None = None
    le: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    # The error message if the text does not match the pattern. If this field is empty, the message
    # in `field_errors.SHAPES` is used.
    refusal: str = ""
    # More keywords for the setting in the API's JSON schema. They only document the setting: the
    # service does not check values against them.
    schema: Mapping[str, Any] = {}
    # A function that checks the value. It returns the value to store, or raises ValueError.
    check: Callable[[Any], Any] | None = None
    # The maximum number of characters in an answer, if this setting contains the questions of a
    # form.
    max_answer: int | None = None
    # True if the setting is part of the waitlist's public data.
    is_public: bool = False
    # True if only the service sets this field.
    is_internal: bool = False


class Settings(Struct, frozen=True, kw_only=True):
    """A group of settings."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield the problems with fields that are each valid on their own but not in combination.

        A problem consists of a field's name and a message. The name is empty if the problem
        concerns the whole group.
        """
        return iter(())


def check_distinct(items: list[Any]) -> list[Any]:
    """Return the items if they are all different. Otherwise raise ValueError."""
    if len(set(items)) < len(items):
        raise ValueError("must have each item only once")
    return items
