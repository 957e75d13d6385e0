"""Tests for restoring DynamoDB to an earlier moment (docs/operate/restore.md) while Redis still has
the newer state.
"""

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.tables import Item, items_of, new_table
from tests.support.world import World
from tools.operate.forget_order import forget

NAMES = ("ann", "bob", "cyd", "dan")


def backup_of(world: World) -> list[Item]:
    return items_of(world.dynamodb)


def with_new_table(people: Admissions, items: list[Item]) -> Admissions:
    before = people.world
    world = World.on(
        new_table(items), before.redis, clock=before.clock, redis_clock=before.redis_clock
    )
    return Admissions(world, people.waitlist_id, names=people.names, tokens=people.tokens)


def test_the_queue_is_as_it_was_at_the_time_of_the_backup(waitlist: Waitlist, world: World) -> None:
    """After the restore, the queue is as it was when the backup was taken, whether or not Redis
    knows about later changes (promises P1 and P6).
    """
    people = waitlist(*NAMES, segments=[["language"]])
    people.bump("dan", to="front")
    people.claim(1, lease_seconds=3600)
    world.maintain()
    backup = backup_of(world)
    people.leave("ann")
    people.complete("dan")
    people.all_sign_up("eve")
    people.bump("cyd", to="front")
    people.claim(1, lease_seconds=3600)
    world.maintain()

    people = with_new_table(people, backup)
    forget(people.world.services.queue, [people.waitlist_id])
    people.world.maintain()
    assert people.order() == ["ann", "bob", "cyd"]
    assert [people.place(name) for name in ("ann", "bob", "cyd")] == [(1, 3), (2, 3), (3, 3)]
    assert people.status("dan") == "offered"
    assert people.status("eve") == "entry_not_found"


def test_a_customer_who_joined_after_the_backup_joins_again_at_the_end(
    waitlist: Waitlist, world: World
) -> None:
    """A restored backup does not contain customers who signed up later. If they sign up again, they
    are behind everybody on the waitlist (promise P1).
    """
    people = waitlist(*NAMES)
    world.maintain()
    backup = backup_of(world)
    people.all_sign_up("eve", "fay")
    people = with_new_table(people, backup)
    forget(people.world.services.queue, [people.waitlist_id])
    assert people.sign_up("fay").json["position"] is None
    people.world.maintain()
    assert people.order() == [*NAMES, "fay"]


def test_an_order_that_is_not_forgotten_counts_unrecorded_entries(
    waitlist: Waitlist, world: World
) -> None:
    """After restoring DynamoDB, operators must delete the queues from Redis. Otherwise, Redis still
    counts people who signed up after the backup (promise P6).
    """
    people = waitlist(*NAMES)
    world.maintain()
    backup = backup_of(world)
    people.all_sign_up("eve")
    world.maintain()
    people = with_new_table(people, backup)
    assert people.place("ann") == (1, 5)
    forget(people.world.services.queue, [people.waitlist_id])
    people.world.maintain()
    assert people.place("ann") == (1, 4)
