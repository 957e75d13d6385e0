"""The index is behind the table while an order is rebuilt from it: nobody is lost or brought back.

DynamoDB's indexes follow their table by moments. A rebuild's first pass may miss the last writes
before Redis was lost; its second pass comes later and reads the table itself.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.reliability.faults.operations import LINE, line_with_eve
from tests.reliability.faults.scene import Scene, Stores
from tests.support.people import People
from tests.support.world import CONFIG, World
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.maintenance.rebuild import SETTLED_MILLIS
from waitlist_api.services import Services

DAY_SECONDS = 24 * 3600


class LateIndex:
    """A table whose index stands still for some queries, as it was when this was made."""

    def __init__(self, table: MemoryTable, is_late: Callable[[dict[str, Any]], bool]) -> None:
        self._table = table
        self._is_late = is_late
        self._stale = MemoryTable()
        self._stale.items = dict(table.items)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def query(self, **request: Any) -> Any:
        is_late = "IndexName" in request and self._is_late(request)
        return (self._stale if is_late else self._table).query(**request)


def in_the_first_pass(request: dict[str, Any]) -> bool:
    """Whether a query reads a whole line, as only the first pass does (and the first ticket)."""
    place = request["ExpressionAttributeValues"][":place"]["S"]
    is_whole = request["KeyConditionExpression"] == "#place = :place"
    is_line = is_whole and not place.startswith("INTENT#")
    return is_line and "FilterExpression" not in request


def sign_up(people: People) -> None:
    assert people.sign_up("zoe", key="zoe").status == 201


def leave(people: People) -> None:
    assert people.leave("eve").status == 204


def rejoin(people: People) -> None:
    leave(people)
    assert people.sign_up("eve", key="anew").status == 201


def bump(people: People) -> None:
    assert people.bump("eve", key="bump", to="front").status == 200


def erase(people: People) -> None:
    assert people.erase("eve").status == 204


def erase_and_rejoin(people: People) -> None:
    erase(people)
    assert people.sign_up("eve", key="anew").status == 201


CHANGES = {
    "signup": (sign_up, ["ann", "bob", "cyd", "eve", "dan", "zoe"]),
    "leave": (leave, [*LINE]),
    "rejoin": (rejoin, [*LINE, "eve"]),
    "bump": (bump, ["eve", *LINE]),
    "erase": (erase, [*LINE]),
    "erase, rejoin": (erase_and_rejoin, [*LINE, "eve"]),
}
each_change = pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES)
Change = Callable[[People], None]


def rebuilt_behind(
    stores: Stores, change: Change, is_late: Callable[[dict[str, Any]], bool]
) -> Scene:
    """Change a line that formed yesterday, lose Redis, rebuild from an index that is late."""
    scene = Scene(stores)
    assert scene.people.configure().status == 201
    line_with_eve(scene)
    scene.world.clock.advance(DAY_SECONDS)
    late = LateIndex(stores.dynamodb, is_late)
    change(scene.people)
    scene.flush()
    rebuilder = World.on(late, stores.redis)
    rebuilder.clock.millis = scene.world.clock.now_millis()
    rebuilder.services.caretaker.look_after("bakery")
    return scene


@each_change
def test_a_first_pass_that_is_behind_is_corrected_by_the_second(
    stores: Stores, change: Change, expected: list[str]
) -> None:
    """P1, P3, P6: the last moment's changes are not in the index when the rebuild begins."""
    scene = rebuilt_behind(stores, change, in_the_first_pass)
    assert scene.order() == expected
    assert not list(scene.contradictions())
    scene.world.maintain()
    assert scene.order() == expected


def test_whoever_rejoins_before_the_second_pass_has_a_new_place(stores: Stores) -> None:
    """P1: the first pass has put back somebody who had left; their next stay begins behind all."""
    scene = Scene(stores)
    assert scene.people.configure().status == 201
    line_with_eve(scene)
    late = LateIndex(stores.dynamodb, in_the_first_pass)
    leave(scene.people)
    scene.flush()
    world = scene.world

    def rejoin_meanwhile(_: float) -> None:
        assert scene.people.sign_up("eve", key="anew").status == 201

    rebuilder = Services.on(CONFIG, late, world.lambda_, world.clock.now_millis, rejoin_meanwhile)
    rebuilder.caretaker.look_after("bakery")
    assert scene.order() == [*LINE, "eve"]
    assert not list(scene.contradictions())


def test_the_second_pass_gives_the_index_time(scene: Scene) -> None:
    """P3: two seconds pass from the beginning of a rebuild to its second pass."""
    line_with_eve(scene)
    scene.flush()
    before_millis = scene.world.clock.now_millis()
    scene.world.services.caretaker.look_after("bakery")
    assert scene.world.clock.now_millis() == before_millis + SETTLED_MILLIS
