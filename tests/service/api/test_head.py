"""Tests that a HEAD request gets the same response as a GET request, without the body (RFC 9110,
section 9.3.2).
"""

from typing import Any

import pytest

from tests.deployment.template import UNSUBSCRIBE
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.routes import ROUTES, path_of

GETS = [route for route in ROUTES if route.startswith("GET ")]


@pytest.mark.parametrize("route", GETS)
def test_a_head_has_the_headers_of_its_get(people: People, route: str) -> None:
    people.all_sign_up("ada")
    path = path_of(route, people.id_of("ada"))
    sent: dict[str, Any] = {"operator": "/v1/admin/" in path, "token": people.token_of("ada")}

    def answer(method: str) -> Answer:
        return people.world.request(method, path, **sent)

    got, head = answer("GET"), answer("HEAD")
    assert head.status == got.status
    assert head.headers == got.headers
    assert (bool(got.text), head.text) == (True, "")
    expected = {
        f"GET {UNSUBSCRIBE}": 403,
        "GET /v1/waitlists/{waitlist_id}/entries/{entry_id}/pass": 409,
        "GET /v1/admin/waitlists/{waitlist_id}/invitations/{invitation_id}": 404,
    }
    assert head.status == expected.get(route, 200)


def test_a_head_of_a_path_without_a_get_is_not_found(people: People) -> None:
    answer = people.world.request("HEAD", f"{people.path}/entries")
    assert (answer.status, answer.text) == (404, "")
