"""Tests that a stranger's web page cannot change anything through its visitors' browsers."""

import pytest
from aws_lambda_powertools import Logger

from tests.service.api.refusing import nothing_changes, refused
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import SECRET, World
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.http.api import Api

SHOP, STRANGER = "https://shop.example.com", "https://stranger.example.com"


@pytest.fixture
def people() -> People:
    people = People(World.on(new_table(), empty_redis()))
    assert people.configure().status == 201
    return people


def allow_origins(people: People, *origins: str) -> None:
    logger = Logger(service="test", level="CRITICAL")
    people.world.api = Api(people.world.services.container, EntryTokens(SECRET), logger, origins)


def sent_by(origin: str, site: str) -> dict[str, str]:
    return {"origin": origin, "sec-fetch-site": site}


@pytest.mark.parametrize("origins", [(), (SHOP,)])
def test_a_page_of_a_stranger_signs_no_visitor_up(people: People, origins: tuple[str, ...]) -> None:
    """P5"""
    allow_origins(people, *origins)
    with nothing_changes(people.world):
        answer = people.world.request(
            "POST",
            f"{people.path}/entries",
            body={"customer_id": "dan"},
            headers=sent_by(STRANGER, "cross-site"),
        )
        refused(answer, 403, "forbidden")
        assert "CorsOrigins" in answer.json["detail"]


def test_a_page_of_a_stranger_takes_no_customer_out(people: People) -> None:
    """The service refuses a request from a stranger's web page, even if it carries the customer's
    token (promise P5).
    """
    people.sign_up("ada")
    with nothing_changes(people.world):
        answer = people.world.request(
            "DELETE",
            people.entry("ada"),
            token=people.token_of("ada"),
            headers=sent_by(STRANGER, "cross-site"),
        )
        refused(answer, 403, "forbidden")


@pytest.mark.parametrize(
    ("origins", "headers"),
    [
        ((SHOP,), sent_by(SHOP, "cross-site")),
        (("*",), sent_by(STRANGER, "cross-site")),
        ((), sent_by(SHOP, "same-origin")),
        ((), sent_by(SHOP, "same-site")),
        ((), {}),
    ],
    ids=["an allowed origin", "any origin", "our own page", "our own site", "an app"],
)
def test_other_callers_sign_up(
    people: People, origins: tuple[str, ...], headers: dict[str, str]
) -> None:
    allow_origins(people, *origins)
    answer = people.world.request(
        "POST", f"{people.path}/entries", body={"customer_id": "dan"}, headers=headers
    )
    assert answer.status == 201


def test_a_link_from_another_site_opens_the_page(people: People) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert people.world.request("GET", "/w/bakery", headers=headers).status in (200, 404)
