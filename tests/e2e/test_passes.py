"""Tests that other programs can verify admission passes when they know only the service's URL."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import boto3
import httpx
import jwt
import pytest

from tests.e2e.callers import Customer, Entry, Operator
from tests.e2e.processes import Service
from tests.support.passes import PASS_SECONDS, Issuer, changed
from tests.support.plain_http import plain_client
from tests.unit.tools.fakes import FakeFunction
from tools.local.http_message import HttpRequest
from tools.local.jwt_authorizer import JwtAuthorizer, guarded_routes
from tools.local.jwt_issuer import read_keys
from tools.local.kms import KEY_ARN, PATH
from tools.local.local_gateway import LocalGateway
from tools.local.routes import Routes
from tools.local.table import read_template
from waitlist_api.auth.passes import KmsKeys, Passes

DISCOVERY = "/.well-known/openid-configuration"


@dataclass(frozen=True)
class Shown:
    """A valid admission pass, and passes that a site must refuse."""

    waitlist_id: str
    entry_id: str
    accepted: str
    refused: dict[str, str]


@pytest.fixture
def shown(service: Service, http: httpx.Client, operator: Operator) -> Shown:
    entry, accepted = enter_place(http, operator)
    elsewhere = Operator(http, operator.auth, f"{operator.waitlist_id}-2")
    # Waiting for a pass to expire would take a minute, so the test signs a pass that has already
    # expired.
    issuer = Issuer(Passes(KmsKeys((KEY_ARN,), lambda: create_kms_client(service))), service.url)
    return Shown(
        operator.waitlist_id,
        entry.entry_id,
        accepted,
        {
            "expired": issuer.issue(operator.waitlist_id, PASS_SECONDS + 60),
            "of another list": enter_place(http, elsewhere)[1],
            "changed": changed(accepted),
            "of another issuer": issuer.other().issue(operator.waitlist_id),
        },
    )


def enter_place(http: httpx.Client, operator: Operator) -> tuple[Entry, str]:
    policy = {"name": "Place", "admission": {"max_inside": 1}}
    assert operator.put(policy).status_code in (200, 201)
    customer = Customer(http, operator.waitlist_id)
    entry = customer.joined("ada")
    assert customer.get_pass(entry).json()["code"] == "not_inside"
    customer.position(entry)
    assert customer.poll(entry).json()["status"] == "offered"
    admission = customer.enter(entry).json()
    assert customer.get_pass(entry).json() == admission
    return entry, admission["pass"]


def create_kms_client(service: Service) -> Any:
    return boto3.client(
        "kms",
        endpoint_url=service.url + PATH,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


def test_the_discovery_document_names_the_issuer_and_its_keys(
    service: Service, http: httpx.Client
) -> None:
    found = http.get(DISCOVERY)
    assert found.headers["cache-control"] == "public, max-age=300"
    assert found.json()["issuer"] == service.url
    keys = http.get(found.json()["jwks_uri"])
    assert (keys.status_code, keys.headers["cache-control"]) == (200, "public, max-age=300")
    (key,) = keys.json()["keys"]
    assert set(key) == {"kty", "use", "alg", "kid", "n", "e"}


def test_a_jwt_authorizer_accepts_only_passes_of_its_waitlist(
    service: Service, shown: Shown
) -> None:
    """A site can protect its API with a JWT authorizer, which accepts only passes from the site's
    own waitlist (promise P5).
    """
    place, template = FakeFunction(lambda _: {"statusCode": 200}), read_template()
    keys, guarded = read_keys(service.url + DISCOVERY), guarded_routes(template)
    gateway = LocalGateway(
        place,
        {},
        Routes.from_template(template),
        utc_now=lambda: datetime.now(UTC),
        jwt_authorizer=JwtAuthorizer(service.url, (shown.waitlist_id,), keys, guarded),
    )

    def status(token: str) -> int:
        headers = (("authorization", f"Bearer {token}"),)
        return gateway(HttpRequest("GET", "/v1/waitlists/place/entries/me", headers)).status

    assert status(shown.accepted) == 200
    (event,) = place.events
    assert event["requestContext"]["authorizer"]["jwt"]["claims"]["sub"] == shown.entry_id
    for name, token in shown.refused.items():
        assert status(token) == 401, name
    assert len(place.events) == 1


def test_a_jwt_library_accepts_only_passes_of_its_waitlist(service: Service, shown: Shown) -> None:
    """P5"""
    with plain_client(service.url) as http:
        keys = jwt.PyJWKClient(http.get(DISCOVERY).json()["jwks_uri"])

    def read(token: str) -> Any:
        key = keys.get_signing_key_from_jwt(token)
        return jwt.decode(token, key, ["RS256"], audience=shown.waitlist_id, issuer=service.url)

    assert read(shown.accepted)["sub"] == shown.entry_id
    expected = {
        "expired": jwt.ExpiredSignatureError,
        "of another list": jwt.InvalidAudienceError,
        "changed": jwt.InvalidSignatureError,
        "of another issuer": jwt.PyJWKClientError,
    }
    for name, token in shown.refused.items():
        with pytest.raises(expected[name]):
            read(token)
