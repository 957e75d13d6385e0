"""What a customer is told of an entry, whoever has shown whose it is."""

from dataclasses import asdict

from waitlist_api.schemas.entries import LookAnswer
from waitlist_api.schemas.segments import SegmentPlaceAnswer
from waitlist_api.segment_standing import SegmentStandings
from waitlist_api.standing import Standings


class Looking:
    """Answers where an entry stands, in line and within its segments."""

    def __init__(self, standings: Standings, segment_standings: SegmentStandings) -> None:
        self._standings = standings
        self._segment_standings = segment_standings

    def look(self, waitlist_id: str, entry_id: str, segment: str | None) -> LookAnswer:
        """Return the answer; `segment` holds names of attributes, a comma between two."""
        if segment is None:
            standing = self._standings.of(waitlist_id, entry_id)
            return LookAnswer(**asdict(standing), segments=None)
        names = segment.split(",")
        standing, places = self._segment_standings.of(waitlist_id, entry_id, names)
        return LookAnswer(
            **asdict(standing), segments=[SegmentPlaceAnswer(**asdict(place)) for place in places]
        )
