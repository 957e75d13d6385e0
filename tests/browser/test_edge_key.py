"""Runs the CloudFront function's code in Node.js.

CloudFront runs this function before it looks for a cached response.
"""

import json
import subprocess
from functools import cache
from typing import Any

import pytest

from tools.deploy.stack import make

APP = "https://app.example.com"
SHOP = "https://shop.example.com:8443"
KNOWN = f"{APP},{SHOP}"
EVIL = "https://evil.example.com"


@cache
def read_function_code(cors_origins: str) -> str:
    stack = make({"Edge": "on", "CorsOrigins": cors_origins})
    return str(stack.resources["EdgeKey"]["Properties"]["FunctionCode"])


def run_function(path: str, origin: str | None = None, cors_origins: str = "") -> dict[str, Any]:
    """If the function returns a request, CloudFront looks for a cached response. If it returns a
    response, CloudFront sends that response immediately.
    """
    headers = {"accept": {"value": "*/*"}} | ({"origin": {"value": origin}} if origin else {})
    request = {"method": "GET", "uri": path, "querystring": {}, "headers": headers, "cookies": {}}
    code = read_function_code(cors_origins)
    call = f"{code}\nconsole.log(JSON.stringify(handler({{request: JSON.parse(A)}})));"
    program = f"const A = {json.dumps(json.dumps(request))};\n{call}"
    done = subprocess.run(["node"], input=program, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    "path",
    [
        "/v1/waitlists/bakery",
        "/v1/waitlists/bakery-2/board",
        "/w/bakery",
        "/assets/0123456789abcdef/waitlist-position.js",
        "/assets/latest/en.json",
        "/.well-known/openid-configuration",
        "/.well-known/jwks.json",
    ],
)
def test_the_paths_of_cached_routes_are_not_changed(path: str) -> None:
    found = run_function(path)
    assert (found["uri"], found["headers"]) == (path, {"accept": {"value": "*/*"}})


@pytest.mark.parametrize(
    "path",
    [
        "/v1/waitlists/%62akery",
        "/v1/waitlists/b%61kery/board",
        "/v1/waitlists/bakery/",
        "/v1/waitlists//bakery",
        "//v1/waitlists/bakery",
        "/v1/./waitlists/bakery",
        "/w/../w/bakery",
        "/w/bakery;a=1",
        "/w/bakery:1",
        "/w/b\u00e4ckerei",
        "/w/bakery\n",
        "/",
    ],
)
def test_another_spelling_of_a_path_is_refused_before_the_cache(path: str) -> None:
    """The CloudFront function rejects unusual spellings of a path, such as a path with two slashes,
    because each spelling would take up its own cache entry (promise P5).
    """
    found = run_function(path, APP, KNOWN)
    assert (found["statusCode"], json.loads(found["body"])["code"]) == (404, "not_found")
    assert found["headers"]["cache-control"] == {"value": "no-store"}


@pytest.mark.parametrize("origin", [APP, SHOP])
def test_each_origin_in_cors_origins_has_its_own_cache_entry(origin: str) -> None:
    assert run_function("/w/bakery", origin, KNOWN)["headers"]["origin"] == {"value": origin}


@pytest.mark.parametrize("origin", [EVIL, f"{APP}.evil.example.com", "null", APP.upper(), KNOWN])
@pytest.mark.parametrize("cors_origins", [KNOWN, ""], ids=["some origins", "none"])
def test_other_origins_share_the_cache_entry_without_an_origin(
    origin: str, cors_origins: str
) -> None:
    """All requests from unknown origins share one cache entry, so an attacker cannot fill the cache
    by inventing origins (promise P5).
    """
    assert "origin" not in run_function("/w/bakery", origin, cors_origins)["headers"]


def test_all_origins_share_a_cache_entry_if_every_origin_is_allowed() -> None:
    one, other = (
        run_function("/w/bakery", origin, "*")["headers"]["origin"] for origin in (APP, EVIL)
    )
    assert one == other
    assert "origin" not in run_function("/w/bakery", None, "*")["headers"]
