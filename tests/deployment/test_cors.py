"""Tests that web pages from other origins can call the API only if a stack parameter lists their
origin.

By default, no origin is listed.
"""

import json
import re
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import TEMPLATE
from tests.rules.sources import ROOT

ORIGINS = {"CorsOrigins": "https://app.example.com"}
ISSUER = {"JwtIssuer": "https://issuer.example.com", "JwtAudience": "waitlist"}
EXTENSION = "x-amazon-apigateway-cors"
# The response headers that the Fetch standard lets any page read.
READ_BY_ANY_PAGE = {"cache-control", "content-type"}


def make_api(parameters: dict[str, str]) -> Any:
    return deployed(parameters)["Api"]["Properties"]["Body"]


def test_no_origin_is_allowed_by_default() -> None:
    """P5"""
    assert TEMPLATE["Parameters"]["CorsOrigins"]["Default"] == ""
    assert EXTENSION not in make_api({})
    assert "CorsConfiguration" not in deployed()["Api"]["Properties"]


def test_cors_allows_the_headers_of_pages_and_no_credentials() -> None:
    rules = make_api(ORIGINS)[EXTENSION]
    assert rules["allowOrigins"] == {"Fn::Split": [",", {"Ref": "CorsOrigins"}]}
    sent = {"authorization", "content-type", "idempotency-key", "x-correlation-id"}
    assert sent <= set(rules["allowHeaders"])
    # HEAD is left out, because browsers send HEAD requests without a preflight request.
    methods = {method.upper() for item in make_api({})["paths"].values() for method in item} - {
        "HEAD"
    }
    assert set(rules["allowMethods"]) == methods
    assert {"retry-after", "apigw-requestid", "x-correlation-id", "age", "via"} <= set(
        rules["exposeHeaders"]
    )
    assert "allowCredentials" not in rules


def test_pages_may_send_and_read_every_header_of_the_api_document() -> None:
    rules = make_api(ORIGINS)[EXTENSION]
    document = json.loads((ROOT / "docs/openapi/guests.json").read_text(encoding="utf-8"))
    operations = [operation for item in document["paths"].values() for operation in item.values()]
    sent = {
        parameter["name"].lower()
        for operation in operations
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "header"
    }
    read = {
        name.lower()
        for operation in operations
        for response in operation["responses"].values()
        for name in response.get("headers", {})
    }
    assert "x-correlation-id" in sent & read
    assert sent <= set(rules["allowHeaders"])
    assert read - READ_BY_ANY_PAGE <= set(rules["exposeHeaders"])


@pytest.mark.parametrize("parameters", [ORIGINS, ORIGINS | ISSUER], ids=["guests", "issuer"])
def test_no_authorizer_checks_a_preflight_request(parameters: dict[str, str]) -> None:
    """API Gateway itself answers preflight requests, because no route matches them. No authorizer
    is called.
    """
    assert EXTENSION in make_api(parameters)
    for path, item in make_api(parameters)["paths"].items():
        assert path.startswith(("/v1/", "/.well-known/", "/w/", "/assets/")), (
            "a default route would take preflights"
        )
        assert not {"options", "x-amazon-apigateway-any-method"} & set(item)


@pytest.mark.parametrize(
    ("origins", "is_good"),
    [
        ("", True),
        ("*", True),
        ("https://app.example.com", True),
        ("https://app.example.com,http://localhost:3000", True),
        # A quote in an origin would end the string literal in the CloudFront function's code.
        ("https://a'.example.com", False),
        ("app.example.com", False),
        ("https://app.example.com/", False),
        ("https://a.example.com, https://b.example.com", False),
    ],
)
def test_an_origin_must_have_the_form_that_browsers_send(origins: str, is_good: bool) -> None:
    pattern = TEMPLATE["Parameters"]["CorsOrigins"]["AllowedPattern"]
    assert bool(re.fullmatch(pattern, origins)) == is_good
