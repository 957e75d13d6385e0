"""What each request sends to its script: the values in the order of the script's ARGV."""

import os
from collections.abc import Sequence
from typing import cast

from msgspec import UNSET

from waitlist_shared import contracts as c
from waitlist_shared.limits import CROWDS_SECONDS, MAX_PRIORITY, ONCE_SECONDS
from waitlist_shared.ranks import TIER

# Unguessable; 40 characters each, one after the other.
TOKEN_BYTES = 20
Arguments = tuple[str | int, ...]


def init(request: c.Init) -> Arguments:
    settings, counters = request.settings, request.counters
    return (
        request.state,
        request.epoch,
        _settings(settings),
        settings.version,
        settings.segments_version,
        request.floor_ticket,
        counters.signed_up,
        counters.left,
        counters.admitted,
        request.known_epoch or "",
        request.known_beat,
        int(request.only_if_known),
    )


def _settings(settings: c.Settings) -> str:
    values = {
        "open": int(settings.open),
        "paused": int(settings.paused),
        "hide_counts": int(settings.hide_counts),
        "capacity": "" if settings.capacity is None else settings.capacity,
        "lease_seconds": settings.lease_seconds,
        "max_attempts": settings.max_attempts,
    }
    return " ".join([f"{name}={value}" for name, value in values.items()])


def signups(requests: Sequence[c.Signup]) -> Arguments:
    return (" ".join([_stay(request) for request in requests]),)


def _stay(request: c.Signup) -> str:
    stay = f"{request.entry_id}:{request.join_id}:{request.segments_version}:"
    return stay + _tags(request) if request.segments_version else stay


def reserve(request: c.Reserve) -> Arguments:
    crowds = " ".join([f"{crowd.ticket}:{crowd.count}" for crowd in request.crowds])
    return (request.count, crowds, CROWDS_SECONDS)


def enlist(requests: Sequence[c.Enlist]) -> Arguments:
    return (" ".join([_enlisting(request) for request in requests]),)


def _enlisting(request: c.Enlist) -> str:
    rank = (MAX_PRIORITY - request.priority) * TIER + request.ticket
    stay = f"{request.entry_id}:{request.join_id}:{rank}:{request.segments_version}:"
    return stay + _tags(request) if request.segments_version else stay


def _tags(request: c.OnTaggedStay | c.FillStay) -> str:
    return "".join([f"{segment}," for segment in request.segments]) + str(
        request.attributes_version
    )


def tag(request: c.Tag) -> Arguments:
    return (request.entry_id, request.join_id, request.segments_version, _tags(request))


def end_of_stay(request: c.EndOfStay) -> Arguments:
    ticket = "" if request.ticket is None else request.ticket
    return (request.entry_id, request.join_id, ticket)


def drop(request: c.Drop) -> Arguments:
    return (*end_of_stay(request), int(request.is_admitted), int(request.is_erased))


def bump(request: c.Bump) -> Arguments:
    kind: str
    value: str | int = ""
    if request.priority is not UNSET:
        kind, value = "priority", request.priority
    elif request.places is not UNSET:
        kind, value = "places", request.places
    else:
        kind = cast(str, request.to)
    return (request.entry_id, kind, value, request.once_key, request.once_seconds, ONCE_SECONDS)


def restore(request: c.Restore) -> Arguments:
    return (
        request.entry_id,
        request.join_id,
        request.rank,
        request.ticket,
        request.stamp,
        request.epoch or "",
        request.once_key or "",
        "" if request.once_stamp is None else request.once_stamp,
        ONCE_SECONDS,
        request.state,
        request.token or "",
        request.time_millis,
        request.attempts,
        request.segments_version,
        _tags(request),
        _seen(request),
    )


def _seen(request: c.Restore) -> str:
    """Return the look of an entry that is to be corrected; any, in the second look of a rebuild."""
    if request.seen is not None:
        return request.seen.text
    return "any" if request.overwrite else ""


def fill(request: c.Fill) -> Arguments:
    stays = " ".join([_filling(stay) for stay in request.stays])
    return (request.epoch, request.segments_version, stays)


def _filling(stay: c.FillStay) -> str:
    tags = _tags(stay) if stay.segments else stay.attributes_version
    ids, place = f"{stay.entry_id}:{stay.join_id}", f"{stay.rank}:{stay.ticket}:{stay.stamp}"
    return f"{ids}:{place}:{stay.attempts}:{tags}"


def page(request: c.Page) -> Arguments:
    after_rank = "" if request.after_rank is None else request.after_rank
    first = "" if request.first is None else request.first
    return (after_rank, first, request.limit)


def of_entry(request: c.OnEntry) -> Arguments:
    return (request.entry_id,)


def position(request: c.Position) -> Arguments:
    return (request.entry_id, request.segments_version, " ".join(request.segments))


def untagged(request: c.Untagged) -> Arguments:
    return (request.segments_version, request.which, request.offset, request.limit)


def segments(request: c.Segments) -> Arguments:
    return (request.segments_version, request.after or "", request.limit)


def beat(request: c.Beat) -> Arguments:
    return (request.epoch or "", request.known_beat)


def none(_: c.OnWaitlist) -> Arguments:
    return ()


def claim(request: c.Claim) -> Arguments:
    return (
        request.count,
        _or_default(request.lease_seconds),
        request.order,
        request.segment or "",
        request.segments_version,
        os.urandom(TOKEN_BYTES * request.count).hex(),
        "" if request.once_key is None else request.once_seconds,
        request.once_body or "",
    )


def on_hold(request: c.OnHold) -> Arguments:
    return (request.entry_id, request.token)


def release(request: c.Release) -> Arguments:
    return (request.entry_id, request.token, request.to)


def extend(request: c.Extend) -> Arguments:
    return (request.entry_id, request.token, _or_default(request.lease_seconds))


def redrive(request: c.Redrive) -> Arguments:
    return (request.entry_id, request.to)


def expire(request: c.Expire) -> Arguments:
    return (request.min_age_seconds, request.known_until, request.limit)


def settle(request: c.Settle) -> Arguments:
    return (request.entry_id, request.seen_stamp, request.join_id or "")


def shelf(request: c.Shelf) -> Arguments:
    return (request.which, request.after_time, request.after_id or "", request.limit)


def _or_default(lease_seconds: int | None) -> str | int:
    """Nothing stands for the waitlist's own time, which Redis knows."""
    return "" if lease_seconds is None else lease_seconds
