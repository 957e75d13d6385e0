"""Lists whose `customer_exit` is `frees_at_end`: no customer frees room while the pass is valid."""

from typing import Any
from unittest.mock import patch

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.gateway import Answer
from tests.support.world import World
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord

AT_END = {"max_inside": 1, "customer_exit": "frees_at_end"}
PASS_SECONDS = 3600


@pytest.fixture
def desk(waitlist: Waitlist) -> Admissions:
    """Ann, inside; Bob waits for the one place."""
    desk = waitlist("ann", "bob", admission=AT_END, rejoin="always")
    desk.look("ann")
    assert desk.enter("ann").status == 200
    return desk


def exit_by_operator(desk: Admissions, name: str) -> Answer:
    path = f"{desk.admin_entry(name)}/exit"
    return desk.world.request("POST", path, body={"reason": "paid"}, operator=True)


def status_of_bob(desk: Admissions) -> str:
    desk.world.redis_clock.advance(1)
    desk.look("bob")
    return desk.status("bob")


def test_ten_who_enter_and_exit_hold_one_pass_at_a_time(waitlist: Waitlist, world: World) -> None:
    """The next pass begins when the one before has ended."""
    names = [f"customer-{number}" for number in range(10)]
    desk = waitlist(*names, admission=AT_END, rejoin="always")
    valid_until = 0
    for name in names:
        while desk.status(name) != "offered":
            world.advance(600)
            desk.look(names[-1])
        assert desk.enter(name).status == 200
        assert world.clock.millis >= valid_until
        valid_until = desk.recorded(name)["inside_until_millis"]
        assert desk.exit(name).status == 200


def test_an_own_exit_leaves_the_room_taken_until_the_pass_ends(
    desk: Admissions, world: World
) -> None:
    exited = desk.exit("ann")
    assert exited.status == 200
    assert exited.json["exited_at"] is not None
    assert desk.exit("ann").json == exited.json
    assert status_of_bob(desk) == "waiting"
    assert desk.stats().json["inside"] == 1
    assert desk.listed("inside") == ["ann"]
    person = desk.person("ann").json
    assert person["room_until"] == person["inside_until"]
    assert desk.events("ann") == ["joined", "offered", "admitted", "exited"]
    path = f"{desk.entry('ann')}/pass"
    assert world.request("GET", path, token=desk.token_of("ann")).code == "not_inside"
    world.advance(PASS_SECONDS)
    assert status_of_bob(desk) == "offered"
    assert desk.listed("inside") == []


def test_signing_up_again_waits_for_the_end_of_the_pass(desk: Admissions, world: World) -> None:
    """Else a customer could enter, sign up and enter again, and hold two passes in one room."""
    assert desk.sign_up("ann", key="while-inside").code == "already_admitted"
    assert desk.exit("ann").status == 200
    assert desk.sign_up("ann", key="after-the-exit").code == "already_admitted"
    assert status_of_bob(desk) == "waiting"
    world.advance(PASS_SECONDS)
    assert desk.sign_up("ann", key="after-the-pass").status == 201


@pytest.mark.parametrize("has_exited", [False, True])
def test_an_operators_exit_frees_the_room_at_once(
    desk: Admissions, world: World, has_exited: bool
) -> None:
    if has_exited:
        assert desk.exit("ann").status == 200
    for _repeat in range(2):
        assert exit_by_operator(desk, "ann").status == 200
    assert status_of_bob(desk) == "offered"
    assert desk.listed("inside") == []
    assert desk.person("ann").json["room_until"] is None
    assert desk.exit("ann").status == 200
    events = ["joined", "offered", "admitted", *["exited"] * (1 + has_exited)]
    assert desk.events("ann") == events
    world.redis.flushall()
    world.maintenance.run_all()
    assert desk.stats().json["inside"] == 0
    assert desk.sign_up("ann", key="after-the-exit").status == 201


def test_an_operators_exit_that_meets_the_customers_own_frees_the_room(desk: Admissions) -> None:
    find = EntryRecords.find

    def before_the_own_exit(entries: EntryRecords, *key: Any) -> EntryRecord:
        patched.stop()
        record = find(entries, *key)
        assert desk.exit("ann").status == 200
        return record

    patched = patch.object(EntryRecords, "find", before_the_own_exit)
    patched.start()
    assert exit_by_operator(desk, "ann").status == 200
    assert status_of_bob(desk) == "offered"


def test_a_rebuilt_order_has_the_room_taken(desk: Admissions, world: World) -> None:
    """P3"""
    assert desk.exit("ann").status == 200
    world.redis.flushall()
    world.maintenance.run_all()
    assert desk.stats().json["inside"] == 1
    assert status_of_bob(desk) == "waiting"


def test_a_server_that_lost_the_admission_gets_the_room_back(
    desk: Admissions, world: World
) -> None:
    """P3: the minute's comparison finds it, also when the exit is the last change."""
    assert desk.exit("ann").status == 200
    name = f"wl:{{{desk.waitlist_id}}}:inside"
    assert world.redis.zrem(name, desk.id_of("ann")) == 1
    world.maintain()
    assert desk.stats().json["inside"] == 1


def test_an_erasure_frees_the_room(desk: Admissions, world: World) -> None:
    assert desk.exit("ann").status == 200
    assert desk.erase("ann").status == 204
    assert desk.stats().json["inside"] == 0
    world.maintenance.run_all()
    assert status_of_bob(desk) == "offered"


def test_an_import_lets_the_person_join_again(desk: Admissions) -> None:
    """It is an operator's decision, as an exit by one."""
    assert desk.exit("ann").status == 200
    row = {"customer_id": "ann"}
    assert desk.bring(row, ended="rejoin").json["results"][0]["outcome"] == "joined"
    assert desk.stats().json["inside"] == 0


def test_another_setting_keeps_what_an_exit_has_left_taken(desk: Admissions, world: World) -> None:
    assert desk.exit("ann").status == 200
    assert desk.configure(admission={"max_inside": 1}).status == 200
    world.redis.flushall()
    world.maintenance.run_all()
    assert status_of_bob(desk) == "waiting"
