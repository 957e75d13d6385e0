"""Requests about offers, which the admission policy or an operator makes and the customer accepts
or declines.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tests.reliability.model.client import Client
from tests.reliability.model.requests.of_claims import first_answer
from tests.reliability.model.requests.request import (
    NOTHING,
    Effect,
    Expected,
    Request,
    no,
    standing,
)
from tests.support import model
from tests.support.model import ENDED, Waitlist

DECLINED, WITHDRAWN = "declined", "withdrawn"


def admit(count: int, key: str, *, refill: bool = False) -> Request:
    """Let an operator make up to `count` offers. They do not count towards the waitlist's rate or
    schedule.

    If `refill` is true, the service replaces offers that customers do not use.

    The response does not contain offers that have already ended.
    """
    slots = (model.QUOTA,) * count if refill else ()
    has_taken = f"{key} has taken people"

    def room_of(line: Waitlist) -> int:
        return count if line.room is None else min(count, line.room)

    def early(line: Waitlist) -> Waitlist:
        line = model.all_expired(line, only_over=True)
        if line.is_over or {key, has_taken} & line.done:
            return line
        line = model.passed_over(line, room_of(line))
        names = line.next_ones(room_of(line))
        line = replace(line, slots=tuple(sorted((*line.slots, *slots[len(names) :]))))
        return model.offered(line, names, key, model.OPERATOR, slots).note(has_taken)

    def effect(line: Waitlist) -> Effect:
        if line.is_over and not {key, has_taken} & line.done:
            return early(line), no("admission_over")
        line = early(line).note(key)
        own = {name for name, stay in line.stays if stay.hold == key and stay.is_offer}
        return line, Expected(given=tuple(name for name in line.of("offered") if name in own))

    def parts(line: Waitlist) -> Iterator[Waitlist]:
        if line.is_over or (refill and not line.may_lose):
            return
        line = model.all_expired(line, only_over=True)
        line = model.passed_over(line, room_of(line))
        for taken in model.subsets(line.next_ones(room_of(line))):
            yield model.offered(line, taken, key, model.OPERATOR).note(key)

    def given(line: Waitlist, names: tuple[str, ...]) -> Waitlist:
        line = model.all_expired(line, only_over=True)
        line = replace(line, slots=tuple(sorted((*line.slots, *slots[len(names) :]))))
        return model.offered(line, list(names), key, model.OPERATOR, slots).note(key)

    send = partial(Client.admit, count=count, key=key, refill=refill)
    return Request(send, effect, parts, early, given=given)


def run_policy() -> Request:
    return Request(
        lambda client: client.run_policy(), lambda line: (model.by_itself(line), NOTHING)
    )


def enter(name: str) -> Request:
    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        if _has_offer(stay):
            line = model.ended(line, name, "admitted", model.CUSTOMER)
        elif stay.state != "admitted":
            return line, no("not_offered")
        return line, Expected(status="admitted")

    return Request(lambda client: client.enter(name), effect, event="admitted")


def decline(name: str, *, by_policy: bool = False) -> Request:
    """Decline an offer.

    The entry moves to the end of the queue, unless the policy lets it keep its place. An entry that
    keeps its place gets no further offer for the rest of the test case.
    """

    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        note = f"{name} has declined with ticket {stay.ticket}"
        if _has_offer(stay):
            line = model.declined(line, name)
            decline = model.back_after_decline if by_policy else _to_back
            line = decline(line, name, hold_end=DECLINED)
            line = line.happened(name, DECLINED, model.CUSTOMER).note(note)
        elif stay.state != "waiting" or stay.hold_end != DECLINED:
            has_declined = note in line.done
            return line, first_answer(line, name, "waiting") if has_declined else no("not_offered")
        return line, standing(line, name)

    return Request(lambda client: client.decline(name, by_policy), effect, event=DECLINED)


def _to_back(line: Waitlist, name: str, **changes: object) -> Waitlist:
    declines = line.by_name[name].declines + 1
    return model.back_in_line(line, name, "back", declines=declines, **changes)


def withdraw(name: str) -> Request:
    """The entry that lost its offer returns to its former place, and the next entry gets an
    offer.
    """

    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        note = f"{name} was taken back with ticket {stay.ticket}"
        if _has_offer(stay):
            line = early(line).note(note)
        elif stay.state != "waiting" or stay.hold_end != WITHDRAWN:
            was_taken = note in line.done
            return line, first_answer(line, name, "waiting") if was_taken else no("not_offered")
        return line, standing(line, name)

    def early(line: Waitlist) -> Waitlist:
        stay = line.stay(name)
        if stay is None or not _has_offer(stay):
            return line
        line = model.all_expired(line, only_over=True)
        # The withdrawn offer's slot goes to the next entry. After that, `name` returns to the
        # queue.
        line = model.given_back(line, name).change(name, state="parked", hold_end=WITHDRAWN)
        line = model.policy_run(line, most=1).happened(name, WITHDRAWN, model.OPERATOR)
        return model.back_in_line(line, name, "place")

    return Request(lambda client: client.withdraw(name), effect, event=WITHDRAWN)


def admit_one(name: str, key: str) -> Request:
    """An operator's offer does not count towards the rate or the schedule."""

    def may_take(line: Waitlist) -> bool:
        stay = line.stay(name)
        is_waiting = stay is not None and stay.state == "waiting" and stay.may_be_admitted
        is_free = is_waiting and line.room != 0 and not line.is_over
        return key not in line.done and is_free

    def early(line: Waitlist) -> Waitlist:
        line = model.all_expired(line, only_over=True)
        if not may_take(line):
            return line
        line = line.change(name, is_away=False)
        return model.offered(line, [name], key, model.OPERATOR).note(key)

    def effect(line: Waitlist) -> Effect:
        is_repeat = key in line.done
        line = early(line)
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        if key in line.done:
            return line, replace(standing(line, name), is_either=is_repeat)
        if line.is_over:
            return line, no("admission_over")
        if stay.state == "waiting":
            return line, no("inside_full" if stay.may_be_admitted else "entry_not_ready")
        return line, no("already_admitted" if stay.state == "admitted" else "not_waiting")

    return Request(lambda client: client.admit_one(name, key), effect, early=early, event="offered")


