"""Tests the maximum size of a request body, which is 16 KB, or 2 MB for an import. Larger bodies
are refused before they are parsed (promise P9).
"""

import base64
import json
from typing import Any

import pytest
from aws_lambda_powertools import Logger

from tests.service.api.refusing import nothing_changes, refused, send_base64
from tests.support.people import People
from tests.support.routes import ROUTES, path_of
from tests.support.world import SECRET
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.http import json_body
from waitlist_api.http.api import Api
from waitlist_api.http.json_body import MAX_BODY_BYTES
from waitlist_api.http.schemas.imports import MAX_IMPORT_BYTES


def body_of(size: int, letter: str = "a") -> str:
    """Return a signup body of exactly `size` bytes.

    It is padded with spaces, which JSON allows.
    """
    body = json.dumps({"customer_id": "dan", "profile": {"name": letter}}, ensure_ascii=False)
    return body + " " * (size - len(body.encode()))


def fail(*_: object, **__: object) -> Any:
    raise AssertionError("it was read")


@pytest.mark.parametrize("letter", ["a", "ä", "☕"])
def test_a_body_of_the_limit_is_read(people: People, letter: str) -> None:
    body = body_of(MAX_BODY_BYTES, letter)
    assert len(body.encode()) == MAX_BODY_BYTES
    path = f"{people.path}/entries"
    assert people.world.request("POST", path, raw_body=body, key="k" * 16).status == 201
    encoded = base64.b64encode(body.encode()).decode()
    assert send_base64(people.world, path, encoded).code == "already_on_list"


@pytest.mark.parametrize("more", [1, 2, 3, 1_000_000])
@pytest.mark.parametrize("letter", ["a", "ä"])
def test_a_byte_more_is_refused_unread(
    people: People, monkeypatch: pytest.MonkeyPatch, more: int, letter: str
) -> None:
    """If API Gateway passes on a base64 body, the limit applies to the decoded bytes (promise
    P5).
    """
    body = body_of(MAX_BODY_BYTES + more, letter)
    encoded = base64.b64encode(body.encode()).decode()
    monkeypatch.setattr(json_body, "loads", fail)
    monkeypatch.setattr(base64, "b64decode", fail)
    logger = Logger(service="test", level="CRITICAL")
    people.world.api = Api(people.world.services.container, EntryTokens(SECRET), logger)
    path = f"{people.path}/entries"
    refused(people.world.request("POST", path, raw_body=body), 413, "too_large")
    refused(send_base64(people.world, path, encoded), 413, "too_large")


@pytest.mark.parametrize("route", ROUTES)
def test_every_route_refuses_a_body_that_is_too_large(stocked: People, route: str) -> None:
    """P5"""
    method, path = route.split()[0], path_of(route, stocked.id_of("ada"))
    limit = MAX_IMPORT_BYTES if "/import" in path else MAX_BODY_BYTES
    with nothing_changes(stocked.world):
        answer = stocked.world.request(
            method, path, raw_body="x" * (limit + 1), operator="/admin/" in path
        )
        refused(answer, 413, "too_large")


def test_a_large_body_of_any_type_is_refused_after_the_credentials(stocked: People) -> None:
    """P5"""
    body, text = "x" * (MAX_BODY_BYTES + 1), {"content-type": "text/plain"}
    answer = stocked.world.request("POST", f"{stocked.path}/entries", raw_body=body, headers=text)
    refused(answer, 413, "too_large")
    answer = stocked.world.request("PUT", stocked.admin_path, raw_body=body)
    refused(answer, 401, "unauthorized")
