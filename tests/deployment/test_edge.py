"""Tests which responses CloudFront caches and for how long, and which request headers it passes to
the API.
"""

import re
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import all_routes
from tools.deploy.stack import make
from waitlist_api.http.edge import HEADER
from waitlist_api.http.routes import passes, screen, waitlists

EDGE = {"Edge": "on"}
DOMAIN = {
    "EdgeDomain": "queue.example.com",
    "EdgeCertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d",
}
# The routes whose responses are the same for every caller. Each response says how long caches may
# keep it.
SAME_FOR_ALL = {
    "GET /v1/waitlists/{waitlist_id}",
    "GET /v1/waitlists/{waitlist_id}/board",
    "GET /v1/waitlists/{waitlist_id}/screen",
    "GET /.well-known/openid-configuration",
    "GET /.well-known/jwks.json",
}
CACHES_NOTHING = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
PASSES_ALL_BUT_HOST = "b689b0a8-53d0-40ab-baf2-68738e2966ac"
PASSES_ORIGIN = "88a5eaf4-2fd4-4709-b370-b4c650ea3fcf"


def make_distribution(parameters: dict[str, str] = EDGE) -> dict[str, Any]:
    stack = deployed(parameters)
    config: dict[str, Any] = stack["Distribution"]["Properties"]["DistributionConfig"]
    return config


def find_behaviour(route: str) -> dict[str, Any]:
    """CloudFront uses the first cache behavior whose path pattern matches."""
    config = make_distribution()
    path = re.sub(r"\{\w+\}", "bakery", route.split()[1])
    fitting = (one for one in config["CacheBehaviors"] if fnmatchcase(path, one["PathPattern"]))
    return next(fitting, config["DefaultCacheBehavior"])


@pytest.mark.parametrize("route", sorted(all_routes()))
def test_only_responses_that_are_equal_for_all_callers_are_cached(route: str) -> None:
    """CloudFront caches only responses that are the same for every caller, because callers'
    credentials are not part of the cache key (promise P5).
    """
    found = find_behaviour(route)
    is_cached = found["CachePolicyId"] != CACHES_NOTHING
    asked = route.replace("HEAD ", "GET ")
    assert is_cached == (asked in SAME_FOR_ALL or asked.startswith(("GET /w/", "GET /assets/")))
    assert route.split()[0] in found["AllowedMethods"]


def test_an_entry_named_like_the_board_is_not_cached() -> None:
    for path in ("entries/board", "entries/screen", "entries/me", "entries"):
        route = f"GET /v1/waitlists/bakery/{path}"
        assert find_behaviour(route)["CachePolicyId"] == CACHES_NOTHING


def list_behaviours(*, cached: bool) -> list[dict[str, Any]]:
    config = make_distribution()
    every = [config["DefaultCacheBehavior"], *config["CacheBehaviors"]]
    return [one for one in every if (one["CachePolicyId"] != CACHES_NOTHING) == cached]


def test_tokens_and_queries_reach_the_api() -> None:
    for one in list_behaviours(cached=False):
        assert one["OriginRequestPolicyId"] == PASSES_ALL_BUT_HOST
        assert one["ViewerProtocolPolicy"] == "https-only"


def test_a_cached_response_depends_only_on_its_cache_key() -> None:
    """A cached response depends only on the path and the `Origin` header, which are both part of
    the cache key.

    CloudFront passes no query, no cookies and no other headers to the API (promise P5).
    """
    for one in list_behaviours(cached=True):
        assert one["OriginRequestPolicyId"] == PASSES_ORIGIN
        assert one["ViewerProtocolPolicy"] == "https-only"


def test_a_function_normalizes_the_paths_of_cached_requests() -> None:
    """tests/browser/test_edge_key.py tests what the CloudFront function does."""
    for one in list_behaviours(cached=True):
        (association,) = one["FunctionAssociations"]
        assert association["EventType"] == "viewer-request"
        assert association["FunctionARN"] == {"Fn::GetAtt": ["EdgeKey", "FunctionARN"]}
    assert all("FunctionAssociations" not in one for one in list_behaviours(cached=False))


def test_a_query_does_not_bypass_the_cache() -> None:
    policy = deployed(EDGE)["EdgeCachePolicy"]["Properties"]["CachePolicyConfig"]
    key = policy["ParametersInCacheKeyAndForwardedToOrigin"]
    assert key["QueryStringsConfig"] == {"QueryStringBehavior": "none"}
    assert key["CookiesConfig"] == {"CookieBehavior": "none"}
    assert (policy["MinTTL"], policy["DefaultTTL"]) == (0, 0)


