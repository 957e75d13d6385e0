"""What a customer is told of an entry, whoever has shown whose it is."""

from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.event_handler import Response

from waitlist_api.auth.credentials import Proof
from waitlist_api.entries.position import Standing, Standings
from waitlist_api.entries.segment_positions import SegmentPlace, SegmentStandings
from waitlist_api.errors import Forbidden
from waitlist_api.http.polling import poll_after_seconds
from waitlist_api.http.schemas.entries import LookAnswer
from waitlist_api.http.schemas.segments import SegmentPlaceAnswer


class Looking:
    """Answers where an entry stands, in line and within its segments."""

    def __init__(self, standings: Standings, segment_standings: SegmentStandings) -> None:
        self._standings = standings
        self._segment_standings = segment_standings

    def look(
        self, waitlist_id: str, entry_id: str, segment: str | None, proof: Proof | None = None
    ) -> Response[LookAnswer]:
        """Return the answer; `segment` holds names of attributes, a comma between two.

        Raise Forbidden if the entry token that was shown is of another stay.
        """
        places: list[SegmentPlace] | None = None
        if segment is None:
            standing = self._standings.of(waitlist_id, entry_id)
        else:
            names = segment.split(",")
            standing, places = self._segment_standings.of(waitlist_id, entry_id, names)
        if proof is None:
            return _answer(standing, places, None)
        if proof.stay != standing.ticket:
            raise Forbidden
        return _answer(standing, places, proof.renewed)


def told(standing: Standing, *positions: int) -> dict[str, Any]:
    """Return what a customer is told of an entry, who has these places besides."""
    seconds = poll_after_seconds(standing.status, standing.position, *positions)
    return {**standing.answer, "poll_after_seconds": seconds}


def _answer(
    standing: Standing, places: list[SegmentPlace] | None, new_token: str | None
) -> Response[LookAnswer]:
    segments = None
    if places is not None:
        segments = [SegmentPlaceAnswer(**asdict(place)) for place in places]
    fields = told(standing, *(place.position for place in places or ()))
    answer = LookAnswer(**fields, segments=segments, entry_token=new_token)
    # Whoever has left may sign up again at any moment, and then must not see the former answer.
    cache = f"private, max-age={answer.poll_after_seconds or 0}"
    return Response(200, "application/json", answer, {"Cache-Control": cache})
