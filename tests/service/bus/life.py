"""One person goes through so much on a waitlist that every kind of event occurs. docs/app/events.md
shows these events as examples.
"""

from functools import cache

from tests.service.bus.scene import LEASE_SECONDS, OFFER_SECONDS, Detail, Scene, in_order
from tests.service.bus.stories import WORDS, is_verified, keep, moves, policy, rests, tells


@cache
def samples() -> list[Detail]:
    """Return the first event of each kind, sorted by logical timestamp."""
    scene = Scene()
    for happen in (
        _is_offered_and_back,
        _misses_an_offer,
        _is_parked_and_back,
        rests,
        _is_asked,
        _is_near_and_offered,
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
    scene.people.all_sign_up("bob", "ada")
    scene.world.advance(95)
    assert scene.people.bump("ada", to="front", reason="a gift").status == 200
    scene.world.advance(240)
    assert scene.people.claimed() == ["ada"]
    scene.world.advance(1)
    assert scene.people.call("ada", "Room 2").status == 200
    scene.world.advance(30)
    assert scene.people.release("ada").status == 200


def _misses_an_offer(scene: Scene) -> None:
    scene.world.advance(20)
    assert scene.people.claimed() == ["ada"]
    scene.world.advance(LEASE_SECONDS)
    scene.maintain()


def _is_parked_and_back(scene: Scene) -> None:
    assert scene.people.claimed() == ["ada"]
    scene.world.advance(12)
    assert scene.people.park("ada", reason="no answer").status == 200
    scene.world.advance(3600)
    assert scene.people.redrive("ada").status == 200


def _is_asked(scene: Scene) -> None:
    # The test uses only one person, because the order of two people's events could vary.
    scene.people.remove("bob")
    rules = {"every_days": 9, "answer_days": 2, "reminders_days": [1]}
    assert scene.configure(confirm=rules).status == 200
    assert scene.people.ask_all().json["asked"] == 1
    for _day in range(2):
        scene.world.advance(86_400 + 660)
        scene.world.maintenance.run_one(scene.people.waitlist_id)
    scene.world.advance(120)
    scene.world.maintenance.run_one(scene.people.waitlist_id)
    assert scene.people.redrive("ada").status == 200
    assert scene.people.ask_all().json["asked"] == 1
    assert scene.people.confirm("ada").status == 200


def _gets_a_message(scene: Scene) -> None:
    assert scene.people.edit("ada", profile={"email": "ada@example.com"}).status == 200
    path, body = f"{scene.people.admin_path}/messages", {"text": {"en": "We close at 5 pm."}}
    answer = scene.world.request("POST", path, body=body, operator=True)
    assert answer.json["people"] == 1


def _is_near_and_offered(scene: Scene) -> None:
    tells(scene, near=1)
    _gets_a_message(scene)
    keep(scene, 60)
    assert scene.people.admit(1).status == 200
    keep(scene, 400)
    assert scene.people.withdraw("ada").status == 200


def _is_admitted_by_the_policy(scene: Scene) -> None:
    policy(scene, max_inside=1, no_show="to_back")
    scene.world.advance(60)
    assert scene.people.poll("ada").status == 200
    scene.world.advance(25)
    assert scene.people.decline("ada").status == 200
    scene.world.advance(30)
    assert scene.people.poll("ada").status == 200
    scene.world.advance(20)
    assert scene.people.withdraw("ada").status == 200
    scene.world.advance(10)
    assert scene.people.poll("ada").status == 200
    scene.world.advance(OFFER_SECONDS)
    scene.maintain()
    assert scene.people.poll("ada").json["status"] == "offered"
    scene.world.advance(40)
    assert scene.people.enter("ada").status == 200
    scene.world.advance(900)
    assert scene.people.exit("ada").status == 200


def _goes_for_good(scene: Scene) -> None:
    scene.world.advance(86_400)
    assert scene.configure(rejoin="always").status == 200
    is_verified(scene)
    moves(scene)
    scene.world.advance(180)
    assert scene.people.leave("ada").status == 204
    scene.world.advance(60)
    assert scene.people.ban("ada", reason="sold the place").status == 204
    scene.world.advance(600)
    assert scene.people.unban("ada").status == 204
    scene.world.advance(60)
    assert scene.people.reinstate("ada", reason="an error").status == 200
    scene.world.advance(60)
    assert scene.people.erase("ada").status == 204
    scene.maintain()
