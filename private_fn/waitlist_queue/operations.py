"""The operations: which script carries out a request, and what its reply means."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from waitlist_queue import arguments, keys, results
from waitlist_queue.scripts import Script, load_all
from waitlist_queue.store import Call, Reply
from waitlist_shared import contracts as c
from waitlist_shared.errors import BY_CODE

SCRIPTS: dict[str, Script] = load_all()
NO_ONCE_KEY = "none"
CLAIM = "claim"
SIGNUPS_PER_RUN = 50


@dataclass(frozen=True)
class Operation:
    """`arguments` follow the script's ARGV; the store adds `now` where it ends them.

    With a `per_run`, one run of the script carries out as many requests: `arguments` are made of
    a list of them, and the script answers with a list of replies.
    """

    script: Script
    arguments: Callable[[Any], arguments.Arguments]
    result: Callable[[Reply], c.Result]
    per_run: int | None = None


OPERATIONS: dict[type[c.OnWaitlist], Operation] = {
    c.Init: Operation(SCRIPTS["init"], arguments.init, results.init),
    c.Signup: Operation(SCRIPTS["signup"], arguments.signups, results.signup, SIGNUPS_PER_RUN),
    c.Leave: Operation(SCRIPTS["leave"], arguments.end_of_stay, results.leave),
    c.Drop: Operation(SCRIPTS["drop"], arguments.drop, results.drop),
    c.Bump: Operation(SCRIPTS["bump"], arguments.bump, results.bump),
    c.Position: Operation(SCRIPTS["position"], arguments.position, results.position),
    c.Page: Operation(SCRIPTS["page"], arguments.page, results.page),
    c.Stats: Operation(SCRIPTS["stats"], arguments.none, results.stats),
    c.Restore: Operation(SCRIPTS["restore"], arguments.restore, results.restore),
    c.Claim: Operation(SCRIPTS["claim"], arguments.claim, results.claim),
    c.Complete: Operation(SCRIPTS["complete"], arguments.on_hold, results.complete),
    c.Release: Operation(SCRIPTS["release"], arguments.release, results.release),
    c.Extend: Operation(SCRIPTS["extend"], arguments.extend, results.extend),
    c.Park: Operation(SCRIPTS["park"], arguments.on_hold, results.park),
    c.Redrive: Operation(SCRIPTS["redrive"], arguments.redrive, results.redrive),
    c.Expire: Operation(SCRIPTS["expire"], arguments.expire, results.expire),
    c.Settle: Operation(SCRIPTS["settle"], arguments.settle, results.settle),
    c.Shelf: Operation(SCRIPTS["shelf"], arguments.shelf, results.shelf),
    c.Beat: Operation(SCRIPTS["beat"], arguments.beat, results.beat),
    c.Fill: Operation(SCRIPTS["fill"], arguments.fill, results.fill),
    c.Look: Operation(SCRIPTS["look"], arguments.of_entry, results.look),
    c.Mark: Operation(SCRIPTS["mark"], arguments.of_entry, results.mark),
    c.Tag: Operation(SCRIPTS["tag"], arguments.tag, results.tag),
    c.Untagged: Operation(SCRIPTS["untagged"], arguments.untagged, results.untagged),
    c.Segments: Operation(SCRIPTS["segments"], arguments.segments, results.segments),
    c.Reserve: Operation(SCRIPTS["reserve"], arguments.reserve, results.reserve),
    c.Enlist: Operation(SCRIPTS["enlist"], arguments.enlist, results.signup, SIGNUPS_PER_RUN),
    c.Purge: Operation(SCRIPTS["purge"], arguments.none, results.purge),
}


def parts_of(requests: Sequence[c.OnWaitlist]) -> Iterator[list[c.OnWaitlist]]:
    """Split requests into what one run each carries out: neighbours that may go together."""
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
    return type(part[0]) is kind and len(part) < (OPERATIONS[kind].per_run or 1)


def call_of(part: Sequence[c.OnWaitlist]) -> Call:
    """Return the script run that carries out a part."""
    request = part[0]
    operation = OPERATIONS[type(request)]
    arguments_of = operation.arguments(part if operation.per_run else request)
    return Call(operation.script, _keys(operation.script, request), arguments_of)


def replies_of(part: Sequence[c.OnWaitlist], reply: Reply) -> list[Reply]:
    """Return each request's own reply."""
    return reply if OPERATIONS[type(part[0])].per_run else [reply]


def result_of(request: c.OnWaitlist, reply: Reply) -> c.Result:
    """Return what a reply says, or raise the refusal that it names."""
    refusal = BY_CODE.get(reply[0])
    if refusal is not None:
        raise refusal
    return OPERATIONS[type(request)].result(reply)


def _keys(script: Script, request: c.OnWaitlist) -> tuple[str, ...]:
    of_waitlist = _keys_of_waitlist(script.name, request.waitlist_id)
    own = script.keys[len(of_waitlist) :]
    return (*of_waitlist, *(OWN_KEYS[name](request) for name in own)) if own else of_waitlist


@lru_cache(maxsize=1024)
def _keys_of_waitlist(script_name: str, waitlist_id: str) -> tuple[str, ...]:
    """Return the keys of a script that all its requests share, by its name: a short one is found
    sooner.
    """
    names = SCRIPTS[script_name].keys
    return tuple(keys.OF_WAITLIST[name](waitlist_id) for name in names if name not in OWN_KEYS)


def _moves(request: c.OnWaitlist) -> str:
    """Return the key of all moves of an entry."""
    return keys.moves(request.waitlist_id, cast("c.OnEntry", request).entry_id)


def _once(request: c.OnWaitlist) -> str:
    """Return the key of a claim, or the former one of a move."""
    whose = request.entry_id if isinstance(request, c.OnEntry) else CLAIM
    once_key = cast("c.Bump | c.Claim", request).once_key
    return keys.once(request.waitlist_id, whose, once_key or NO_ONCE_KEY)


# Keys of one request; scripts name them after those of the whole waitlist.
OWN_KEYS: dict[str, Callable[[c.OnWaitlist], str]] = {"moves": _moves, "once": _once}
