"""What stands before an operation is struck."""

from collections.abc import Callable
from typing import Any

from tests.faults_claims.scene import LEASE_SECONDS, MAX_ATTEMPTS, PEOPLE, Scene
from waitlist_shared import contracts as c

Prepare = Callable[[Scene], None]


def line(scene: Scene) -> None:
    answer = scene.desk.configure(lease_seconds=LEASE_SECONDS, max_attempts=MAX_ATTEMPTS)
    assert answer.status == 201, answer.text
    scene.desk.all_sign_up(*PEOPLE)


def held(scene: Scene) -> None:
    line(scene)
    assert scene.desk.claimed() == ["a"]


def held_again(scene: Scene) -> None:
    """The hold is over and nobody has noticed."""
    held(scene)
    scene.world.advance(LEASE_SECONDS)


def back_in_line(scene: Scene) -> None:
    """The hold is over, a claim of nobody else has met that; the record is behind."""
    held_again(scene)
    end_expired(scene)


def parked(scene: Scene) -> None:
    held(scene)
    assert scene.desk.park("a", reason="no show").status == 200


def admitted(scene: Scene) -> None:
    held(scene)
    assert scene.desk.complete("a").status == 200


def dequeued(scene: Scene) -> None:
    line(scene)
    assert scene.desk.claimed(complete=True) == ["a"]


def leaving(scene: Scene) -> None:
    """The first has begun to leave, and Redis does not know."""
    line(scene)
    services, desk = scene.world.services, scene.desk
    key = (desk.waitlist_id, desk.id_of("a"))
    services.entries.begin_leave(key, "customer", "", services.now_millis())


def in_redis_only(request: Callable[[Scene], c.OnHold]) -> Prepare:
    """Redis has decided something about a hold, and the function died then."""

    def prepare(scene: Scene) -> None:
        held(scene)
        scene.world.services.queue.send(request(scene))
        scene.world.advance(61)

    return prepare


def worn_out(scene: Scene) -> None:
    """The last attempt of the first is over; the record knows of one attempt less."""
    line(scene)
    for _ in range(MAX_ATTEMPTS):
        assert scene.desk.claimed() == ["a"]
        scene.world.advance(LEASE_SECONDS)
    end_expired(scene)
    scene.world.advance(61)


def end_expired(scene: Scene) -> None:
    desk = scene.desk
    scene.world.services.queue.send(c.Expire(waitlist_id=desk.waitlist_id))


def cold(prepare: Prepare) -> Prepare:
    """Redis has been lost, and its rebuild has not begun."""

    def prepared(scene: Scene) -> None:
        prepare(scene)
        scene.flush()

    return prepared


def forgotten(prepare: Prepare) -> Prepare:
    """Redis is there and has lost what was aside: a replica that lagged behind."""

    def prepared(scene: Scene) -> None:
        prepare(scene)
        for name in ("held", "claims", "parked", "unsettled"):
            scene.redis.delete(f"wl:{{{scene.desk.waitlist_id}}}:{name}")

    return prepared


def stay(scene: Scene) -> dict[str, Any]:
    desk = scene.desk
    entry_id = desk.id_of("a")
    return {"waitlist_id": desk.waitlist_id, "entry_id": entry_id, "token": desk.tokens["a"]}
