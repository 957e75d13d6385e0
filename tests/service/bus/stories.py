"""Stories about what can happen to a person, each with the events that the service must publish."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from tests.service.bus.scene import LEASE_SECONDS, OFFER_SECONDS, RETENTION_DAYS, Scene
from tests.support.faults import Crash, crash_after
from waitlist_api.entries.signup_step import SignupCommand
from waitlist_api.records.moves import ask_to_move, move

Published = tuple[str, str | None]
WORDS = (
    "joined",
    "left",
    "bumped",
    "offered",
    "called",
    "messaged",
    "released",
    "expired",
    "declined",
    "withdrawn",
    "no_show",
    "parked",
    "redriven",
    "admitted",
    "exited",
    "banned",
    "unbanned",
    "reinstated",
    "rested",
    "resumed",
    "held_back",
    "ready",
    "asked",
    "reminded",
    "confirmed",
    "unanswered",
    "near",
    "ending",
    "verification_asked",
    "link_asked",
    "verified",
    "address_change_asked",
    "address_changed",
    "erased",
)
JOINED: Published = ("joined", "customer")
OFFERED: Published = ("offered", "operator")
CALLED: Published = ("called", "operator")
EXPIRED: Published = ("expired", "maintenance")
LEFT: Published = ("left", "customer")
ADMITTED: Published = ("admitted", "operator")
ERASED: Published = ("erased", None)
OFFERED_BY_POLICY: Published = ("offered", "policy")
NO_SHOW: Published = ("no_show", "policy")
ENTERED: Published = ("admitted", "customer")
NEAR: Published = ("near", "maintenance")
ENDING: Published = ("ending", "maintenance")
EXITED: Published = ("exited", "customer")
BANNED: Published = ("banned", "operator")
UNBANNED: Published = ("unbanned", "operator")
REINSTATED: Published = ("reinstated", "operator")


@dataclass(frozen=True)
class Story:
    """What happens to Ada, and the events that must be published.

    Each event names the person or function that caused it.
    """

    name: str
    happen: Callable[[Scene], None]
    events: tuple[Published, ...]

    def __str__(self) -> str:
        return self.name


STORIES: list[Story] = []


def story(*events: Published) -> Callable[[Callable[[Scene], None]], Callable[[Scene], None]]:
    def register(happen: Callable[[Scene], None]) -> Callable[[Scene], None]:
        STORIES.append(Story(happen.__name__, happen, events))
        return happen

    return register


@story(JOINED)
def signs_up(scene: Scene) -> None:
    scene.people.all_sign_up("bob", "ada")


@story(("joined", "operator"), ("bumped", "operator"))
def is_imported_at_an_earlier_time(scene: Scene) -> None:
    rows = ({"customer_id": "bob"}, {"customer_id": "ada", "joined_at": "2020-02-29T12:00:00Z"})
    for _repeat in range(2):
        assert scene.people.bring(*rows).status == 200
    assert scene.people.bump("ada", to="back").status == 200


@story(JOINED, LEFT, JOINED)
def leaves_and_comes_back(scene: Scene) -> None:
    signs_up(scene)
    assert scene.people.leave("ada").status == 204
    assert scene.people.sign_up("ada", key="again").status == 201


@story(JOINED, ("left", "operator"))
def is_removed(scene: Scene) -> None:
    signs_up(scene)
    assert scene.people.remove("ada", reason="asked by telephone").status == 204


@story(JOINED, BANNED, ("left", "operator"), UNBANNED)
def is_banned_and_unbanned(scene: Scene) -> None:
    signs_up(scene)
    for _repeat in range(2):
        assert scene.people.ban("ada", reason="sold the place").status == 204
    scene.world.advance(1)
    for _repeat in range(2):
        assert scene.people.unban("ada").status == 204


@story(JOINED, LEFT, REINSTATED, LEFT)
def is_reinstated_and_leaves_again(scene: Scene) -> None:
    signs_up(scene)
    assert scene.people.leave("ada").status == 204
    for _repeat in range(2):
        assert scene.people.reinstate("ada", key="first", reason="an error").status == 200
    assert scene.people.leave("ada").status == 204
    assert scene.people.reinstate("ada", key="first", reason="an error").json["status"] == "left"


@story(
    JOINED,
    ("rested", "customer"),
    ("resumed", "customer"),
    ("held_back", "operator"),
    ("ready", "operator"),
)
def rests_and_is_held_back(scene: Scene) -> None:
    signs_up(scene)
    rests(scene)


def rests(scene: Scene) -> None:
    """Ada pauses and resumes.

    An operator then marks her as not ready and as ready again. Each request is sent twice.
    """
    assert scene.people.configure(rest={"max_days": 9, "times": 9}).status == 200
    for _repeat in range(2):
        resting = scene.people.rest("ada", 3600, key="first")
        assert resting.status == 200
    scene.world.advance(1)
    for _repeat in range(2):
        assert scene.people.resume("ada", resting.json["rest_until"]).status == 200
    for ready in (False, False, True, True):
        scene.world.advance(1)
        assert scene.people.hold_back("ada", ready=ready).status == 200


@story(
    JOINED,
    ("asked", "operator"),
    ("reminded", "maintenance"),
    ("confirmed", "customer"),
    ("asked", "operator"),
    ("unanswered", "maintenance"),
    ("parked", "maintenance"),
)
def is_asked_twice_and_confirms_once(scene: Scene) -> None:
    signs_up(scene)
    rules = {"every_days": 9, "answer_days": 2, "reminders_days": [1]}
    assert scene.people.configure(confirm=rules).status == 200
    for _repeat in range(2):
        assert scene.people.ask_all().status == 200
    _walk(scene, 86_400)
    for _repeat in range(2):
        assert scene.people.confirm("ada").status == 200
    assert scene.people.configure(confirm={"every_days": 9, "answer_days": 1}).status == 200
    assert scene.people.ask_all().json["asked"] == 1
    _walk(scene, 86_400 + 660)


def _walk(scene: Scene, seconds: int) -> None:
    for pause in (seconds, 120):
        scene.world.advance(pause)
        scene.world.maintenance.run_one(scene.people.waitlist_id)


@story(
    JOINED,
    ("verification_asked", "customer"),
    ("verification_asked", "customer"),
    ("verified", "customer"),
    ("link_asked", "customer"),
)
def signs_up_to_be_verified(scene: Scene) -> None:
    is_verified(scene)


def is_verified(scene: Scene) -> None:
    """Ada signs up, verifies her address, and repeats the signup."""
    services = scene.world.services
    # Ada signs up without an address. Otherwise, her customer id would be derived from the address.
    command = SignupCommand(waitlist_id=scene.people.waitlist_id, customer_id="ada")
    for _repeat in range(3):
        services.unproven_signups.sign_up(command, verify_minutes=600)
    scene.world.advance(60)
    services.unproven_signups.sign_up(command, verify_minutes=600)
    for _repeat in range(2):
        scene.world.advance(60)
        stay = scene.people.stay_of("ada")
        services.readiness.verify(command.waitlist_id, command.entry_id, stay)
    for _repeat in range(2):
        services.unproven_signups.sign_up(command, verify_minutes=600)
    # Forget the stored entry token, which belongs to Ada's earlier signup.
    scene.people.entry_tokens.pop("ada", None)


@story(JOINED, ("address_change_asked", "customer"), ("address_changed", "customer"), ERASED)
def moves_to_another_address_and_is_erased(scene: Scene) -> None:
    """An erasure also deletes what is stored about Ada's new address. No event is published for
    this address, because nobody has signed up with it.
    """
    scene.people.all_sign_up("ada")
    moves(scene)
    assert scene.people.erase("ada").status == 204
    scene.maintain()


def moves(scene: Scene) -> None:
    """Move Ada's entry to a new address.

    She asks for the move and then confirms it. A minute passes before each request.
    """
    services, now_millis = scene.world.services, scene.world.clock.now_millis
    record = services.entries.find(scene.people.waitlist_id, scene.people.id_of("ada"))
    to, ledger = scene.people.id_of("eve"), services.address_changes.ledger
    draw_stamp = services.address_changes.recovering_queue.draw_stamp
    scene.world.advance(60)
    decided = ask_to_move(record, to, "", draw_stamp(record), now_millis())
    asked = ledger.commit(record, decided, now_millis())
    scene.world.advance(60)
    decided = move(asked, {}, None, draw_stamp(asked), now_millis())
    ledger.commit(asked, decided, now_millis())


@story(BANNED, ERASED)
def is_banned_without_a_stay_and_erased(scene: Scene) -> None:
    scene.people.all_sign_up("bob")
    assert scene.people.ban("ada").status == 204
    assert scene.people.erase("ada").status == 204
    scene.maintain()


@story(JOINED, LEFT, BANNED, ERASED)
def is_banned_after_leaving_and_erased(scene: Scene) -> None:
    signs_up(scene)
    assert scene.people.leave("ada").status == 204
    assert scene.people.ban("ada").status == 204
    assert scene.people.erase("ada").status == 204
    scene.maintain()


@story(JOINED, ("bumped", "operator"))
def is_bumped(scene: Scene) -> None:
    signs_up(scene)
    assert scene.people.bump("ada", priority=5, reason="a gift").status == 200


@story(JOINED, ("bumped", "operator"), OFFERED)
def is_offered(scene: Scene) -> None:
    is_bumped(scene)
    assert scene.people.claimed() == ["ada"]


@story(JOINED, ("bumped", "operator"), OFFERED, ("released", "operator"))
def is_released(scene: Scene) -> None:
    is_offered(scene)
    assert scene.people.extend("ada").status == 200
    assert scene.people.release("ada").status == 200


@story(JOINED, ("bumped", "operator"), OFFERED, ADMITTED)
def is_admitted(scene: Scene) -> None:
    is_offered(scene)
    assert scene.people.complete("ada").status == 200


@story(JOINED, ("bumped", "operator"), ADMITTED)
def is_admitted_at_once(scene: Scene) -> None:
    is_bumped(scene)
    assert scene.people.claimed(complete=True) == ["ada"]


@story(JOINED, ("bumped", "operator"), OFFERED, ("parked", "operator"), ("redriven", "operator"))
def is_parked_and_redriven(scene: Scene) -> None:
    is_offered(scene)
    assert scene.people.park("ada", reason="no show").status == 200
    assert scene.people.redrive("ada").status == 200


@story(JOINED, ("bumped", "operator"), OFFERED, EXPIRED)
def does_not_answer(scene: Scene) -> None:
    is_offered(scene)
    scene.world.advance(LEASE_SECONDS)
    scene.maintain()


@story(JOINED, ("bumped", "operator"), OFFERED, EXPIRED, OFFERED)
def does_not_answer_and_is_claimed_again_at_that_moment(scene: Scene) -> None:
    is_offered(scene)
    scene.world.advance(LEASE_SECONDS)
    assert scene.people.claimed() == ["ada"]


@story(JOINED, ("bumped", "operator"), OFFERED, EXPIRED, OFFERED, ("parked", "maintenance"))
def never_answers(scene: Scene) -> None:
    does_not_answer_and_is_claimed_again_at_that_moment(scene)
    scene.world.advance(LEASE_SECONDS)
    scene.maintain()


@story(JOINED, ("bumped", "operator"), EXPIRED, OFFERED)
def is_offered_after_an_offer_that_nobody_recorded(scene: Scene) -> None:
    is_bumped(scene)
    cut_off(scene, 0, lambda: scene.people.claim())
    scene.world.advance(LEASE_SECONDS)
    assert scene.people.claimed() == ["ada"]


@story(JOINED, OFFERED_BY_POLICY)
def is_offered_a_place(scene: Scene) -> None:
    scene.people.all_sign_up("ada", "bob")
    policy(scene, max_inside=1)
    assert scene.people.poll("bob").status == 200


@story(JOINED, OFFERED_BY_POLICY)
def is_offered_a_place_and_the_function_dies(scene: Scene) -> None:
    scene.people.all_sign_up("ada")
    policy(scene, max_inside=1)
    cut_off(scene, 1, lambda: scene.people.poll("ada"))
    scene.maintain()


@story(JOINED, OFFERED_BY_POLICY, ENTERED, EXITED)
def enters_and_exits(scene: Scene) -> None:
    is_offered_a_place(scene)
    for _repeat in range(2):
        assert scene.people.enter("ada").status == 200
    for _repeat in range(2):
        assert scene.people.exit("ada").status == 200
    scene.maintain()


@story(JOINED, OFFERED, ENTERED, ("exited", "operator"))
def is_admitted_by_hand_and_let_out(scene: Scene) -> None:
    scene.people.all_sign_up("ada")
    policy(scene)
    assert scene.people.admit(1).status == 200
    assert scene.people.enter("ada").status == 200
    path = f"{scene.people.admin_entry('ada')}/exit"
    answer = scene.world.request("POST", path, body={"reason": "went home"}, operator=True)
    assert answer.status == 200, answer.text


@story(JOINED, ("admitted", "policy"))
def is_admitted_without_an_offer(scene: Scene) -> None:
    scene.people.all_sign_up("ada")
    policy(scene, max_inside=1, acceptance="automatic")
    assert scene.people.poll("ada").status == 200
    scene.maintain()


@story(
    JOINED,
    NEAR,
    ("bumped", "operator"),
    ("bumped", "operator"),
    OFFERED,
    ENDING,
    NO_SHOW,
    OFFERED,
    ENDING,
    NO_SHOW,
    LEFT,
    JOINED,
    NEAR,
)
def is_near_once_a_stay_and_warned_once_an_offer(scene: Scene) -> None:
    """The service tells Ada that her turn is near only once per signup.

    She gets no second message after an operator has moved her or Redis has lost its data.
    """
    scene.people.all_sign_up("ada", "bob")
    tells(scene, near=1)
    keep(scene, 60, 60)
    for to in ("back", "front"):
        assert scene.people.bump("ada", to=to).status == 200
        keep(scene, 60)
    scene.redis.flushall()
    keep(scene, 60, 60, 60)
    for _offer in range(2):
        assert scene.people.admit(1).status == 200
        keep(scene, 370, 60, 60)
        scene.world.advance(OFFER_SECONDS)
        scene.maintain()
    assert scene.people.leave("ada").status == 204
    assert scene.people.leave("bob").status == 204
    assert scene.people.sign_up("ada", key="again").status == 201
    keep(scene, 60, 60)


def tells(scene: Scene, near: int) -> None:
    rules = {"kinds": ["near", "ending"], "near": near}
    policy_of_offers = {"offer_seconds": OFFER_SECONDS, "no_show": "keep_place"}
    answer = scene.configure(admission=policy_of_offers, messages=rules, max_attempts=9)
    assert answer.status == 200, answer.text


def keep(scene: Scene, *pauses: float) -> None:
    for pause in pauses:
        scene.world.advance(pause)
        scene.world.maintenance.run_one(scene.people.waitlist_id)


@story(JOINED, ("messaged", "operator"))
def gets_a_message_with_others(scene: Scene) -> None:
    assert scene.configure(messages={"kinds": ["left"]}).status == 200
    scene.people.sign_up("ada", profile={"email": "ada@example.com"})
    path, body = f"{scene.people.admin_path}/messages", {"text": {"en": "We close at 5 pm."}}
    headers = {"idempotency-key": "9d2c6f1e-7b3a-4c58-8e21-0f4b6a7c9d11"}
    for _repeat in range(2):
        answer = scene.world.request("POST", path, body=body, headers=headers, operator=True)
        assert answer.status == 200, answer.text


@story(JOINED, OFFERED, CALLED, CALLED, ("released", "operator"))
def is_called_to_a_room(scene: Scene) -> None:
    scene.people.all_sign_up("ada")
    for _repeat in range(2):
        assert scene.people.claim(key="next", call={"to": "Room 2"}).status == 200
    for _repeat in range(2):
        assert scene.people.call("ada", "Room 3", key="again").status == 200
    assert scene.people.release("ada").status == 200


@story(JOINED, OFFERED_BY_POLICY, ("declined", "customer"))
def declines(scene: Scene) -> None:
    is_offered_a_place(scene)
    for _repeat in range(2):
        assert scene.people.decline("ada").status == 200


@story(JOINED, OFFERED_BY_POLICY, ("withdrawn", "operator"))
def is_offered_a_place_too_early(scene: Scene) -> None:
    is_offered_a_place(scene)
    until = scene.people.poll("ada").json["offered_until"]
    for _repeat in range(2):
        assert scene.people.withdraw("ada", offered_until=until).status == 200


@story(JOINED, OFFERED_BY_POLICY, LEFT)
def declines_for_good(scene: Scene) -> None:
    is_offered_a_place(scene)
    for _repeat in range(2):
        assert scene.people.decline("ada", "leave").status == 200


@story(JOINED, OFFERED, NO_SHOW)
def does_not_enter(scene: Scene) -> None:
    scene.people.all_sign_up("ada")
    policy(scene, no_show="keep_place")
    assert scene.people.admit(1).status == 200
    scene.world.advance(OFFER_SECONDS)
    scene.maintain()


@story(JOINED, OFFERED, NO_SHOW, OFFERED, NO_SHOW, ("parked", "maintenance"))
def never_enters(scene: Scene) -> None:
    does_not_enter(scene)
    assert scene.people.admit(1).status == 200
    scene.world.advance(OFFER_SECONDS)
    scene.maintain()


@story(JOINED, OFFERED, NO_SHOW, ("left", "policy"))
def does_not_enter_and_is_taken_off(scene: Scene) -> None:
    scene.people.all_sign_up("ada")
    policy(scene, no_show="leave")
    assert scene.people.admit(1).status == 200
    scene.world.advance(OFFER_SECONDS)
    scene.maintain()


@story(JOINED)
def is_signed_up_by_maintenance(scene: Scene) -> None:
    scene.people.all_sign_up("bob")
    cut_off(scene, 1, lambda: scene.people.sign_up("ada"))
    scene.maintain()


@story(JOINED, ("bumped", "operator"))
def is_bumped_before_the_signup_is_recorded(scene: Scene) -> None:
    scene.people.all_sign_up("bob")
    cut_off(scene, 1, lambda: scene.people.sign_up("ada"))
    assert scene.people.bump("ada", to="front").status == 200


@story()
def is_refused(scene: Scene) -> None:
    scene.people.all_sign_up("bob", "cyd")
    assert scene.configure(capacity=2).status == 200
    assert scene.people.sign_up("ada").code == "waitlist_full"


@story(JOINED, LEFT)
def is_refused_when_coming_back(scene: Scene) -> None:
    signs_up(scene)
    assert scene.people.leave("ada").status == 204
    assert scene.configure(capacity=1).status == 200
    assert scene.people.sign_up("ada", key="again").code == "waitlist_full"


@story(JOINED)
def is_edited_and_looked_at(scene: Scene) -> None:
    """Edits, new segments, polls, a rebuild and a maintenance run do not move the entry, and
    publish no events.
    """
    signs_up(scene)
    assert scene.configure(segments=[["language"]]).status == 200
    assert scene.people.edit("ada", attributes={"language": "French"}).status == 200
    assert scene.people.edit("ada", profile={"name": "Ada"}, reason="a typo").status == 200
    assert scene.people.poll("ada").status == 200
    scene.maintain()
    scene.redis.flushall()
    scene.maintain()
    assert scene.people.place("ada") == (2, 2)


@story(JOINED, ERASED)
def is_erased(scene: Scene) -> None:
    signs_up(scene)
    for _ in range(2):
        assert scene.people.erase("ada").status == 204
    scene.maintain()
    assert scene.people.erase("ada").status == 204


@story(JOINED, ("bumped", "operator"), OFFERED, ADMITTED, ERASED)
def is_erased_long_after(scene: Scene) -> None:
    is_admitted(scene)
    assert scene.people.erase("ada").status == 204
    scene.maintain()


@story(JOINED, ERASED)
def is_erased_after_an_edit(scene: Scene) -> None:
    """An edit does not change the timestamp in the record. The erasure must still get a higher
    timestamp than the edit.
    """
    signs_up(scene)
    assert scene.people.edit("ada", profile={"name": "Ada"}).status == 200
    assert scene.people.erase("ada").status == 204
    scene.maintain()


@story(JOINED, BANNED, ERASED)
def is_erased_while_a_ban_is_cut_off(scene: Scene) -> None:
    """An interrupted ban already has a logical timestamp. The erasure must get a higher one."""
    signs_up(scene)
    # The request to ban Ada crashes after Redis has given the ban a logical timestamp.
    scene.wire.arm(3, crash_after)
    with suppress(Crash):
        scene.people.ban("ada")
    scene.wire.disarm()
    assert scene.people.erase("ada").status == 204
    scene.maintain()


@story(JOINED, ERASED, JOINED)
def is_erased_and_signs_up_at_once(scene: Scene) -> None:
    signs_up(scene)
    assert scene.people.erase("ada").status == 204
    assert scene.people.sign_up("ada", key="a-new-person").status == 201


@story(JOINED, ERASED)
def is_erased_with_the_waitlist(scene: Scene) -> None:
    signs_up(scene)
    assert scene.people.delete_waitlist().status == 204
    scene.maintain()


@story(JOINED, LEFT, ERASED)
def is_erased_by_retention(scene: Scene) -> None:
    assert scene.configure(retention_days=RETENTION_DAYS).status == 200
    signs_up(scene)
    assert scene.people.leave("ada").status == 204
    scene.expire()


@story()
def is_erased_without_ever_having_had_a_place(scene: Scene) -> None:
    scene.people.all_sign_up("bob")
    cut_off(scene, 0, lambda: scene.people.sign_up("ada"))
    assert scene.people.erase("ada").status == 204
    scene.maintain()


def policy(scene: Scene, **fields: object) -> None:
    assert scene.configure(admission={"offer_seconds": OFFER_SECONDS, **fields}).status == 200


def cut_off(scene: Scene, step: int, request: Callable[[], object]) -> None:
    scene.wire.arm(step, crash_after)
    try:
        request()
    except Crash:
        scene.wire.disarm()
    else:
        raise AssertionError("the request did not reach this step")
