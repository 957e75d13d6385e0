"""How often each route may be called, in the stage as CloudFormation makes it."""

from pathlib import Path
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import TEMPLATE, UNSUBSCRIBE, VIEWS, all_routes
from tests.support.flood import ENTRY, FLOOD, LIST, table_units
from tools.deploy.samconfig import Settings

ROOT = Path(__file__).resolve().parents[2]
# Write units a second of one table, before AWS is asked for more.
TABLE_QUOTA = 40_000
RELEASED = Path(__file__).parent / "released_route_settings.txt"
GROUPS = {
    # What each customer does once in a stay.
    "Signup": {
        f"POST {LIST}/entries",
        f"POST {LIST}/verify",
        f"POST {ENTRY}/enter",
        f"GET {ENTRY}/pass",
        f"POST {ENTRY}/exit",
    },
    "Change": {
        f"DELETE {ENTRY}",
        f"PATCH {ENTRY}",
        *(f"POST {ENTRY}/{verb}" for verb in ("decline", "rest", "resume", "confirm")),
        f"POST {LIST}/links",
        f"POST {UNSUBSCRIBE}",
        *(f"GET /.well-known/{name}" for name in ("openid-configuration", "jwks.json")),
    },
    "Look": {
        f"GET {ENTRY}",
        f"GET {LIST}",
        f"GET {LIST}/board",
        *VIEWS,
        # Link previews and programs that scan mails send these.
        "HEAD /w/{waitlist_id}",
        *(f"{method} {UNSUBSCRIBE}" for method in ("GET", "HEAD")),
    },
}


# Each has a limit of 20 a second.
HEADS = {
    route
    for route, authorizer in all_routes().items()
    if route.startswith("HEAD ") and authorizer is None
} - GROUPS["Look"]


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
    rates = {name: default(f"{name}RateLimit") for name in ("Change", "Signup", "Api", "Look")}
    assert rates["Change"] < rates["Signup"] <= rates["Api"] < rates["Look"]
    assert rates["Look"] >= 500
    for name, rate in rates.items():
        assert default(f"{name}BurstLimit") >= rate
        assert TEMPLATE["Parameters"][f"{name}RateLimit"]["MinValue"] >= 1


def test_each_route_of_customers_has_a_limit_of_its_own() -> None:
    """A new route would have that of operators, which is higher than a table bears."""
    of_customers = {route for route, one in all_routes().items() if one is None}
    assert of_customers == set().union(*GROUPS.values()) | HEADS | {"GET /v1/health"}
    reads = ("GET ", "HEAD ")
    writes = {route for route in of_customers if not route.startswith(reads)}
    assert writes | {f"GET {ENTRY}/pass"} == set(FLOOD)
    assert set(FLOOD) <= GROUPS["Signup"] | GROUPS["Change"]


@pytest.mark.parametrize("section", ["default", "prod"])
def test_the_requests_of_all_customers_together_stay_below_the_tables_limit(section: str) -> None:
    """P9: with the dearest data, their offers, webhooks and messages; operators have what is left.

    The rule of docs/operate/exposure.md gives the numbers of both sections.
    """
    given = Settings.read(section, ROOT / "samconfig.toml").parameters
    values = {name: one.get("Default") for name, one in TEMPLATE["Parameters"].items()} | given
    signups, changes = (int(values[f"{name}RateLimit"]) for name in ("Signup", "Change"))
    most = int(values["MaxWriteUnitsPerSecond"])
    assert (changes, most) == (signups // 5, 110 * signups)
    assert most <= TABLE_QUOTA
    rates = {route: signups if route in GROUPS["Signup"] else changes for route in FLOOD}
    assert table_units(rates) <= 0.95 * most


def default(parameter: str) -> int:
    return int(TEMPLATE["Parameters"][parameter]["Default"])
