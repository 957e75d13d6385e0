"""Tests for admissions that are recorded late. A customer gets their pass only when the admission
is recorded, and their time inside begins at that moment.
"""

from collections.abc import Callable
from contextlib import suppress
from unittest.mock import patch

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.faults import Crash
from tests.support.gateway import Answer
from tests.support.world import World
from waitlist_api.admission.offers import OfferWriter
from waitlist_api.clock import iso
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.transitions import Transitions
from waitlist_shared import contracts as c

PASS_SECONDS = 60
ONE_INSIDE = {"max_inside": 1, "pass_seconds": PASS_SECONDS}
AUTOMATIC = {**ONE_INSIDE, "acceptance": "automatic"}


def run_whose_answer_is_lost(people: Admissions) -> None:
    people.world.services.queue.send(c.Admit(waitlist_id=people.waitlist_id))


def get_pass(people: Admissions, name: str) -> Answer:
    path = f"{people.entry(name)}/pass"
    return people.world.request("GET", path, token=people.token_of(name))


def whole_pass(people: Admissions) -> str:
    return iso(people.world.clock.millis + PASS_SECONDS * 1000)


def shown_inside(people: Admissions) -> list[str]:
    entries, now_millis = people.world.services.entries, people.world.clock.millis
    records = entries.get_many(people.waitlist_id, list(people.names))
    return [people.names[one] for one in records if records[one].inside_until(now_millis)]


def test_an_admission_that_maintenance_records_has_its_whole_time(
    waitlist: Waitlist, world: World
) -> None:
    """The pass begins when maintenance records the admission, two minutes after Redis has admitted
    the customer (promise P3).
    """
    people = waitlist("ann", "bob", admission=AUTOMATIC)
    run_whose_answer_is_lost(people)
    world.maintain()
    answer = get_pass(people, "ann")
    assert (answer.status, answer.json["inside_until"]) == (200, whole_pass(people))
    assert answer.json["pass"]
    assert people.recorded("bob")["status"] == "waiting"
    assert people.stats().json["inside"] == 1
    assert people.events("ann") == ["joined", "admitted"]
    world.advance(PASS_SECONDS)
    people.poll("bob")
    assert shown_inside(people) == ["bob"]


def test_a_pass_that_is_asked_for_late_has_its_whole_time(waitlist: Waitlist, world: World) -> None:
    """A customer asks for their pass long after the admission. The pass lasts for its full time
    from then on.
    """
    people = waitlist("ann", "bob", admission=AUTOMATIC)
    for seconds in (PASS_SECONDS - 1, PASS_SECONDS + 1):
        run_whose_answer_is_lost(people)
        name = ("ann", "bob")[seconds > PASS_SECONDS]
        world.advance(seconds)
        assert get_pass(people, name).json["inside_until"] == whole_pass(people)
        assert shown_inside(people) == [name]
        assert get_pass(people, name).json["inside_until"] == whole_pass(people)
        people.exit(name)


def test_the_next_place_is_kept_for_a_customer_whose_time_was_over(
    waitlist: Waitlist, world: World
) -> None:
    """Bob is inside before Ann's admission is recorded. Ann gets her pass only after Bob's pass has
    ended (promises P1 and P4).
    """
    people = waitlist("ann", "bob", "cyd", admission=AUTOMATIC)
    run_whose_answer_is_lost(people)
    world.advance(PASS_SECONDS)
    people.poll("cyd")
    assert shown_inside(people) == ["bob"]
    assert get_pass(people, "ann").json["code"] == "not_inside"
    world.maintenance.run_all()
    assert people.recorded("ann")["status"] == "waiting"
    world.advance(PASS_SECONDS)
    people.poll("cyd")
    assert shown_inside(people) == []
    assert get_pass(people, "ann").json["inside_until"] == whole_pass(people)
    people.poll("cyd")
    assert shown_inside(people) == ["ann"]
    people.exit("ann")
    people.poll("cyd")
    assert shown_inside(people) == ["cyd"]


def test_maintenance_records_an_admission_once_there_is_room(
    waitlist: Waitlist, world: World
) -> None:
    """Only Redis knows of an admission. Maintenance records it as soon as there is room inside,
    even if nobody polls (promise P3).
    """
    people = waitlist("ann", "bob", "cyd", admission=AUTOMATIC)
    run_whose_answer_is_lost(people)
    world.advance(PASS_SECONDS)
    people.poll("cyd")
    world.maintenance.run_all()
    assert shown_inside(people) == ["bob"]
    world.advance(PASS_SECONDS)
    world.maintenance.run_all()
    assert shown_inside(people) == ["ann"]
    assert get_pass(people, "ann").json["inside_until"] == whole_pass(people)
    assert people.stats().json["inside"] == 1


def test_an_accepted_offer_whose_answer_is_lost_has_its_whole_time(
    waitlist: Waitlist, world: World
) -> None:
    """A request to enter was interrupted before it wrote to DynamoDB. The pass begins when the
    customer repeats the request.
    """
    people = waitlist("ann", "bob", admission=ONE_INSIDE)
    people.poll("ann")
    with patch.object(Transitions, "record", side_effect=Crash), suppress(Crash):
        people.enter("ann")
    world.advance(PASS_SECONDS - 1)
    entered = people.enter("ann").json
    assert entered["inside_until"] == whole_pass(people)
    world.advance(30)
    assert people.enter("ann").json == entered
    assert actor_of_last(people, "ann") == ("admitted", "customer")


