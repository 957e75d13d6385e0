"""The operations that faults strike: what stands before, what is asked, what is true after."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.reliability.faults.scene import Scene
from tests.support.faults import Crash, crash_after
from tests.support.gateway import Answer

LINE = ("ann", "bob", "cyd", "dan")
WITH_EVE = ("ann", "bob", "cyd", "eve", "dan")
KEY = "the-request"
Prepare = Callable[[Scene], None]
Request = Callable[[Scene], Answer]


def line(scene: Scene) -> None:
    scene.people.all_sign_up(*LINE)


def line_with_eve(scene: Scene) -> None:
    scene.people.all_sign_up(*WITH_EVE)


def eve_has_left(scene: Scene) -> None:
    line_with_eve(scene)
    assert scene.people.leave("eve").status == 204


def cold(prepare: Prepare) -> Prepare:
    def prepared(scene: Scene) -> None:
        prepare(scene)
        scene.flush()

    return prepared


def full(prepare: Prepare) -> Prepare:
    def prepared(scene: Scene) -> None:
        prepare(scene)
        assert scene.people.configure(capacity=len(LINE)).status == 200

    return prepared


def eve_is_joining(scene: Scene) -> None:
    """Eve has a place in Redis; the function died before it could record it."""
    line(scene)
    scene.wire.arm(1, crash_after)
    try:
        scene.people.sign_up("eve", key="cut-off")
    except Crash:
        scene.wire.disarm()


def redis_forgot_eve(scene: Scene) -> None:
    line_with_eve(scene)
    scene.people.lose_place("eve")


def sign_up(scene: Scene) -> Answer:
    return scene.people.sign_up("eve", key=KEY)


def sign_up_with(key: str | None) -> Request:
    return lambda scene: scene.people.sign_up("eve", key=key)


def leave(scene: Scene) -> Answer:
    return scene.people.leave("eve")


def remove(scene: Scene) -> Answer:
    return scene.people.remove("eve")


def erase(scene: Scene) -> Answer:
    return scene.people.erase("eve")


def bump(key: str = KEY, **where: int | str) -> Request:
    return lambda scene: scene.people.bump("eve", key=key, **where)


def bring(scene: Scene) -> Answer:
    """Import two of one time, one of a higher tier, one behind all, and one who is there."""
    time = "2021-05-01T12:00:00Z"
    return scene.people.bring(
        {"customer_id": "fay", "joined_at": time},
        {"customer_id": "zoe", "priority": 1},
        "eve",
        {"customer_id": "gus", "joined_at": time},
        "bob",
        ended="rejoin",
    )


@dataclass(frozen=True)
class Operation:
    """`done` is the order once it has taken effect, `undone` the order if it never does."""

    name: str
    prepare: Prepare
    request: Request
    undone: tuple[str, ...]
    done: tuple[str, ...]
    events: list[str] | None = None
    statuses: frozenset[int] = field(default=frozenset({200, 201, 204}))

    def __str__(self) -> str:
        return self.name


REFUSED = frozenset({409})
FRONT = ("eve", *LINE)
BACK = (*LINE, "eve")
TWO_AHEAD = ("ann", "eve", "bob", "cyd", "dan")
BROUGHT = ("zoe", "fay", "gus", *LINE, "eve")
JOINED, LEFT, BUMPED = "joined", "left", "bumped"

OPERATIONS = (
    Operation("signup", line, sign_up, LINE, BACK, [JOINED]),
    Operation("signup, Redis cold", cold(line), sign_up, LINE, BACK, [JOINED]),
    Operation("signup, list full", full(line), sign_up, LINE, LINE, [], REFUSED),
    Operation("rejoin", eve_has_left, sign_up, LINE, BACK, [JOINED, LEFT, JOINED]),
    Operation(
        "rejoin, list full", full(eve_has_left), sign_up, LINE, LINE, [JOINED, LEFT], REFUSED
    ),
    Operation("leave", line_with_eve, leave, WITH_EVE, LINE, [JOINED, LEFT]),
    Operation("leave, Redis cold", cold(line_with_eve), leave, WITH_EVE, LINE, [JOINED, LEFT]),
    Operation("remove while joining", eve_is_joining, remove, BACK, LINE),
    Operation("erase", line_with_eve, erase, WITH_EVE, LINE, []),
    Operation("erase, Redis cold", cold(line_with_eve), erase, WITH_EVE, LINE, []),
    Operation("erase of one who left", eve_has_left, erase, LINE, LINE, []),
    Operation(
        "bump to a priority", line_with_eve, bump(priority=7), WITH_EVE, FRONT, [JOINED, BUMPED]
    ),
    Operation(
        "bump by places", line_with_eve, bump(places=2), WITH_EVE, TWO_AHEAD, [JOINED, BUMPED]
    ),
    Operation(
        "bump to the front", line_with_eve, bump(to="front"), WITH_EVE, FRONT, [JOINED, BUMPED]
    ),
    Operation("bump to the back", line_with_eve, bump(to="back"), WITH_EVE, BACK, [JOINED, BUMPED]),
    Operation(
        "bump while joining", eve_is_joining, bump(to="front"), BACK, FRONT, [JOINED, BUMPED]
    ),
    Operation(
        "bump of one whom Redis lost",
        redis_forgot_eve,
        bump(places=2),
        WITH_EVE,
        TWO_AHEAD,
        [JOINED, BUMPED],
    ),
    Operation("import", line, bring, LINE, BROUGHT, [JOINED]),
    Operation("import, Redis cold", cold(line), bring, LINE, BROUGHT, [JOINED]),
    Operation("import, list full", full(line), bring, LINE, LINE, []),
    Operation("import of one who left", eve_has_left, bring, LINE, BROUGHT, [JOINED, LEFT, JOINED]),
)
