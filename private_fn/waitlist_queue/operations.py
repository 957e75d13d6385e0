"""Converts requests to script calls, and the scripts' replies to results."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from waitlist_queue import arguments, keys
from waitlist_queue.results import Message, result_of
from waitlist_queue.scripts import Script, script_named
from waitlist_queue.store import Call, Reply
from waitlist_shared import contracts as c

NO_ONCE_KEY = "none"


@dataclass(frozen=True)
class Operation:
    """Defines how a type of request is carried out: its script, keys, arguments and result type."""

    script: Script
    # The functions that return the Redis keys of a single request, such as the key of its stored
    # result.
    own_keys: tuple[Callable[[c.OnWaitlist], str], ...]
    # The function that computes the script's arguments. It receives the request or, if one run of
    # the script carries out several requests, a list of requests.
    arguments: Callable[[Any], arguments.Arguments]
    result: type[c.Result]


@cache
def operation_of(request: type[c.OnWaitlist]) -> Operation:
    """Return the operation for a type of request."""
    script = _script_of(request)
    return Operation(
        script,
        tuple(OWN_KEYS[name] for name in script.keys if name not in keys.OF_WAITLIST),
        (arguments.joiner if script.per_run > 1 else arguments.mapper)(script.arguments),
        c.RESULTS[request],
    )


def _script_of(request: type) -> Script:
    """Return the script that carries out a type of request.

    The script has the same name as the type. If there is no such script, the script of the base
    class is used. For example, `Leave` and `Drop` are both subclasses of `EndStay`, so
    `end_stay.lua` carries out both.
    """
    try:
        return script_named(c.operation_name(request.__name__))
    except FileNotFoundError:
        return _script_of(request.__mro__[1])


def parts_of(requests: Sequence[c.OnWaitlist]) -> Iterator[list[c.OnWaitlist]]:
    """Split the requests into groups, so that one run of a script can carry out all requests of a
    group.
    """
    part: list[c.OnWaitlist] = []
    for request in requests:
        if part and not _may_join(part, request):
            yield part
            part = []
        part.append(request)
    if part:
        yield part


def _may_join(part: list[c.OnWaitlist], request: c.OnWaitlist) -> bool:
    if part[0].waitlist_id != request.waitlist_id:
        return False
    kind = type(request)
    return type(part[0]) is kind and len(part) < operation_of(kind).script.per_run


def call_of(part: Sequence[c.OnWaitlist]) -> Call:
    """Return the script call that carries out a group of requests."""
    request = part[0]
    operation = operation_of(type(request))
    own_arguments = operation.arguments(part if operation.script.per_run > 1 else request)
    all_keys = _keys_of_waitlist(operation.script.name, request.waitlist_id)
    if operation.own_keys:
        all_keys += tuple([key_of(request) for key_of in operation.own_keys])
    return Call(operation.script, all_keys, own_arguments)


def results_of(part: Sequence[c.OnWaitlist], reply: Reply) -> list[Message]:
    """Return a list with a result or a failure for each request in a group."""
    operation = operation_of(type(part[0]))
    replies = [reply] if operation.script.per_run == 1 else reply
    if len(replies) != len(part):
        raise ValueError(f"a script returned {len(replies)} replies to {len(part)} requests")
    return [result_of(operation.script, operation.result, own) for own in replies]


# The parameter is the script's name rather than the Script, because lru_cache hashes its parameters
# on every call, and hashing a Script takes too long.
@lru_cache(maxsize=1024)
def _keys_of_waitlist(script_name: str, waitlist_id: str) -> tuple[str, ...]:
    """Return the Redis keys that a script uses for every request about a waitlist."""
    names = script_named(script_name).keys
    return tuple(keys.OF_WAITLIST[name](waitlist_id) for name in names if name in keys.OF_WAITLIST)


def _moves(request: c.OnWaitlist) -> str:
    """Return the Redis key of the set that stores the entry's moves."""
    return keys.moves(request.waitlist_id, cast("c.OnEntry", request).entry_id)


def _once(request: c.OnWaitlist) -> str:
    """Return the Redis key that stores the result of a claim or an admission."""
    once_key = cast("c.Claim | c.Admit", request).once_key or NO_ONCE_KEY
    return keys.once(request.waitlist_id, c.operation_name(type(request).__name__), once_key)


# The functions that return the Redis keys that belong to a single request. A script receives these
# keys after the keys of the waitlist.
OWN_KEYS: dict[str, Callable[[c.OnWaitlist], str]] = {"moves": _moves, "once": _once}
