"""One person's life on a waitlist, with every event in it: what docs/events.md shows."""

from functools import cache

from tests.service.bus.scene import LEASE_SECONDS, OFFER_SECONDS, Detail, Scene, in_order
from tests.service.bus.stories import WORDS, policy


@cache
def samples() -> list[Detail]:
    """Return the first event of each word, by their stamps."""
    scene = Scene()
    for happen in (
        _is_offered_and_back,
        _misses_an_offer,
        _is_parked_and_back,
        _is_admitted_by_the_policy,
        _goes_for_good,
    ):
        happen(scene)
    first: dict[str, Detail] = {}
    for detail in in_order(scene.details("ada")):
        first.setdefault(detail["event"], detail)
    assert set(first) == set(WORDS)
    return list(first.values())


def _is_offered_and_back(scene: Scene) -> None:
    scene.desk.all_sign_up("bob", "ada")
    scene.world.advance(95)
    assert scene.desk.bump("ada", to="front", reason="a gift").status == 200
    scene.world.advance(240)
    assert scene.desk.claimed() == ["ada"]
    scene.world.advance(31)
    assert scene.desk.release("ada").status == 200


def _misses_an_offer(scene: Scene) -> None:
    scene.world.advance(20)
    assert scene.desk.claimed() == ["ada"]
    scene.world.advance(LEASE_SECONDS)
    scene.maintain()


def _is_parked_and_back(scene: Scene) -> None:
    assert scene.desk.claimed() == ["ada"]
    scene.world.advance(12)
    assert scene.desk.park("ada", reason="no answer").status == 200
    scene.world.advance(3600)
    assert scene.desk.redrive("ada").status == 200


def _is_admitted_by_the_policy(scene: Scene) -> None:
    scene.desk.remove("bob")
    policy(scene, max_inside=1, no_show="to_back")
    scene.world.advance(60)
    assert scene.desk.look("ada").status == 200
    scene.world.advance(25)
    assert scene.desk.decline("ada").status == 200
    scene.world.advance(30)
    assert scene.desk.look("ada").status == 200
    scene.world.advance(20)
    assert scene.desk.withdraw("ada").status == 200
    scene.world.advance(10)
    assert scene.desk.look("ada").status == 200
    scene.world.advance(OFFER_SECONDS)
    scene.maintain()
    assert scene.desk.look("ada").json["status"] == "offered"
    scene.world.advance(40)
    assert scene.desk.enter("ada").status == 200
    scene.world.advance(900)
    assert scene.desk.exit("ada").status == 200


def _goes_for_good(scene: Scene) -> None:
    scene.world.advance(86_400)
    assert scene.configure(rejoin="always").status == 200
    assert scene.desk.sign_up("ada", key="again").status == 201
    scene.world.advance(300)
    assert scene.desk.leave("ada").status == 204
    scene.world.advance(60)
    assert scene.desk.ban("ada", reason="sold the place").status == 204
    scene.world.advance(600)
    assert scene.desk.unban("ada").status == 204
    scene.world.advance(60)
    assert scene.desk.erase("ada").status == 204
    scene.maintain()
