"""Maps a request to its script's arguments: each is the request's field of that name, packed."""

import os
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from msgspec import UNSET, Struct, structs

from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_ADMIT, MAX_PRIORITY
from waitlist_shared.ranks import TIER

# Unguessable; 40 characters each, one after the other.
TOKEN_BYTES = 20
Argument = str | int
Arguments = tuple[Argument, ...]
PLAIN = (str, int)  # types of values that need no packing; most have one of them


def packed(value: Any) -> Argument:
    """Return a field's value as a script reads it: a number or a text.

    Several values have a space between two. The fields of a struct are `name=value`, those of an
    array-like one follow each other with a colon. A missing value is empty; a struct's field that
    is not set is left out.
    """
    if type(value) in PLAIN:
        return value  # type: ignore[no-any-return]
    if value is None or value is UNSET:
        return ""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, tuple):
        return " ".join([str(packed(one)) for one in value])
    if isinstance(value, Struct):
        fields = structs.asdict(value)
        if value.__struct_config__.array_like:
            return ":".join([str(packed(one)) for one in fields.values()])
        given = [(name, one) for name, one in fields.items() if one is not UNSET]
        return " ".join([f"{name}={packed(one)}" for name, one in given])
    return value  # type: ignore[no-any-return]


def _stay(request: c.Signup | c.Insert) -> str:
    place = _place(request) if isinstance(request, c.Insert) else ":"
    ids, version = f"{request.entry_id}:{request.join_id}", request.segments_version
    stay = f"{ids}:{place}:{request.known_stamp}:{version}:{_readiness(request)}:"
    return stay + _tags(request) if version else stay


def _hold(request: c.OnHold) -> str:
    return f"{request.entry_id}:{request.token}"


def _place(request: c.Insert) -> str:
    """Return the rank that the ticket makes, or the given rank and the ticket."""
    if request.rank is None:
        return f"{(MAX_PRIORITY - request.priority) * TIER + request.ticket}:"
    return f"{request.rank}:{request.ticket}"


def _tags(request: c.OnTaggedStay | c.WaitingStay) -> str:
    segments = "".join([f"{segment}," for segment in request.segments])
    return segments + str(request.attributes_version)


def _readiness(request: c.OnTaggedStay | c.WaitingStay) -> str:
    """Return version, deadline of the question and reasons: `7,1796083200000;held_back=0`."""
    readiness = request.readiness
    if readiness is None:
        return ""
    question = f",{readiness.confirm_by_millis}" if readiness.confirm_by_millis else ""
    reasons = [f";{one.reason}={one.until_millis}" for one in readiness.not_ready]
    return "".join([str(readiness.version), question, *reasons])


def _waiting_stays(request: c.RestoreMany) -> str:
    return " ".join([_waiting_stay(stay) for stay in request.stays])


def _waiting_stay(stay: c.WaitingStay) -> str:
    tags = _tags(stay) if stay.segments else stay.attributes_version
    ids, place = f"{stay.entry_id}:{stay.join_id}", f"{stay.rank}:{stay.ticket}:{stay.known_stamp}"
    return f"{ids}:{place}:{stay.attempts}:{_readiness(stay)}:{tags}"


def _tokens(request: c.Claim | c.Admit | c.Withdraw) -> str:
    return os.urandom(TOKEN_BYTES * _most_taken(request)).hex()


def _most_taken(request: c.Claim | c.Admit | c.Withdraw) -> int:
    """Return how many entries a run takes at most."""
    if isinstance(request, c.Withdraw) or getattr(request, "entry_id", None):
        return 1
    return MAX_ADMIT if request.count is None else request.count


def _filters(request: c.Claim | c.Admit) -> str:
    """Return the filters in order of preference; without any that of the whole queue."""
    return " ".join(request.filters) or request.segment or c.EVERYONE


def _expected(request: c.Restore) -> str:
    return request.expected.text if request.expected else ""


# Arguments that are not just a field of the request.
MADE: dict[str, Callable[[Any], Argument]] = {
    "expected": _expected,
    "filters": _filters,
    "readiness": _readiness,
    "stays": _waiting_stays,
    "tags": _tags,
    "tokens": _tokens,
}


def mapper(names: Sequence[str]) -> Callable[[Any], Arguments]:
    """Return what makes the arguments of these names from a request."""
    makers = [MADE.get(name) or attrgetter(name) for name in names]
    return lambda request: tuple(
        [one if type(one := make(request)) in PLAIN else packed(one) for make in makers]
    )


# The argument of a script that carries out many requests in one run: the part of each request.
JOINED: dict[str, Callable[[Any], str]] = {"holds": _hold, "stays": _stay}


def joiner(names: Sequence[str]) -> Callable[[Any], Arguments]:
    """Return what makes the one argument of this name from many requests."""
    [name] = names
    part_of = JOINED[name]
    return lambda requests: (" ".join([part_of(request) for request in requests]),)
