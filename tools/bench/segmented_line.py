"""A queue whose members are each in six of 32 overlapping segments."""

import random
from collections.abc import Sequence
from itertools import product

from tools.bench.line import Handler, Line
from waitlist_shared.ids import new_join_id, segment_id_of
from waitlist_shared.limits import MAX_PAGE

LANGUAGES = ("Arabic", "Bengali", "Chinese", "Dutch", "English", "French", "Hindi", "Spanish")
GENDERS = ("F", "M", "T")
SPOKEN = 3
SEGMENTS_EACH = SPOKEN * 2  # language with gender, and language alone
VERSION = 1


class SegmentedLine(Line):
    """Declares language with gender, and language; each member has three of eight languages."""

    def __init__(self, handler: Handler, waitlist_id: str) -> None:
        super().__init__(handler, waitlist_id, VERSION)
        self._random = random.Random(1)
        self._pairs = {
            (language, gender): segment_id_of(waitlist_id, {"language": language, "gender": gender})
            for language, gender in product(LANGUAGES, GENDERS)
        }
        self._languages = {
            language: segment_id_of(waitlist_id, {"language": language}) for language in LANGUAGES
        }
        self.segments = (*self._pairs.values(), *self._languages.values())
        self.segments_of: dict[str, tuple[str, ...]] = {}

    def newcomers(self, count: int) -> list[str]:
        members = super().newcomers(count)
        self.segments_of.update((member, self._some_segments()) for member in members)
        return members

    def signup(self, member: str) -> str:
        return self._payload(
            "signup",
            entry_id=member,
            join_id=new_join_id(),
            segments=self.segments_of[member],
            segments_version=VERSION,
        )

    def belongs(self, member: str, segment: str | None) -> bool:
        """Return whether a member is in a segment; every member is in the empty one."""
        return segment is None or segment in self.segments_of[member]

    def claim_within(self, segment: str) -> str:
        """Return a claim of the first entry of a segment."""
        return self._payload("claim", count=1, segment=segment, segments_version=VERSION)

    def place_within(self, member: str, segments: Sequence[str]) -> str:
        """Return the request for a member's position, in the queue and in segments."""
        within = {"segments": segments, "segments_version": VERSION}
        return self._payload("position", entry_id=member, **within)

    def depths(self) -> str:
        """Return the request for the depths of all segments, which fit one page."""
        return self._payload("segments", segments_version=VERSION, limit=MAX_PAGE)

    def _some_segments(self) -> tuple[str, ...]:
        gender = self._random.choice(GENDERS)
        spoken = self._random.sample(LANGUAGES, SPOKEN)
        pairs = [self._pairs[language, gender] for language in spoken]
        return (*pairs, *(self._languages[language] for language in spoken))
