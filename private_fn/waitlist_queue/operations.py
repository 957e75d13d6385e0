"""The operations: which script carries out a request, and how its reply becomes a result."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from waitlist_queue import arguments, keys, results
from waitlist_queue.scripts import Script, load_all
from waitlist_queue.store import Call, Reply
from waitlist_shared import contracts as c
from waitlist_shared.errors import BY_CODE

SCRIPTS: dict[str, Script] = load_all()
NO_ONCE_KEY = "none"
# Requests whose script has another name than theirs.
SHARED_SCRIPTS: dict[type[c.Request], str] = {
    c.Leave: "end_stay",
    c.Drop: "end_stay",
    c.Insert: "signup",
    c.ListWaiting: "list",
    c.ListOffQueue: "list",
}
# How many requests one run of a script carries out; one of any other.
PER_RUN: dict[type[c.Request], int] = {c.Signup: 50, c.Insert: 50}


@dataclass(frozen=True)
class Operation:
    """How a type of request is carried out.

    With `per_run` above 1, `arguments` takes a list of requests, and the script returns a list of
    replies.
    """

    script: Script
    arguments: Callable[[Any], arguments.Arguments]
    result: Callable[[Reply], c.Result]
    per_run: int


@cache
def operation_of(request: type[c.OnWaitlist]) -> Operation:
    """Return how a type of request is carried out: by its script's header and its fields."""
    script = SCRIPTS[SHARED_SCRIPTS.get(request) or _script_name(request)]
    own_arguments = script.arguments[: len(script.arguments) - len(script.added)]
    per_run = PER_RUN.get(request, 1)
    return Operation(
        script,
        arguments.stays_of if per_run > 1 else arguments.mapper(own_arguments),
        results.mapper(script, c.RESULTS[request]),
        per_run,
    )


def _script_name(request: type[c.Request]) -> str:
    """Return the name of a class as a file has it: restore_many of RestoreMany."""
    return re.sub(r"(?<=.)([A-Z])", r"_\1", request.__name__).lower()


def parts_of(requests: Sequence[c.OnWaitlist]) -> Iterator[list[c.OnWaitlist]]:
    """Yield neighbours that one run of a script carries out together."""
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
    return type(part[0]) is kind and len(part) < PER_RUN.get(kind, 1)


def call_of(part: Sequence[c.OnWaitlist]) -> Call:
    """Return the script run that carries out a part."""
    request = part[0]
    operation = operation_of(type(request))
    own_arguments = operation.arguments(part if operation.per_run > 1 else request)
    return Call(operation.script, _keys(operation.script, request), own_arguments)


def replies_of(part: Sequence[c.OnWaitlist], reply: Reply) -> list[Reply]:
    """Return each request's own reply."""
    return reply if type(part[0]) in PER_RUN else [reply]


def result_of(request: c.OnWaitlist, reply: Reply) -> c.Result:
    """Return the result of a reply, or raise the refusal that it names."""
    refusal = BY_CODE.get(reply[0])
    if refusal is not None:
        raise refusal
    return operation_of(type(request)).result(reply)


def _keys(script: Script, request: c.OnWaitlist) -> tuple[str, ...]:
    of_waitlist = _keys_of_waitlist(script.name, request.waitlist_id)
    own = script.keys[len(of_waitlist) :]
    return (*of_waitlist, *(OWN_KEYS[name](request) for name in own)) if own else of_waitlist


@lru_cache(maxsize=1024)
def _keys_of_waitlist(script_name: str, waitlist_id: str) -> tuple[str, ...]:
    """Return a script's keys that all requests about a waitlist share.

    The cache goes by the script's name, because the hash of a short string takes less time.
    """
    names = SCRIPTS[script_name].keys
    return tuple(keys.OF_WAITLIST[name](waitlist_id) for name in names if name not in OWN_KEYS)


def _moves(request: c.OnWaitlist) -> str:
    """Return the key of all moves of an entry."""
    return keys.moves(request.waitlist_id, cast("c.OnEntry", request).entry_id)


def _once(request: c.OnWaitlist) -> str:
    """Return the key of a claim's idempotency key."""
    return keys.once(request.waitlist_id, cast("c.Claim", request).once_key or NO_ONCE_KEY)


# Keys of one request; scripts name them after those of the whole waitlist.
OWN_KEYS: dict[str, Callable[[c.OnWaitlist], str]] = {"moves": _moves, "once": _once}
