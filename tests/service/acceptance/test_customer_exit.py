"""If `customer_exit` is `frees_at_end` and a customer exits early, the next customer must wait
until the pass would have ended.
"""

from typing import Any
from unittest.mock import patch

import pytest
from redis import exceptions

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.gateway import Answer
from tests.support.world import World
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord

AT_END = {"max_inside": 1, "customer_exit": "frees_at_end"}
PASS_SECONDS = 3600


@pytest.fixture
def people(waitlist: Waitlist) -> Admissions:
    """A waitlist with room for one person inside. Ann is inside, and Bob is waiting."""
    people = waitlist("ann", "bob", admission=AT_END, rejoin="always")
    people.poll("ann")
    assert people.enter("ann").status == 200
    return people


def exit_by_operator(people: Admissions, name: str) -> Answer:
    path = f"{people.admin_entry(name)}/exit"
    return people.world.request("POST", path, body={"reason": "paid"}, operator=True)


def status_of_bob(people: Admissions) -> str:
    people.world.redis_clock.advance(1)
    people.poll("bob")
    return people.status("bob")


def test_ten_who_enter_and_exit_hold_one_pass_at_a_time(waitlist: Waitlist, world: World) -> None:
    """The next customer's pass begins only when the previous pass has ended."""
    names = [f"customer-{number}" for number in range(10)]
    people = waitlist(*names, admission=AT_END, rejoin="always")
    valid_until = 0
    for name in names:
        while people.status(name) != "offered":
            world.advance(600)
            people.poll(names[-1])
        assert people.enter(name).status == 200
        assert world.clock.millis >= valid_until
        valid_until = people.recorded(name)["end"]["inside_until_millis"]
        assert people.exit(name).status == 200


def test_an_own_exit_leaves_the_room_taken_until_the_pass_ends(
    people: Admissions, world: World
) -> None:
    exited = people.exit("ann")
    assert exited.status == 200
    assert exited.json["exited_at"] is not None
    assert people.exit("ann").json == exited.json
    assert status_of_bob(people) == "waiting"
    assert people.stats().json["inside"] == 1
    assert people.listed("inside") == ["ann"]
    person = people.person("ann").json
    assert person["room_until"] == person["inside_until"]
    assert people.events("ann") == ["joined", "offered", "admitted", "exited"]
    path = f"{people.entry('ann')}/pass"
    assert world.request("GET", path, token=people.token_of("ann")).code == "not_inside"
    world.advance(PASS_SECONDS)
    assert status_of_bob(people) == "offered"
    assert people.listed("inside") == []


def test_signing_up_again_waits_for_the_end_of_the_pass(people: Admissions, world: World) -> None:
    """If the exit made room at once, the customer could sign up and enter again, and would then
    have two valid passes.
    """
    assert people.sign_up("ann", key="while-inside").code == "already_admitted"
    assert people.exit("ann").status == 200
    assert people.sign_up("ann", key="after-the-exit").code == "already_admitted"
    assert status_of_bob(people) == "waiting"
    world.advance(PASS_SECONDS)
    assert people.sign_up("ann", key="after-the-pass").status == 201


def test_an_exit_does_not_wait_for_redis(
    people: Admissions, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If Redis is unreachable when a customer exits, only DynamoDB records the exit. An operator
    can repeat the exit later to make room (promise P3).
    """

    def fail(*_: object) -> None:
        raise exceptions.ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(world.redis, "execute_command", fail)
        assert people.exit("ann").status == 200
        assert exit_by_operator(people, "ann").code == "queue_unavailable"
    assert people.events("ann")[-2:] == ["exited", "exited"]
    assert exit_by_operator(people, "ann").status == 200
    assert people.events("ann").count("exited") == 2
    assert status_of_bob(people) == "offered"


@pytest.mark.parametrize("has_exited", [False, True])
def test_an_operators_exit_frees_the_room_at_once(
    people: Admissions, world: World, has_exited: bool
) -> None:
    if has_exited:
        assert people.exit("ann").status == 200
    for _repeat in range(2):
        assert exit_by_operator(people, "ann").status == 200
    assert status_of_bob(people) == "offered"
    assert people.listed("inside") == []
    assert people.person("ann").json["room_until"] is None
    assert people.exit("ann").status == 200
    events = ["joined", "offered", "admitted", *["exited"] * (1 + has_exited)]
    assert people.events("ann") == events
    world.redis.flushall()
    world.maintenance.run_all()
    assert people.stats().json["inside"] == 0
    assert people.sign_up("ann", key="after-the-exit").status == 201


def test_an_operators_exit_that_meets_the_customers_own_frees_the_room(people: Admissions) -> None:
    find = EntryRecords.find

    def before_the_own_exit(entries: EntryRecords, *key: Any) -> EntryRecord:
        patched.stop()
        record = find(entries, *key)
        assert people.exit("ann").status == 200
        return record

    patched = patch.object(EntryRecords, "find", before_the_own_exit)
    patched.start()
    assert exit_by_operator(people, "ann").status == 200
    assert status_of_bob(people) == "offered"


def test_a_rebuilt_order_has_the_room_taken(people: Admissions, world: World) -> None:
    """P3"""
    assert people.exit("ann").status == 200
    world.redis.flushall()
    world.maintenance.run_all()
    assert people.stats().json["inside"] == 1
    assert status_of_bob(people) == "waiting"


def test_a_server_that_lost_the_admission_gets_the_room_back(
    people: Admissions, world: World
) -> None:
    """Redis has lost an admission, and the customer has exited in the meantime. Maintenance
    restores the admission anyway (promise P3).
    """
    assert people.exit("ann").status == 200
    name = f"wl:{{{people.waitlist_id}}}:inside"
    assert world.redis.zrem(name, people.id_of("ann")) == 1
    world.maintain()
    assert people.stats().json["inside"] == 1


def test_an_erasure_frees_the_room(people: Admissions, world: World) -> None:
    assert people.exit("ann").status == 200
    assert people.erase("ann").status == 204
    assert people.stats().json["inside"] == 0
    world.maintenance.run_all()
    assert status_of_bob(people) == "offered"


def test_an_import_lets_the_person_join_again(people: Admissions) -> None:
    """An import can bring back a person who exited before their pass ended. This makes room at
    once, as an operator's exit does.
    """
    assert people.exit("ann").status == 200
    row = {"customer_id": "ann"}
    assert people.bring(row, ended="rejoin").json["results"][0]["outcome"] == "joined"
    assert people.stats().json["inside"] == 0


def test_another_setting_keeps_what_an_exit_has_left_taken(
    people: Admissions, world: World
) -> None:
    assert people.exit("ann").status == 200
    assert people.configure(admission={"max_inside": 1}).status == 200
    world.redis.flushall()
    world.maintenance.run_all()
    assert status_of_bob(people) == "waiting"
