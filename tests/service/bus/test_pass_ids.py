"""Tests the id of each pass, `jti`. The admission's events contain the same id, whichever request
recorded the admission.
"""

from collections.abc import Callable
from typing import Any

import jwt
import pytest

from tests.service.bus.scene import Scene
from tests.service.bus.stories import (
    cut_off,
    is_admitted_at_once,
    is_admitted_without_an_offer,
    is_offered_a_place,
    policy,
)


def jti_of(scene: Scene, name: str = "ada") -> str:
    path = f"{scene.people.entry(name)}/pass"
    answers = [
        scene.world.request("GET", path, token=scene.people.token_of(name)) for _ in range(2)
    ]
    found = {_claims(answer.json["pass"])["jti"] for answer in answers}
    assert len(found) == 1
    return str(found.pop())


def _claims(token: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return claims


def published_pass_ids(scene: Scene, name: str = "ada") -> list[tuple[str, str]]:
    return [(one["event"], one["jti"]) for one in scene.details(name) if one.get("jti")]


def enters(scene: Scene) -> None:
    is_offered_a_place(scene)
    assert scene.people.enter("ada").status == 200


def enters_and_the_function_dies(scene: Scene) -> None:
    is_offered_a_place(scene)
    cut_off(scene, 1, lambda: scene.people.enter("ada"))
    scene.maintain()


def is_admitted_at_once_with_a_pass(scene: Scene) -> None:
    policy(scene)
    is_admitted_at_once(scene)


ADMISSIONS = (
    enters,
    enters_and_the_function_dies,
    is_admitted_without_an_offer,
    is_admitted_at_once_with_a_pass,
)


@pytest.mark.parametrize("admission", ADMISSIONS)
def test_admission_and_exit_have_the_jti_of_the_pass(admission: Callable[[Scene], None]) -> None:
    scene = Scene()
    admission(scene)
    jti = jti_of(scene)
    assert published_pass_ids(scene) == [("admitted", jti)]
    assert scene.people.exit("ada").status == 200
    assert published_pass_ids(scene) == [("admitted", jti), ("exited", jti)]
    history = scene.people.person("ada").json["history"]
    shown = [(one["event"], one["detail"].get("jti")) for one in history]
    assert [one for one in shown if one[1]] == published_pass_ids(scene)


def test_the_event_of_a_new_signup_contains_the_id_of_the_pass_that_it_ends() -> None:
    """Ada signs up again while she is inside, which ends her pass without an `exited` event. The
    `joined` event contains this pass's id (promise P4).
    """
    scene = Scene()
    enters(scene)
    jti = jti_of(scene)
    assert scene.configure(rejoin="always", admission={"max_inside": 1}).status == 200
    assert scene.people.sign_up("ada", key="again").status == 201
    assert published_pass_ids(scene) == [("admitted", jti), ("joined", jti)]
    assert scene.people.admit_one("ada").status == 200
    assert scene.people.enter("ada").status == 200
    assert jti_of(scene) != jti


def test_a_signup_after_an_exit_ends_no_pass() -> None:
    scene = Scene()
    enters(scene)
    jti = jti_of(scene)
    assert scene.people.exit("ada").status == 200
    assert scene.configure(rejoin="always").status == 200
    assert scene.people.sign_up("ada", key="again").status == 201
    assert published_pass_ids(scene) == [("admitted", jti), ("exited", jti)]


def test_an_admission_without_a_pass_has_no_jti() -> None:
    scene = Scene()
    is_admitted_at_once(scene)
    assert published_pass_ids(scene) == []
    assert scene.details("ada")[-1]["jti"] == ""
