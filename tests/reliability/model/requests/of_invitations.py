"""Operators' requests to invite the first people in the queue. Each invited person gets one
offer.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tests.reliability.model.client import Client
from tests.reliability.model.requests.request import Effect, Expected, Request, no, nothing_changes
from tests.support import model
from tests.support.model import AT_BACK, GAP, Waitlist


def invite(count: int, key: str) -> Request:
    """The service stores the invitation, reads who is ready, and makes the offers with one call to
    Redis.

    Repeating an interrupted request continues the invitation. Nobody is invited twice, and nobody
    who signed up after the invitation began is invited.
    """
    has_begun, has_taken = f"{key} has begun", f"{key} has taken people"

    def was_read(line: Waitlist, what: str) -> dict[str, str]:
        return {name: word for noted, name, word in line.looked if noted == what}

    def look(line: Waitlist) -> Waitlist:
        if not was_read(line, has_begun):
            return line.look(has_begun, {"": str(line.tickets)})
        if was_read(line, key):
            return line
        numbered = enumerate(line.next_ones())
        seen = {name: f"{number} {line.by_name[name].ticket}" for number, name in numbered}
        return line.look(key, seen or {"": "nobody"})

    def candidates(line: Waitlist) -> list[str]:
        ready = line.next_ones()
        if seen := was_read(line, key):
            ready = [name for name in sorted(seen, key=seen.__getitem__) if name in ready]
            ready = [name for name in ready if seen[name].split()[1] == ticket(line, name)]
        signups = int(was_read(line, has_begun).get("", line.tickets))
        return [
            name
            for name in ready
            if line.by_name[name].ticket < AT_BACK + (signups + 1) * GAP
            and invited(line, name) not in line.done
        ]

    def ticket(line: Waitlist, name: str) -> str:
        return str(line.by_name[name].ticket)

    def invited(line: Waitlist, name: str) -> str:
        return f"{key} has invited {ticket(line, name)}"

    def offered(line: Waitlist, names: list[str]) -> Waitlist:
        line = model.offered(line, names, key, model.OPERATOR)
        for name in names:
            line = line.note(invited(line, name))
        return line

    def taken(line: Waitlist) -> Waitlist:
        line = model.all_expired(line, only_over=True)
        before = sum(note.startswith(f"{key} has invited") for note in line.done)
        room = count - before if line.room is None else min(count - before, line.room)
        if line.is_over or room <= 0:
            return line
        return offered(line, candidates(line)[:room]).note(has_taken)

    def early(line: Waitlist) -> Waitlist:
        return line if key in line.done else taken(line)

    def effect(line: Waitlist) -> Effect:
        if line.is_over and not {key, has_taken} & line.done:
            line = model.all_expired(line, only_over=True)
            return forgotten(line), replace(no("admission_over"), is_either=True)
        line = line if {key, has_taken} & line.done else taken(line)
        own = {name for name, stay in line.stays if stay.hold == key and stay.is_offer}
        given = tuple(name for name in line.of("offered") if name in own)
        return forgotten(line).note(key), Expected(given=given)

    def forgotten(line: Waitlist) -> Waitlist:
        return line.look(has_begun, {}).look(key, {})

    def parts(line: Waitlist) -> Iterator[Waitlist]:
        if line.is_over or key in line.done:
            return
        line = model.all_expired(line, only_over=True)
        for some in model.subsets(candidates(line)[:count]):
            yield offered(line, some)

    def given(line: Waitlist, names: tuple[str, ...]) -> Waitlist:
        line = model.all_expired(line, only_over=True)
        new = [name for name in names if invited(line, name) not in line.done]
        return offered(line, new).note(key)

    send = partial(Client.invite, count=count, key=key)
    return Request(send, effect, parts, early, look=look, given=given)


def continue_invitations() -> Request:
    return Request(lambda client: client.continue_invitations(), nothing_changes)