def test_no_error_is_cached() -> None:
    """By default, CloudFront would cache a 404 for ten seconds and send it to other callers
    (promise P5).
    """
    errors = make_distribution()["CustomErrorResponses"]
    assert {one["ErrorCode"] for one in errors} >= {403, 404, 500, 502, 503, 504}
    assert {one["ErrorCachingMinTTL"] for one in errors} == {0}


def test_the_routes_say_how_long_their_responses_are_valid() -> None:
    for said in (passes.CACHE_CONTROL, waitlists.BOARD_CACHE, screen.SCREEN_CACHE):
        assert re.match(r"public, max-age=\d+", said)


def test_a_domain_has_its_certificate() -> None:
    config = make_distribution(EDGE | DOMAIN)
    assert config["Aliases"] == [{"Ref": "EdgeDomain"}]
    assert config["ViewerCertificate"]["MinimumProtocolVersion"] == "TLSv1.2_2021"
    assert make_distribution()["ViewerCertificate"] == {"CloudFrontDefaultCertificate": True}


@pytest.mark.parametrize(
    ("parameters", "address"),
    [
        (EDGE, "https://d111111abcdef8.cloudfront.net"),
        (EDGE | DOMAIN, "https://queue.example.com"),
    ],
)
def test_the_stage_contains_the_address_that_customers_call(
    parameters: dict[str, str], address: str
) -> None:
    stack = make(parameters)
    stage = stack.resources["ApiApiGatewayDefaultStage"]["Properties"]
    assert stage["StageVariables"]["edge_url"] == address
    assert stack.outputs["PassIssuerUrl"] == stack.outputs["EdgeUrl"] == address


ROTATION = {
    "blue": (["Blue"], "Blue"),
    "blue+green": (["Blue", "Green"], "Blue"),
    "green+blue": (["Blue", "Green"], "Green"),
    "green": (["Green"], "Green"),
}


@pytest.mark.parametrize("edge_only", ["on", "off"])
@pytest.mark.parametrize("keys", ROTATION)
def test_the_edge_always_sends_a_secret_that_aws_generated(edge_only: str, keys: str) -> None:
    """With each request, CloudFront sends a key that AWS generated and that no environment variable
    contains, so an operator can make the API require the key at any time (promise P5).
    """
    stack = make(EDGE | {"EdgeOnly": edge_only, "EdgeKeys": keys})
    accepted, sent = ROTATION[keys]
    arn_of = {colour: stack.attribute(f"{colour}EdgeSecret", "Name") for colour in accepted}
    config = stack.resources["Distribution"]["Properties"]["DistributionConfig"]
    (header,) = config["Origins"][0]["OriginCustomHeaders"]
    assert header["HeaderName"].lower() == HEADER
    assert header["HeaderValue"] == f"{{{{resolve:secretsmanager:{arn_of[sent]}:SecretString}}}}"
    variables = stack.resources["PublicFn"]["Properties"]["Environment"]["Variables"]
    asked = ",".join(arn_of.values()) if edge_only == "on" else ""
    assert variables["EDGE_KEY_ARNS"] == asked


def test_a_rotation_never_sends_a_secret_before_the_api_accepts_it() -> None:
    """While an operator replaces the secret key that CloudFront sends to the API, the API always
    accepts the key that CloudFront is sending.
    """
    steps = [*ROTATION, "green+blue", "blue+green", "blue"]
    for before, after in pairwise(steps):
        assert ROTATION[before][1] in ROTATION[after][0]
        assert ROTATION[after][1] in ROTATION[after][0]


def test_a_pass_issuer_of_the_operator_is_published_instead() -> None:
    own = "https://issuer.example.com"
    assert make(EDGE | {"PassIssuer": own}).outputs["PassIssuerUrl"] == own


def test_a_stack_without_an_edge_has_no_edge_resources() -> None:
    assert "StageVariables" not in deployed()["ApiApiGatewayDefaultStage"]["Properties"]
    assert not {
        "Distribution",
        "BlueEdgeSecret",
        "EdgeCachePolicy",
        "EdgeKey",
        "EdgeErrorsAlarm",
    } & set(deployed())