def decline_and_leave(name: str) -> Request:
    """Decline an offer and leave the waitlist.

    The service reads the offer from DynamoDB, which may still contain an offer that has already
    ended in Redis.
    """
    key = f"{name} declines and leaves"

    def look(line: Waitlist) -> Waitlist:
        stay = line.stay(name)
        return line.look(key, {name: str(stay.ticket)}) if stay and _has_offer(stay) else line

    def is_recorded(line: Waitlist, stay: model.Stay) -> bool:
        has_looked = (key, name, str(stay.ticket)) in line.looked
        # The operator who made the offer can release or park the entry.
        is_given_up = has_looked and stay.hold_end in (DECLINED, WITHDRAWN, "released", "parked")
        return is_given_up or _is_no_show(line.history(name))

    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        if stay is None:
            # If the entry was erased at the same time, the erasure may have recorded that the
            # customer left.
            return line, replace(no("entry_not_found"), is_either=True)
        if stay.state in ENDED:
            return line, no("already_admitted") if stay.state == "admitted" else NOTHING
        if not (stay.is_offer and stay.state == "offered") and not is_recorded(line, stay):
            return line, no("not_offered")
        line = model.declined(line, name)
        line = model.ended(line, name, "left", model.CUSTOMER, DECLINED)
        return line.look(key, {}), NOTHING

    def refusals(line: Waitlist) -> tuple[str, ...]:
        stay = line.stay(name)
        is_ended = stay is not None and stay.state in ("waiting", "parked")
        return ("not_offered",) if is_ended else ()

    def early(line: Waitlist) -> Waitlist:
        return model.left_before_maintenance(line, name, model.CUSTOMER, DECLINED)

    return Request(
        lambda client: client.decline_and_leave(name),
        effect,
        early=early,
        look=look,
        refusals=refusals,
        event="left",
    )


def exit_(name: str) -> Request:
    """Let a customer exit. The service first writes the exit to DynamoDB, and then tells Redis."""

    def early(line: Waitlist) -> Waitlist:
        stay = line.stay(name)
        if stay is None or not stay.is_inside or stay.has_exited:
            return line
        return line.change(name, has_exited=True).happened(name, "exited", model.CUSTOMER)

    def effect(line: Waitlist) -> Effect:
        line = early(line)
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        if not stay.has_exited:
            return line, no("not_inside")
        return line.change(name, is_inside=False), NOTHING

    def parts(line: Waitlist) -> Iterator[Waitlist]:
        yield early(line)

    return Request(lambda client: client.exit(name), effect, parts, early, event="exited")


def _is_no_show(history: tuple[model.Event, ...]) -> bool:
    words = [event.word for event in history]
    return words[-1:] == [model.NO_SHOW] or words[-2:] == [model.NO_SHOW, "parked"]


def _has_offer(stay: model.Stay) -> bool:
    return stay.state == "offered" and stay.is_offer and not stay.is_over