def test_a_repeated_enter_is_too_late_while_another_customer_has_the_place(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", "bob", admission=ONE_INSIDE)
    people.poll("ann")
    with patch.object(Transitions, "record", side_effect=Crash), suppress(Crash):
        people.enter("ann")
    world.advance(PASS_SECONDS)
    world.services.admissions.run(people.waitlist_id)
    assert people.enter("bob").status == 200
    assert people.enter("ann").json["code"] == "offer_expired"
    assert shown_inside(people) == ["bob"]
    people.exit("bob")
    assert people.enter("ann").json["inside_until"] == whole_pass(people)
    assert shown_inside(people) == ["ann"]


def test_a_repeated_admission_of_an_operator_has_its_whole_time(
    waitlist: Waitlist, world: World
) -> None:
    """A request to admit a customer was interrupted. The pass begins when the operator repeats the
    request.
    """
    people = waitlist("ann", "bob", admission={**AUTOMATIC, "max_inside": 2})
    with patch.object(OfferWriter, "write_all", side_effect=Crash), suppress(Crash):
        people.admit(1, key="the-first-one")
    world.advance(PASS_SECONDS + 1)
    admitted = people.admit(1, key="the-first-one")
    assert [one["entry_id"] for one in admitted.json["entries"]] == [people.id_of("ann")]
    until = get_pass(people, "ann").json["inside_until"]
    assert until == whole_pass(people)
    world.advance(30)
    assert people.admit(1, key="the-first-one").status == 200
    assert get_pass(people, "ann").json["inside_until"] == until
    assert people.stats().json["inside"] == 1


def test_a_repeated_admission_leaves_out_a_customer_without_room(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", "bob", admission=AUTOMATIC)
    with patch.object(OfferWriter, "write_all", side_effect=Crash), suppress(Crash):
        people.admit(1, key="the-first-one")
    world.advance(PASS_SECONDS)
    people.poll("bob")
    assert people.admit(1, key="the-first-one").json["entries"] == []
    assert shown_inside(people) == ["bob"]
    people.exit("bob")
    world.maintain()
    assert shown_inside(people) == ["ann"]


def by_repeat(people: Admissions) -> None:
    assert people.complete("ann").status == 200


def by_maintenance(people: Admissions) -> None:
    people.world.maintain()


@pytest.mark.parametrize("recorded", [by_repeat, by_maintenance])
def test_a_completion_that_is_recorded_late_has_its_whole_time(
    waitlist: Waitlist, world: World, recorded: Callable[[Admissions], None]
) -> None:
    """If a worker's `complete` was interrupted, the pass begins when the completion is recorded.
    The limit on people inside does not apply to claims.
    """
    people = waitlist("ann", "bob", admission=AUTOMATIC)
    assert people.claimed(lease_seconds=60) == ["ann"]
    with patch.object(Transitions, "record", side_effect=Crash), suppress(Crash):
        people.complete("ann")
    world.advance(PASS_SECONDS)
    people.poll("bob")
    recorded(people)
    assert get_pass(people, "ann").json["inside_until"] == whole_pass(people)


def test_a_request_that_records_the_admission_later_answers_the_recorded_pass(
    waitlist: Waitlist, world: World
) -> None:
    """If two requests record the same admission at the same time, DynamoDB and Redis agree on when
    the pass ends.
    """
    people = waitlist("ann", "bob", admission=AUTOMATIC)
    run_whose_answer_is_lost(people)
    write = Transitions.record

    def overtaken(transitions: Transitions, *arguments: object) -> None:
        with patch.object(Transitions, "record", write):
            get_pass(people, "ann")
        write(transitions, *arguments)  # type: ignore[arg-type]

    world.advance(30)
    with patch.object(Transitions, "record", overtaken):
        first = get_pass(people, "ann").json
    assert first["inside_until"] == whole_pass(people)
    message = c.Renew(
        waitlist_id=people.waitlist_id, entry_id=people.id_of("ann"), ticket=people.stay_of("ann")
    )
    world.advance(20)
    world.services.queue.send(message)
    assert get_pass(people, "ann").json == first
    world.advance(30)
    world.maintenance.run_all()
    world.advance(9)
    people.poll("bob")
    assert shown_inside(people) == ["ann"]
    world.advance(1)
    people.poll("bob")
    assert shown_inside(people) == ["bob"]


def test_an_admission_that_redis_has_lost_meanwhile_is_not_recorded(
    waitlist: Waitlist, world: World
) -> None:
    """P3"""
    people = waitlist("ann", admission=ONE_INSIDE)
    people.poll("ann")
    with patch.object(Transitions, "record", side_effect=Crash), suppress(Crash):
        people.enter("ann")
    read = RecoveringQueue.read

    def lost(queue: RecoveringQueue, request: c.OnWaitlist) -> object:
        if isinstance(request, c.Renew):
            return c.RenewResult(outcome="absent")
        return read(queue, request)

    with patch.object(RecoveringQueue, "read", lost):
        assert people.enter("ann").code == "rebuilding"
    assert people.recorded("ann")["status"] == "offered"
    assert people.enter("ann").json["inside_until"] == whole_pass(people)


def actor_of_last(people: Admissions, name: str) -> tuple[str, str]:
    event = people.person(name).json["history"][-1]
    return event["event"], event["by"]
