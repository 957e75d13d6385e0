"""Whether every answer was possible when it was given, whatever died meanwhile (P6, P7).

An answer is to be true at some moment between request and answer. Whoever must have stood in line
all that time is counted at the least, whoever may have stood there at the most.
"""

from collections.abc import Iterator

from tests.reliability.load.history import Deed, History
from tests.reliability.load.problem import Problem
from tests.support.tracks import (
    Track,
    Window,
    may_be_ahead,
    must_be_ahead,
    tracks_of,
    unnamed,
)

# What tells a status, a position, a total.
TELLING = ("signup", "repeat", "look", "told", "bump")
GONE_BY = {"left": "leave", "leaving": "leave", "admitted": "complete"}


def untruths(history: History, lease_seconds: float) -> Iterator[Problem]:
    """Yield every answer that cannot have been true."""
    tracks = tracks_of(history, lease_seconds)
    for deed in history.of(*TELLING):
        if deed.is_done:
            yield from _of_entry(deed, history, tracks)
    for deed in history.of("total", "stats"):
        if deed.is_done:
            total = deed.answer["waiting" if deed.kind == "stats" else "total"]
            yield from _of_total(deed, total, history, tracks)
    yield from _lost_holds(history)


def _of_entry(deed: Deed, history: History, tracks: dict[str, Track]) -> Iterator[Problem]:
    window, told = Window(deed.began, deed.ended), deed.answer
    yield from _of_status(deed, history, tracks[deed.person])
    if told["total"] is not None:
        yield from _of_total(deed, told["total"], history, tracks)
    if told["position"] is None:
        return
    own = tracks[deed.person]
    others = [one for one in tracks.values() if one is not own]
    least = sum(one.must_wait(window) and must_be_ahead(one, own, window) for one in others)
    most = sum(one.may_wait(window) and may_be_ahead(one, own, window) for one in others)
    least = max(0, least - unnamed(history, window))
    if not least + 1 <= told["position"] <= most + 1:
        between = f"from {least + 1} to {most + 1}"
        yield Problem("untrue", f"{_who(deed)} position {told['position']}, and it was {between}")


def _of_total(
    deed: Deed, total: int, history: History, tracks: dict[str, Track]
) -> Iterator[Problem]:
    window = Window(deed.began, deed.ended)
    least = sum(one.must_wait(window) for one in tracks.values()) - unnamed(history, window)
    most = sum(one.may_wait(window) for one in tracks.values())
    if not max(0, least) <= total <= most:
        between = f"from {max(0, least)} to {most}"
        yield Problem("untrue", f"{_who(deed)} a total of {total}, and it was {between}")


def _of_status(deed: Deed, history: History, own: Track) -> Iterator[Problem]:
    status, window = deed.answer["status"], Window(deed.began, deed.ended)
    if status == "waiting" and not own.may_wait(window):
        yield Problem("untrue", f"{_who(deed)} that they wait, and they cannot")
    if status == "offered" and own.must_wait(window) and not unnamed(history, window):
        yield Problem("untrue", f"{_who(deed)} of an offer, and nobody had claimed them")
    if status in GONE_BY:
        reasons = history.of(GONE_BY[status])
        if not any(one.person == deed.person and one.began < deed.ended for one in reasons):
            yield Problem("untrue", f"{_who(deed)} {status}, and nobody had asked for that")


def _lost_holds(history: History) -> Iterator[Problem]:
    """A hold whose time is not up is good, unless its person leaves or it has been ended."""
    for deed in history.of("complete", "release"):
        if deed.outcome != "refused" or deed.answer["code"] == "already_admitted":
            continue
        others = history.of("leave", "complete", "release")
        if not any(
            one is not deed and one.person == deed.person and one.began < deed.ended
            for one in others
        ):
            code = deed.answer["code"]
            yield Problem("hold lost", f"a {deed.kind} of {deed.person} was refused: {code}")


def _who(deed: Deed) -> str:
    return f"a {deed.kind} at {deed.began:.3f} told {deed.person or 'somebody'}"
