"""Tests for signups whose message reaches Redis late, and for entries in Redis that are missing
from DynamoDB.
"""

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.world import World
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone
from waitlist_shared.ids import new_join_id


@pytest.mark.parametrize("by", ["signup", "import"])
def test_a_refused_signup_that_arrives_again_adds_no_entry(
    waitlist: Waitlist, world: World, by: str
) -> None:
    """A signup was refused because the waitlist was full. If its message reaches Redis again once
    there is room, it must not add an entry (promise P2).
    """
    people = waitlist("ann", capacity=1)
    sent: list[c.Request] = []
    queue = world.services.queue
    original = type(queue).send

    def send(self: object, request: c.Request) -> object:
        sent.append(request)
        return original(queue, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(queue), "send", send)
        if by == "signup":
            assert people.sign_up("bob").json["code"] == "waitlist_full"
        else:
            people.bring("bob")
    people.leave("ann")
    for request in sent:
        if isinstance(request, c.Signup):
            with pytest.raises(Gone):
                queue.send(request)
        elif isinstance(request, c.Batch):
            queue.send(request)
    assert people.stats().json["waiting"] == 0
    assert people.sign_up("bob").status == 201


def test_maintenance_takes_out_an_entry_that_no_record_has(
    waitlist: Waitlist, world: World
) -> None:
    """Maintenance removes an entry that is missing from DynamoDB, so the customers behind it move
    up (promise P6).
    """
    people = waitlist("ann")
    stray = c.Signup(
        waitlist_id=people.waitlist_id, entry_id=people.id_of("stray"), join_id=new_join_id()
    )
    world.services.queue.send(stray)
    people.sign_up("bob")
    assert people.place("bob") == (3, 3)
    world.maintain()
    assert people.place("bob") == (2, 2)
    assert people.order() == ["ann", "bob"]
    assert people.sign_up("stray").status == 201
    world.maintain()
    assert people.order() == ["ann", "bob", "stray"]


def test_maintenance_finds_an_entry_without_a_record_anywhere_in_the_queue(
    waitlist: Waitlist, world: World
) -> None:
    """A late message from an import can add an entry near the front of the queue. If this entry is
    missing from DynamoDB, maintenance finds it there too (promise P6).
    """
    people = waitlist("ann")
    world.maintain()
    world.advance(3600)
    world.maintain()
    ticket = people.stay_of("ann") - 1
    world.services.queue.send(
        c.Insert(
            waitlist_id=people.waitlist_id,
            entry_id=people.id_of("stray"),
            join_id=new_join_id(),
            ticket=ticket,
        )
    )
    assert people.place("ann") == (2, 2)
    world.maintain()
    assert people.place("ann") == (1, 1)


def test_a_late_message_gives_no_place_to_a_customer_who_has_left(
    waitlist: Waitlist, world: World
) -> None:
    """P6"""
    people = waitlist("ann", "bob")
    assert people.leave("ann").status == 204
    again = c.Signup(
        waitlist_id=people.waitlist_id, entry_id=people.id_of("ann"), join_id=new_join_id()
    )
    world.services.queue.send(again)
    world.maintain()
    assert people.order() == ["bob"]
    assert people.status("ann") == "left"
