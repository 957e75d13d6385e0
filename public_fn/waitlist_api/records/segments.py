"""Find the segments that an entry belongs to."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import prod

from msgspec import Struct

from waitlist_api.errors import FieldError, InvalidFields
from waitlist_shared.ids import segment_id_of
from waitlist_shared.limits import MAX_COMBINATIONS

Attributes = Mapping[str, str | list[str]]
Segment = dict[str, str]
NONE_DECLARED = "this waitlist declares no segments"


class Segments(Struct, frozen=True):
    """The segments that a waitlist declares.

    Each item of `declared` is a list of attribute names. Entries with the same values for these
    attributes form a segment.
    """

    waitlist_id: str
    declared: tuple[tuple[str, ...], ...]
    version: int

    def find(self, attributes: Attributes) -> dict[str, Segment]:
        """Return an entry's segments, by segment id.

        Return an empty dictionary if the entry would belong to more than MAX_COMBINATIONS segments.
        """
        if self.count(attributes) > MAX_COMBINATIONS:
            return {}
        return {
            segment_id_of(self.waitlist_id, segment): segment for segment in self._each(attributes)
        }

    def count(self, attributes: Attributes) -> int:
        """Return how many segments an entry with these attributes belongs to."""
        return sum(
            prod(len(_values(attributes[name])) for name in names)
            for names in self._fitting(attributes)
        )

    def check(self, attributes: Attributes) -> None:
        """Raise InvalidFields if the attributes would put an entry into too many segments."""
        count = self.count(attributes)
        if count > MAX_COMBINATIONS:
            message = (
                f"these values make {count} combinations for this waitlist's segments,"
                f" but an entry may have at most {MAX_COMBINATIONS}"
            )
            raise InvalidFields(FieldError("body.attributes", message))

    def find_id(self, segment: Segment, field: str) -> str:
        """Return the id of a segment.

        Raise InvalidFields if the waitlist does not declare the segment.
        """
        self.declared_names(segment, field)
        return segment_id_of(self.waitlist_id, segment)

    def declared_names(self, names: Iterable[str], field: str) -> tuple[str, ...]:
        """Return the attribute names of a declared segment, sorted by name.

        Raise InvalidFields if no declared segment has exactly these names.
        """
        canonical = tuple(sorted(names))
        if canonical not in self.declared:
            known = ", ".join("+".join(names) for names in self.declared)
            message = f"declared segments: {known}" if known else NONE_DECLARED
            raise InvalidFields(FieldError(field, f"is not a declared segment ({message})"))
        return canonical

    def _each(self, attributes: Attributes) -> Iterator[Segment]:
        for names in self._fitting(attributes):
            for values in product(*(_values(attributes[name]) for name in names)):
                yield dict(zip(names, values, strict=True))

    def _fitting(self, attributes: Attributes) -> list[tuple[str, ...]]:
        return [names for names in self.declared if all(name in attributes for name in names)]


def _values(value: str | list[str]) -> list[str]:
    """Return an attribute's values without duplicates."""
    return [value] if isinstance(value, str) else list(dict.fromkeys(value))
