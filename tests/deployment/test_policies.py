"""Tests that each example policy in docs/operate/policies allows exactly the routes that it
names.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.deployment.template import all_routes, as_list
from tools.deploy.iam import Call, is_allowed, rules
from waitlist_cli.operations.action import Request
from waitlist_cli.operations.every_action import REQUESTS

ROOT = Path(__file__).resolve().parents[2]
POLICIES = ROOT / "docs" / "operate" / "policies"
API = "arn:aws:execute-api:REGION:ACCOUNT_ID:API_ID/$default"
ROUTES = all_routes()
ADMIN = {route for route, authorizer in ROUTES.items() if authorizer == "AWS_IAM"}
# The response fields that contain an entry token or a link with an entry token.
SECRETS = {"entry_token", "link", "url"}
READS = {route for route in ADMIN if route.startswith(("GET ", "HEAD "))}
REPLAY = "POST /v1/admin/webhook/replay"
REQUESTS_OF_ROUTES: dict[str, list[Request]] = {}
for request in REQUESTS:
    route = f"{request.method} /v1/admin/waitlists{request.path}"
    REQUESTS_OF_ROUTES.setdefault(route, []).append(request)
BUMP = "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/bump"


def read_statements(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((POLICIES / name).read_text())["Statement"]
    return found


def find_allowed_routes(name: str, waitlist_id: str = "WAITLIST_ID") -> set[str]:
    document = json.loads((POLICIES / name).read_text())
    own = list(rules("operator", name, document))
    return {
        route
        for route in ROUTES
        if is_allowed(Call("execute-api:Invoke", arn_of(route, waitlist_id)), own)
    }


def arn_of(route: str, waitlist_id: str) -> str:
    method, path = route.split(" ")
    values = {"waitlist_id": waitlist_id, "entry_id": "a" * 26, "edition": "1", "file": "page.js"}
    values |= {"code": "a" * 76, "invitation_id": "a" * 16, "view": "kiosk"}
    return f"{API}/{method}{path.format(**values)}"


def test_an_operator_may_call_exactly_the_operator_routes() -> None:
    """P5"""
    assert find_allowed_routes("operator.json") == ADMIN


def test_each_route_that_changes_something_belongs_to_a_request_of_the_command_line() -> None:
    assert set(REQUESTS_OF_ROUTES) == ADMIN - READS - {REPLAY}


def test_the_team_on_duty_may_do_exactly_the_daily_tasks() -> None:
    """The example policy for the team on duty allows exactly the actions that the command line and
    the console mark as daily tasks (promise P5).
    """
    daily = {
        route
        for route, requests in REQUESTS_OF_ROUTES.items()
        if all(request.is_daily for request in requests)
    }
    assert find_allowed_routes("limited-operator.json") == {*daily, *READS, REPLAY}
    assert not [route for route in daily if route.startswith("DELETE ")]


def test_a_limited_operator_may_not_call_routes_that_return_a_secret_of_a_customer() -> None:
    document = json.loads((ROOT / "docs/openapi/guests.json").read_text())
    schemas = document["components"]["schemas"]
    secret = {name for name, one in schemas.items() if SECRETS & set(one.get("properties", ()))}
    # A schema that refers to a secret schema is itself secret.
    secret |= {name for name, one in schemas.items() if any(_refers(one, to) for to in secret)}
    answering = {
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if any(_refers(operation["responses"], name) for name in secret)
    }
    assert "POST /v1/admin/waitlists/{waitlist_id}/import/tokens" in answering
    assert answering & find_allowed_routes("limited-operator.json") == set()


def _refers(schema: Any, name: str) -> bool:
    return f'"#/components/schemas/{name}"' in json.dumps(schema)


def test_a_limited_operator_stays_limited_with_a_second_policy() -> None:
    names = ("operator.json", "limited-operator.json")
    documents = {name: json.loads((POLICIES / name).read_text()) for name in names}
    both = [rule for name in names for rule in rules("operator", name, documents[name])]
    for route in ADMIN - find_allowed_routes("limited-operator.json"):
        assert not is_allowed(Call("execute-api:Invoke", arn_of(route, "WAITLIST_ID")), both)


def test_a_read_only_operator_may_read_every_route_and_change_nothing() -> None:
    """P5"""
    assert find_allowed_routes("read-only.json") == {
        *READS,
        "POST /v1/admin/waitlists/{waitlist_id}/preview",
    }


def test_a_bump_only_backend_may_only_bump_in_its_waitlist() -> None:
    """P5"""
    assert find_allowed_routes("bump-only.json") == {BUMP}
    assert find_allowed_routes("bump-only.json", waitlist_id="another") == set()


# The policy that allows calls to AWS services other than API Gateway.
# tests/unit/tools/test_preflight.py checks it.
OF_AWS = {"preflight.json"}
EVERY = {path.name for path in POLICIES.glob("*.json")}


@pytest.mark.parametrize("name", sorted(EVERY - OF_AWS))
def test_a_policy_only_allows_calls_of_a_single_api(name: str) -> None:
    for statement in read_statements(name):
        assert statement["Action"] == "execute-api:Invoke"
        for resource in as_list(statement["Resource"]):
            assert resource.startswith(f"{API}/"), resource
