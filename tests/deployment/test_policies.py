"""The example policies of docs/policies open the routes that they are said to, and no others."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.deployment.template import as_list, route_authorizers

POLICIES = Path(__file__).resolve().parents[2] / "docs" / "policies"
API = "arn:aws:execute-api:REGION:ACCOUNT_ID:API_ID/$default"
ROUTES = route_authorizers()
BUMP = "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/bump"


def statements(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((POLICIES / name).read_text())["Statement"]
    return found


def opened(name: str, waitlist_id: str = "WAITLIST_ID") -> set[str]:
    """Return the routes that a policy allows in one waitlist."""
    patterns = [
        ".*".join(map(re.escape, resource.split("*")))
        for statement in statements(name)
        for resource in as_list(statement["Resource"])
    ]
    return {
        route
        for route in ROUTES
        for arn in [arn_of(route, waitlist_id)]
        if any(re.fullmatch(pattern, arn) for pattern in patterns)
    }


def arn_of(route: str, waitlist_id: str) -> str:
    """Return what IAM is asked about when a route is called."""
    method, path = route.split(" ")
    values = {"waitlist_id": waitlist_id, "entry_id": "a" * 26, "edition": "1", "file": "page.js"}
    return f"{API}/{method}{path.format(**values)}"


def test_an_operator_may_call_every_operators_route_and_no_other() -> None:
    """P5"""
    admin = {route for route, authorizer in ROUTES.items() if authorizer == "AWS_IAM"}
    assert opened("operator.json") == admin


def test_a_backend_that_bumps_may_bump_in_its_waitlist_and_do_nothing_else() -> None:
    """P5"""
    assert opened("bump-only.json") == {BUMP}
    assert opened("bump-only.json", waitlist_id="another") == set()


# Its calls are AWS' own, and tests/unit/tools/test_preflight.py holds it against them.
OF_AWS = {"preflight.json"}
EVERY = {path.name for path in POLICIES.glob("*.json")}


@pytest.mark.parametrize("name", sorted(EVERY))
def test_a_policy_is_explained(name: str) -> None:
    assert name in (POLICIES / "README.md").read_text()


@pytest.mark.parametrize("name", sorted(EVERY - OF_AWS))
def test_a_policy_allows_calls_of_one_api_alone(name: str) -> None:
    for statement in statements(name):
        assert (statement["Effect"], statement["Action"]) == ("Allow", "execute-api:Invoke")
        for resource in as_list(statement["Resource"]):
            assert resource.startswith(f"{API}/"), resource
