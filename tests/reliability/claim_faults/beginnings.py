"""What stands before an operation is struck."""

from collections.abc import Callable

from tests.reliability.claim_faults.scene import LEASE_SECONDS, MAX_ATTEMPTS, PEOPLE, Scene
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


def end_expired(scene: Scene) -> None:
    desk = scene.desk
    scene.world.services.queue.send(c.Expire(waitlist_id=desk.waitlist_id))
