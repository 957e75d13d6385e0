"""The example policies in docs/operate/policies allow the routes that they name, and no others."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.deployment.template import all_routes, as_list
from tools.deploy.iam import Call, is_allowed, rules

ROOT = Path(__file__).resolve().parents[2]
POLICIES = ROOT / "docs" / "operate" / "policies"
API = "arn:aws:execute-api:REGION:ACCOUNT_ID:API_ID/$default"
ROUTES = all_routes()
ADMIN = {route for route, authorizer in ROUTES.items() if authorizer == "AWS_IAM"}
# Fields of responses that contain the entry token, or a link with the entry token.
SECRETS = {"entry_token", "link", "url"}
BUMP = "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/bump"


def read_statements(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((POLICIES / name).read_text())["Statement"]
    return found


def find_allowed_routes(name: str, waitlist_id: str = "WAITLIST_ID") -> set[str]:
    """Return the routes that a policy allows in one waitlist."""
    document = json.loads((POLICIES / name).read_text())
    own = list(rules("operator", name, document))
    return {
        route
        for route in ROUTES
        if is_allowed(Call("execute-api:Invoke", arn_of(route, waitlist_id)), own)
    }


def arn_of(route: str, waitlist_id: str) -> str:
    """Return the ARN on which IAM decides when a route is called."""
    method, path = route.split(" ")
    values = {"waitlist_id": waitlist_id, "entry_id": "a" * 26, "edition": "1", "file": "page.js"}
    values["code"] = "a" * 76
    return f"{API}/{method}{path.format(**values)}"


def test_an_operator_may_call_exactly_the_operator_routes() -> None:
    """P5"""
    assert find_allowed_routes("operator.json") == ADMIN


def test_a_limited_operator_may_not_delete_or_erase_or_see_tokens() -> None:
    """P5"""
    assert ADMIN - find_allowed_routes("limited-operator.json") == {
        "DELETE /v1/admin/waitlists/{waitlist_id}",
        "DELETE /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}",
        "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/link",
        "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/token",
        "POST /v1/admin/waitlists/{waitlist_id}/import/tokens",
        "POST /v1/admin/waitlists/{waitlist_id}/messages/test",
    }
    assert find_allowed_routes("limited-operator.json") <= ADMIN


def test_the_team_on_duty_may_do_all_daily_tasks() -> None:
    """Secrets in a response must not be a reason to forbid a daily task."""
    tasks = {
        "POST /v1/admin/waitlists/{waitlist_id}/import",
        "POST /v1/admin/waitlists/{waitlist_id}/claims",
        "POST /v1/admin/waitlists/{waitlist_id}/admit",
        *(
            f"POST /v1/admin/waitlists/{{waitlist_id}}/entries/{{entry_id}}/{verb}"
            for verb in ("admit", "bump", "exit", "ready", "reinstate", "remove", "unban", "verify")
        ),
    }
    assert tasks <= find_allowed_routes("limited-operator.json")


def test_a_limited_operator_may_not_call_routes_that_return_a_secret_of_a_customer() -> None:
    document = json.loads((ROOT / "docs/openapi/guests.json").read_text())
    schemas = document["components"]["schemas"]
    secret = {name for name, one in schemas.items() if SECRETS & set(one.get("properties", ()))}
    # Add the schemas that contain a schema with a secret.
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
    reads = {route for route in ADMIN if route.startswith(("GET ", "HEAD "))}
    assert find_allowed_routes("read-only.json") == {
        *reads,
        "POST /v1/admin/waitlists/{waitlist_id}/preview",
    }


def test_a_bump_only_backend_may_only_bump_in_its_waitlist() -> None:
    """P5"""
    assert find_allowed_routes("bump-only.json") == {BUMP}
    assert find_allowed_routes("bump-only.json", waitlist_id="another") == set()


# This policy allows calls of AWS services. tests/unit/tools/test_preflight.py compares it with the
# calls that are made.
OF_AWS = {"preflight.json"}
EVERY = {path.name for path in POLICIES.glob("*.json")}


@pytest.mark.parametrize("name", sorted(EVERY - OF_AWS))
def test_a_policy_only_allows_calls_of_a_single_api(name: str) -> None:
    for statement in read_statements(name):
        assert statement["Action"] == "execute-api:Invoke"
        for resource in as_list(statement["Resource"]):
            assert resource.startswith(f"{API}/"), resource
