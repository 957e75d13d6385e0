"""Converts a request to the arguments of the Lua script that carries it out."""

import os
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from msgspec import UNSET, Struct, structs

from waitlist_shared import contracts as c
from waitlist_shared.ids import token_of_invitation
from waitlist_shared.limits import MAX_ADMIT, MAX_PRIORITY
from waitlist_shared.ranks import TIER

# A claim token has 20 random bytes, so that nobody can guess it.
TOKEN_BYTES = 20
Argument = str | int
Arguments = tuple[Argument, ...]
PLAIN = (str, int)  # most values have one of these types, which need no packing


def pack(value: Any) -> Argument:
    """Convert a field's value to a number or a string, because scripts receive no other types.

    A missing value becomes an empty string. The items of a tuple are joined with spaces. Each field
    of a struct is written as `name=value`. For an `array_like` struct, only the values are written,
    and they are joined with colons.
    """
    if type(value) in PLAIN:
        return value  # type: ignore[no-any-return]
    if value is None or value is UNSET:
        return ""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, tuple):
        return " ".join([str(pack(item)) for item in value])
    if isinstance(value, Struct):
        fields = structs.asdict(value)
        if value.__struct_config__.array_like:
            return ":".join([str(pack(item)) for item in fields.values()])
        present = [(name, item) for name, item in fields.items() if item is not UNSET]
        return " ".join([f"{name}={pack(item)}" for name, item in present])
    return value  # type: ignore[no-any-return]


def _pack_stay(request: c.Signup | c.Insert) -> str:
    place = _pack_place(request) if isinstance(request, c.Insert) else ":"
    ids, version = f"{request.entry_id}:{request.join_id}", request.segments_version
    stay = f"{ids}:{place}:{request.known_stamp}:{version}:{_pack_readiness(request)}:"
    return stay + _pack_tags(request) if version else stay


def _pack_hold(request: c.OnHold) -> str:
    return f"{request.entry_id}:{request.token}"


def _pack_place(request: c.Insert) -> str:
    """Return the rank and the ticket of an imported entry, in the form "rank:ticket".

    The rank is the entry's sort key in the queue. If the ticket can be computed from the rank, the
    ticket is left out.
    """
    if request.rank is None:
        return f"{(MAX_PRIORITY - request.priority) * TIER + request.ticket}:"
    return f"{request.rank}:{request.ticket}"


def _pack_tags(request: c.OnTaggedStay | c.WaitingStay) -> str:
    segments = "".join([f"{segment}," for segment in request.segments])
    return segments + str(request.attributes_version)


def _pack_readiness(request: c.OnTaggedStay | c.WaitingStay) -> str:
    """Encode the reasons why an entry is not ready, in the form that `reasons.lua` explains."""
    readiness = request.readiness
    if readiness is None:
        return ""
    question = f",{readiness.confirm_by_millis}" if readiness.confirm_by_millis else ""
    reasons = [f";{item.reason}={item.until_millis}" for item in readiness.not_ready]
    return "".join([str(readiness.version), question, *reasons])


def _pack_waiting_stays(request: c.RestoreMany) -> str:
    return " ".join([_pack_waiting_stay(stay) for stay in request.stays])


def _pack_waiting_stay(stay: c.WaitingStay) -> str:
    tags = _pack_tags(stay) if stay.segments else stay.attributes_version
    ids, place = f"{stay.entry_id}:{stay.join_id}", f"{stay.rank}:{stay.ticket}:{stay.known_stamp}"
    return f"{ids}:{place}:{stay.attempts}:{_pack_readiness(stay)}:{tags}"


def _draw_tokens(request: c.Claim | c.Admit | c.Withdraw) -> str:
    tokens = os.urandom(TOKEN_BYTES * _max_taken(request)).hex()
    if isinstance(request, c.Admit) and request.invitation:
        length = 2 * TOKEN_BYTES
        starts = range(0, len(tokens), length)
        return "".join(
            token_of_invitation(request.invitation, tokens[start : start + length])
            for start in starts
        )
    return tokens


def _max_taken(request: c.Claim | c.Admit | c.Withdraw) -> int:
    """Return the maximum number of entries that the script may take from the queue for this
    request.
    """
    if isinstance(request, c.Withdraw) or getattr(request, "entry_id", None):
        return 1
    return MAX_ADMIT if request.count is None else request.count


def _pack_filters(request: c.Claim | c.Admit) -> str:
    """Return the request's filters. If it has none, return its segment. If it has no segment
    either, return a filter that matches every entry.
    """
    return " ".join(request.filters) or request.segment or c.EVERYONE


def _pack_expected(request: c.Restore) -> str:
    return request.expected.text if request.expected else ""


# The script arguments that are computed from a request, with the functions that compute them. Every
# other argument is copied from the request field of the same name.
COMPUTED_ARGUMENTS: dict[str, Callable[[Any], Argument]] = {
    "expected": _pack_expected,
    "filters": _pack_filters,
    "readiness": _pack_readiness,
    "stays": _pack_waiting_stays,
    "tags": _pack_tags,
    "tokens": _draw_tokens,
}


def mapper(names: Sequence[str]) -> Callable[[Any], Arguments]:
    """Return a function that computes a script's arguments from a request. `names` lists the
    arguments.
    """
    makers = [COMPUTED_ARGUMENTS.get(name) or attrgetter(name) for name in names]
    return lambda request: tuple(
        [value if type(value := make(request)) in PLAIN else pack(value) for make in makers]
    )


# Some scripts carry out many requests in one run, and receive all of them in a single argument.
# Each of these functions encodes one request for such an argument.
PARTS_OF_JOINED_ARGUMENTS: dict[str, Callable[[Any], str]] = {
    "holds": _pack_hold,
    "stays": _pack_stay,
}


def joiner(names: Sequence[str]) -> Callable[[Any], Arguments]:
    """Return a function that encodes a list of requests as a single script argument."""
    [name] = names
    part_of = PARTS_OF_JOINED_ARGUMENTS[name]
    return lambda requests: (" ".join([part_of(request) for request in requests]),)
