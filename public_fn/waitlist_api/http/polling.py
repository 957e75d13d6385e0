"""When to ask again: soon at the head of the line, seldom far back."""

# Twenty people are rarely served within a second, so whoever stands twenty places further back
# may look a second later and still sees each step of the way.
PLACES_PER_SECOND = 20
LONGEST_SECONDS = 300
# Of those who have no position: what may happen to them next, and how soon they want to know.
OUT_OF_LINE_SECONDS = {"waiting": 5, "joining": 2, "leaving": 2, "offered": 5, "parked": 60}


def poll_after_seconds(status: str, *positions: int | None) -> int | None:
    """Return how long whoever has this status and these places should wait before the next look.

    The nearest place counts. None for whoever has left or was admitted: nothing will change.
    """
    places = [position for position in positions if position is not None]
    if not places:
        return OUT_OF_LINE_SECONDS.get(status)
    return min(1 + (min(places) - 1) // PLACES_PER_SECOND, LONGEST_SECONDS)
