"""The discovery document and the keys of passes over HTTP, and outages of KMS."""

import jwt
import pytest
from aws_lambda_powertools import Logger
from botocore.exceptions import EndpointConnectionError
from msgspec.structs import replace

from tests.service.api.refusing import refused
from tests.support.gateway import Answer
from tests.support.passes import ENTRY_ID, WAITLIST_ID, Issuer
from tests.support.people import People
from tests.unit.test_passes import failing, refusal
from tools.local.kms import KEY_ARN
from waitlist_api.auth.passes import DISCOVERY_PATH, KEYS_PATH, KmsKeys, Passes
from waitlist_api.http.api import Api

URL = "https://api.example.com"


def get(people: People, path: str, **headers: str) -> Answer:
    return people.world.request("GET", path, headers=headers)


def test_the_issuer_is_the_api_whatever_the_headers_of_the_request_say(people: People) -> None:
    """P5"""
    foreign = {"host": "evil.example.com", "x-forwarded-host": "evil.example.com"}
    answer = get(people, DISCOVERY_PATH, **foreign)
    assert (answer.status, answer.headers["cache-control"]) == (200, "public, max-age=300")
    assert answer.json["issuer"] == URL
    assert answer.json["jwks_uri"] == URL + KEYS_PATH


def test_the_published_keys_verify_passes(people: People) -> None:
    answer = get(people, KEYS_PATH)
    assert (answer.status, answer.headers["cache-control"]) == (200, "public, max-age=300")
    token = Issuer(people.world.services.passes, URL).issue()
    key = jwt.PyJWKSet.from_dict(answer.json)[jwt.get_unverified_header(token)["kid"]]
    found = jwt.decode(token, key, ["RS256"], audience=WAITLIST_ID, issuer=URL)
    assert found["sub"] == ENTRY_ID


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (EndpointConnectionError(endpoint_url=URL), 503, "keys_unavailable"),
        (refusal("ThrottlingException", 400), 429, "throttled"),
        (refusal("AccessDeniedException", 400), 500, "internal_error"),
    ],
)
def test_an_outage_of_kms_says_when_to_come_again(
    people: People, failure: Exception, status: int, code: str
) -> None:
    passes = Passes(KmsKeys((KEY_ARN,), failing(failure)))
    services = replace(people.world.services, passes=passes)
    people.world.api = Api(services, None, Logger(service="test", level="CRITICAL"))
    refused(get(people, KEYS_PATH), status, code)
    assert get(people, DISCOVERY_PATH).status == 200
