"""Tests the keys that other servers use to check passes, including what happens when KMS, which
holds the keys, fails.
"""

import jwt
import pytest
from aws_lambda_powertools import Logger
from botocore.exceptions import EndpointConnectionError
from msgspec.structs import replace

from tests.service.api.conftest import new_list
from tests.service.api.refusing import refused
from tests.support.gateway import Answer
from tests.support.passes import ENTRY_ID, WAITLIST_ID, Issuer
from tests.support.people import People
from tests.support.world import SECRET
from tests.unit.test_passes import failing_client, refusal
from tools.local.kms import KEY_ARN
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.auth.passes import DISCOVERY_PATH, KEYS_PATH, KmsKeys, Passes
from waitlist_api.http.api import Api

URL = "https://api.example.com"
EDGE = "https://d111111abcdef8.cloudfront.net"


def get(people: People, path: str, **headers: str) -> Answer:
    return people.world.request("GET", path, headers=headers)


def test_the_issuer_is_the_api_whatever_the_headers_of_the_request_say(people: People) -> None:
    """P5"""
    foreign = {"host": "evil.example.com", "x-forwarded-host": "evil.example.com"}
    answer = get(people, DISCOVERY_PATH, **foreign)
    assert (answer.status, answer.headers["cache-control"]) == (200, "public, max-age=300")
    assert answer.json["issuer"] == URL
    assert answer.json["jwks_uri"] == URL + KEYS_PATH


@pytest.fixture
def inside() -> People:
    people = new_list(admission={"acceptance": "automatic", "max_inside": 1})
    people.all_sign_up("ada")
    # A poll starts a run of the admission policy.
    people.poll("ada")
    assert people.person("ada").json["status"] == "admitted"
    return people


def issuer_of_pass(people: People) -> str:
    answer = people.world.request(
        "GET", f"{people.entry('ada')}/pass", token=people.token_of("ada")
    )
    assert answer.status == 200, answer.text
    claims = jwt.decode(answer.json["pass"], options={"verify_signature": False})
    return str(claims["iss"])


def test_behind_cloudfront_no_response_contains_the_address_of_api_gateway(inside: People) -> None:
    """If the API is behind CloudFront, passes and the list of keys contain CloudFront's address and
    never API Gateway's (promise P5).
    """
    assert issuer_of_pass(inside) == URL
    inside.world.stage_variables = {"edge_url": EDGE}
    assert issuer_of_pass(inside) == EDGE
    answer = get(inside, DISCOVERY_PATH)
    assert answer.json["issuer"] == EDGE
    assert answer.json["jwks_uri"] == EDGE + KEYS_PATH
    assert URL not in answer.text


def test_the_issuer_of_the_operator_comes_before_the_edge(inside: People) -> None:
    own = "https://queue.example.com"
    passes = replace(inside.world.services.passes, issuer=own)
    services = inside.world.services.container.replaced({Passes: passes})
    logger = Logger(service="test", level="CRITICAL")
    inside.world.api = Api(services, EntryTokens(SECRET), logger)
    inside.world.stage_variables = {"edge_url": EDGE}
    assert issuer_of_pass(inside) == get(inside, DISCOVERY_PATH).json["issuer"] == own


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
    passes = Passes(KmsKeys((KEY_ARN,), failing_client(failure)))
    services = people.world.services.container.replaced({Passes: passes})
    people.world.api = Api(services, None, Logger(service="test", level="CRITICAL"))
    refused(get(people, KEYS_PATH), status, code)
    assert get(people, DISCOVERY_PATH).status == 200
