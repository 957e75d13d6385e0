"""The rate limit of each route, in the stage as CloudFormation creates it."""

from pathlib import Path
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import TEMPLATE, UNSUBSCRIBE, VIEWS, all_routes
from tests.support.flood import ENTRY, FLOOD, LIST, table_units
from tools.deploy.samconfig import Settings

ROOT = Path(__file__).resolve().parents[2]
# The quota of a table in write units per second. AWS can raise it on request.
TABLE_QUOTA = 40_000
RELEASED = Path(__file__).parent / "released_route_settings.txt"
GROUPS = {
    # Customers make these calls once in a stay.
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
        # Link previews and mail scanners send these requests.
        "HEAD /w/{waitlist_id}",
        *(f"{method} {UNSUBSCRIBE}" for method in ("GET", "HEAD")),
    },
}


# Each of these routes has a limit of 20 requests per second.
HEADS = {
    route
    for route, authorizer in all_routes().items()
    if route.startswith("HEAD ") and authorizer is None
} - GROUPS["Look"]


def make_stage() -> Any:
    return deployed()["ApiApiGatewayDefaultStage"]["Properties"]


def limits_of_group(group: str) -> dict[str, Any]:
    return {
        "ThrottlingRateLimit": {"Ref": f"{group}RateLimit"},
        "ThrottlingBurstLimit": {"Ref": f"{group}BurstLimit"},
    }


def test_each_group_of_customer_routes_has_its_own_limit() -> None:
    """P9: a rush of customers does not take capacity from operators, whose routes share another
    limit.
    """
    expected: dict[str, Any] = {
        route: limits_of_group(group) for group, routes in GROUPS.items() for route in routes
    }
    for route in ("GET /v1/health", *HEADS):
        expected[route] = {"ThrottlingRateLimit": 20, "ThrottlingBurstLimit": 40}
    assert make_stage()["RouteSettings"] == expected
    assert make_stage()["DefaultRouteSettings"] == limits_of_group("Api")


def test_every_limit_belongs_to_an_existing_route() -> None:
    """API Gateway refuses a stage that names any other route."""
    assert set(make_stage()["RouteSettings"]) <= set(all_routes())


def test_a_released_route_with_its_own_limit_still_exists() -> None:
    """API Gateway refuses a stage if its settings name a route that the same release removes.

    The file contains the keys of the last release and new keys. A key is removed from the file one
    release after it was removed from the stage (docs/operate/upgrade.md).
    """
    released = set(RELEASED.read_text(encoding="utf-8").splitlines())
    assert released - set(all_routes()) == set()
    assert set(make_stage()["RouteSettings"]) - released == set()


def test_more_frequent_calls_have_higher_limits() -> None:
    """The limit for polls is high enough for 100,000 customers who follow `poll_after_seconds`."""
    rates = {name: read_default(f"{name}RateLimit") for name in ("Change", "Signup", "Api", "Look")}
    assert rates["Change"] < rates["Signup"] <= rates["Api"] < rates["Look"]
    assert rates["Look"] >= 500
    for name, rate in rates.items():
        assert read_default(f"{name}BurstLimit") >= rate
        assert TEMPLATE["Parameters"][f"{name}RateLimit"]["MinValue"] >= 1


def test_each_customer_route_has_its_own_limit() -> None:
    """Otherwise a new route would have the limit of the operator routes, which is higher than a
    table can bear.
    """
    of_customers = {route for route, one in all_routes().items() if one is None}
    assert of_customers == set().union(*GROUPS.values()) | HEADS | {"GET /v1/health"}
    reads = ("GET ", "HEAD ")
    writes = {route for route in of_customers if not route.startswith(reads)}
    assert writes | {f"GET {ENTRY}/pass"} == set(FLOOD)
    assert set(FLOOD) <= GROUPS["Signup"] | GROUPS["Change"]


@pytest.mark.parametrize("section", ["default", "prod"])
def test_all_customer_requests_together_stay_below_the_limit_of_the_table(section: str) -> None:
    """P9: this includes the most expensive data, offers, webhooks and messages. The rest of the
    limit is left for operators.

    The rule in docs/operate/exposure.md determines the numbers of both sections.
    """
    given = Settings.read(section, ROOT / "samconfig.toml").parameters
    values = {name: one.get("Default") for name, one in TEMPLATE["Parameters"].items()} | given
    signups, changes = (int(values[f"{name}RateLimit"]) for name in ("Signup", "Change"))
    most = int(values["MaxWriteUnitsPerSecond"])
    assert (changes, most) == (signups // 5, 110 * signups)
    assert most <= TABLE_QUOTA
    rates = {route: signups if route in GROUPS["Signup"] else changes for route in FLOOD}
    assert table_units(rates) <= 0.95 * most


def read_default(parameter: str) -> int:
    return int(TEMPLATE["Parameters"][parameter]["Default"])
