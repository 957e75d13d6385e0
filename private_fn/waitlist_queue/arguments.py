"""What each request sends to its script: the values in the order of the script's ARGV."""

from collections.abc import Sequence
from typing import cast

from msgspec import UNSET

from waitlist_shared import contracts as c
from waitlist_shared.limits import ONCE_SECONDS

Arguments = tuple[str | int, ...]


def init(request: c.Init) -> Arguments:
    settings, counters = request.settings, request.counters
    return (
        request.state,
        request.epoch,
        int(settings.open),
        int(settings.hide_counts),
        "" if settings.capacity is None else settings.capacity,
        settings.version,
        request.floor_ticket,
        counters.signed_up,
        counters.left,
        counters.admitted,
        int(request.only_if_known),
    )


def signups(requests: Sequence[c.Signup]) -> Arguments:
    return (" ".join([f"{request.entry_id}:{request.join_id}" for request in requests]),)


def end_of_stay(request: c.EndOfStay) -> Arguments:
    ticket = "" if request.ticket is None else request.ticket
    return (request.entry_id, request.join_id, ticket)


def bump(request: c.Bump) -> Arguments:
    kind: str
    value: str | int = ""
    if request.priority is not UNSET:
        kind, value = "priority", request.priority
    elif request.places is not UNSET:
        kind, value = "places", request.places
    else:
        kind = cast(str, request.to)
    return (request.entry_id, kind, value, request.once_seconds)


def restore(request: c.Restore) -> Arguments:
    return (
        request.entry_id,
        request.join_id,
        request.rank,
        request.ticket,
        request.stamp,
        request.epoch or "",
        int(request.overwrite),
        "" if request.once_stamp is None or not request.once_key else request.once_stamp,
        ONCE_SECONDS,
    )


def page(request: c.Page) -> Arguments:
    return ("" if request.after_rank is None else request.after_rank, request.limit)


def of_entry(request: c.OnEntry) -> Arguments:
    return (request.entry_id,)


def none(_: c.OnWaitlist) -> Arguments:
    return ()
