"""How often each route may be called, in the stage as CloudFormation makes it."""

from pathlib import Path
from typing import Any

from tests.deployment.deployed import deployed
from tests.deployment.template import TEMPLATE, UNSUBSCRIBE, VIEWS, all_routes

RELEASED = Path(__file__).parent / "released_route_settings.txt"
LIST = "/v1/waitlists/{waitlist_id}"
GROUPS = {
    "Signup": {f"POST {LIST}/entries", f"DELETE {LIST}/entries/{{entry_id}}"},
    "Look": {
        f"GET {LIST}/entries/{{entry_id}}",
        f"GET {LIST}",
        *VIEWS,
    },
}


# Link previews, and programs that scan mails, send the others.
HEADS = {
    route
    for route, authorizer in all_routes().items()
    if route.startswith("HEAD ") and authorizer is None
} - {"HEAD /w/{waitlist_id}", f"HEAD {UNSUBSCRIBE}"}


def stage() -> Any:
    return deployed()["ApiApiGatewayDefaultStage"]["Properties"]


def limits(group: str) -> dict[str, Any]:
    return {
        "ThrottlingRateLimit": {"Ref": f"{group}RateLimit"},
        "ThrottlingBurstLimit": {"Ref": f"{group}BurstLimit"},
    }


def test_each_group_of_customers_calls_has_its_limit_and_all_others_one() -> None:
    """P9: a rush of customers takes nothing from operators."""
    expected: dict[str, Any] = {
        route: limits(group) for group, routes in GROUPS.items() for route in routes
    }
    for route in ("GET /v1/health", *HEADS):
        expected[route] = {"ThrottlingRateLimit": 20, "ThrottlingBurstLimit": 40}
    assert stage()["RouteSettings"] == expected
    assert stage()["DefaultRouteSettings"] == limits("Api")


def test_every_limit_is_of_a_route_that_exists() -> None:
    """API Gateway refuses a stage that names another."""
    assert set(stage()["RouteSettings"]) <= set(all_routes())


def test_a_released_route_with_a_limit_of_its_own_still_exists() -> None:
    """API Gateway refuses a stage whose settings name a route that the same release takes away.

    The file has the keys of the last release, and new ones; a key leaves it one release after it
    has left the stage (docs/operate/upgrade.md).
    """
    released = set(RELEASED.read_text(encoding="utf-8").splitlines())
    assert released - set(all_routes()) == set()
    assert set(stage()["RouteSettings"]) - released == set()


def test_the_limits_are_ordered_as_calls_are_frequent() -> None:
    """The limit of polls suffices for 100,000 customers who follow `poll_after_seconds`."""
    rates = {name: default(f"{name}RateLimit") for name in ("Signup", "Api", "Look")}
    assert rates["Signup"] <= rates["Api"] < rates["Look"]
    assert rates["Look"] >= 500
    for name, rate in rates.items():
        assert default(f"{name}BurstLimit") >= rate
        assert TEMPLATE["Parameters"][f"{name}RateLimit"]["MinValue"] >= 1


def default(parameter: str) -> int:
    return int(TEMPLATE["Parameters"][parameter]["Default"])
