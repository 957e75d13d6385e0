"""Tests each route's rate limit in the API Gateway stage that CloudFormation creates."""

from pathlib import Path
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import TEMPLATE, all_routes
from tests.support.flood import ENTRY, FLOOD, table_units
from tools.deploy.samconfig import Settings

ROOT = Path(__file__).resolve().parents[2]
# The write units per second that AWS allows a table by default. AWS can raise the limit on request.
TABLE_QUOTA = 40_000
# The limit of each route in the `Few` group, in requests per second.
FEW_RATE = 20
RELEASED = Path(__file__).parent / "released_route_settings.txt"


def make_stage() -> Any:
    return deployed()["ApiApiGatewayDefaultStage"]["Properties"]


def read_groups() -> dict[str, set[str]]:
    """All routes in a group take their rate limit from the same parameter. Only the routes in the
    `Few` group have fixed limits.
    """
    groups: dict[str, set[str]] = {}
    for route, settings in make_stage()["RouteSettings"].items():
        rate = settings["ThrottlingRateLimit"]
        group = rate["Ref"].removesuffix("RateLimit") if isinstance(rate, dict) else "Few"
        groups.setdefault(group, set()).add(route)
    return groups


def test_a_released_route_with_its_own_limit_still_exists() -> None:
    """A route's rate limit must be removed one release before the route itself
    (docs/operate/upgrade.md).

    Otherwise, a limit would name a missing route, and API Gateway would refuse the update.
    """
    released = set(RELEASED.read_text(encoding="utf-8").splitlines())
    assert released - set(all_routes()) == set()
    assert set(make_stage()["RouteSettings"]) - released == set()


def test_more_frequent_calls_have_higher_limits() -> None:
    """100,000 customers who follow `poll_after_seconds` stay below the rate limit for polls."""
    rates = {name: read_default(f"{name}RateLimit") for name in ("Change", "Signup", "Api", "Look")}
    assert rates["Change"] < rates["Signup"] <= rates["Api"] < rates["Look"]
    assert rates["Look"] >= 500
    for name, rate in rates.items():
        assert read_default(f"{name}BurstLimit") >= rate
        assert TEMPLATE["Parameters"][f"{name}RateLimit"]["MinValue"] >= 1


def test_each_customer_route_has_a_limit_that_operators_do_not_share() -> None:
    """A rush of customers cannot use up the operators' rate limits (promise P9).

    Every route with a limit must exist, because API Gateway refuses a stage that names an unknown
    route.
    """
    settings = make_stage()["RouteSettings"]
    assert set(settings) == {route for route, one in all_routes().items() if one is None}
    assert make_stage()["DefaultRouteSettings"]["ThrottlingRateLimit"] == {"Ref": "ApiRateLimit"}
    assert set(read_groups()) == {"Signup", "Change", "Look", "Few"}
    for limits in settings.values():
        rate, burst = limits["ThrottlingRateLimit"], limits["ThrottlingBurstLimit"]
        if isinstance(rate, dict):
            assert burst == {"Ref": rate["Ref"].replace("Rate", "Burst")}
        else:
            assert (rate, burst) == (FEW_RATE, 2 * FEW_RATE)


def test_only_reads_have_the_high_limit_of_polls() -> None:
    """The high rate limit for polls applies only to routes that do not write to the table (promise
    P9).
    """
    writes = {
        route
        for route, authorizer in all_routes().items()
        if authorizer is None and not route.startswith(("GET ", "HEAD "))
    }
    # The first request for a pass writes to the table, because it stores the pass in the record.
    assert writes | {f"GET {ENTRY}/pass"} == set(FLOOD)
    assert set(FLOOD) <= read_groups()["Signup"] | read_groups()["Change"]


@pytest.mark.parametrize("section", ["default", "prod"])
def test_all_customer_requests_together_stay_below_the_limit_of_the_table(section: str) -> None:
    """Even if customers call every route as often as its rate limit allows, operators can still
    write to the table (promise P9).

    The test assumes the largest possible records. docs/operate/exposure.md explains how to choose
    the limits.
    """
    given = Settings.read(section, ROOT / "samconfig.toml").parameters
    values = {name: one.get("Default") for name, one in TEMPLATE["Parameters"].items()} | given
    signups, changes = (int(values[f"{name}RateLimit"]) for name in ("Signup", "Change"))
    most = int(values["MaxWriteUnitsPerSecond"])
    assert (changes, most) == (signups // 5, 110 * signups)
    assert most <= TABLE_QUOTA
    of_signups = read_groups()["Signup"]
    rates = {route: signups if route in of_signups else changes for route in FLOOD}
    assert table_units(rates) <= 0.95 * most


def read_default(parameter: str) -> int:
    return int(TEMPLATE["Parameters"][parameter]["Default"])
