"""Restoring the record to an earlier moment (docs/operations/restore.md), but not Redis."""

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.tables import Item, items_of, new_table
from tests.support.world import World
from tools.deploy.forget_order import forget

NAMES = ("ann", "bob", "cyd", "dan")


def backup_of(world: World) -> list[Item]:
    """What a restore to this moment gives."""
    return items_of(world.dynamodb)


def restored(desk: Admissions, items: list[Item]) -> Admissions:
    """A stack that uses a restored table, with the Redis that the one before had."""
    before = desk.world
    world = World.on(
        new_table(items), before.redis, clock=before.clock, redis_clock=before.redis_clock
    )
    return Admissions(world, desk.waitlist_id, names=desk.names, tokens=desk.tokens)


def test_the_line_stands_as_it_stood_at_that_moment(waitlist: Waitlist, world: World) -> None:
    """P1, P6: whatever has happened since, and whatever Redis knows of it."""
    desk = waitlist(*NAMES, segments=[["language"]])
    desk.bump("dan", to="front")
    desk.claim(1, lease_seconds=3600)
    world.maintain()
    backup = backup_of(world)
    desk.leave("ann")
    desk.complete("dan")
    desk.all_sign_up("eve")
    desk.bump("cyd", to="front")
    desk.claim(1, lease_seconds=3600)
    world.maintain()

    desk = restored(desk, backup)
    forget(desk.world.services.queue, [desk.waitlist_id])
    desk.world.maintain()
    assert desk.order() == ["ann", "bob", "cyd"]
    assert [desk.place(name) for name in ("ann", "bob", "cyd")] == [(1, 3), (2, 3), (3, 3)]
    assert desk.status("dan") == "offered"
    assert desk.status("eve") == "entry_not_found"


def test_whoever_signed_up_since_signs_up_again_behind_the_others(
    waitlist: Waitlist, world: World
) -> None:
    """P1: a ticket is later than any that was drawn before the restore, forgotten or not."""
    desk = waitlist(*NAMES)
    world.maintain()
    backup = backup_of(world)
    desk.all_sign_up("eve", "fay")
    desk = restored(desk, backup)
    forget(desk.world.services.queue, [desk.waitlist_id])
    assert desk.sign_up("fay").json["position"] is None
    desk.world.maintain()
    assert desk.order() == [*NAMES, "fay"]


def test_a_line_that_is_not_forgotten_counts_people_whom_nobody_knows(
    waitlist: Waitlist, world: World
) -> None:
    """P6: why the document has the step. Redis is ahead, until maintenance finds the entry."""
    desk = waitlist(*NAMES)
    world.maintain()
    backup = backup_of(world)
    desk.all_sign_up("eve")
    world.maintain()
    desk = restored(desk, backup)
    assert desk.place("ann") == (1, 5)
    forget(desk.world.services.queue, [desk.waitlist_id])
    desk.world.maintain()
    assert desk.place("ann") == (1, 4)
