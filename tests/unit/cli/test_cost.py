"""What a month costs: the page has the numbers of the command, and they follow the use."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.deployment.template import TEMPLATE, named
from tests.unit.cli.typed import Typed
from tools.deploy.samconfig import Settings
from waitlist_cli.operations.cost import (
    ALARMED_METRICS,
    DAY,
    FLOOD,
    OPERATIONS,
    Month,
    Prices,
    cost_of,
    flood,
    monthly,
)

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "operate" / "sizing.md").read_text(encoding="utf-8")
COLUMNS = {"10k": 10_000, "1M": 1_000_000, "10M": 10_000_000}
WAITING = 1_000_000
LAMBDAS_OWN_BYTES = 550
LAUNCH: dict[str, Any] = {"signups": 1_000_000, "polls": 14_000_000, "waiting": WAITING}


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_page_has_the_dollars_of_each_column() -> None:
    months = [monthly(Month(count, count * 10, waiting=WAITING)) for count in COLUMNS.values()]
    lines = [f"| | {' | '.join(f'{name} signups' for name in COLUMNS)} |", "|---|--:|--:|--:|"]
    for item in months[0]:
        lines.append(f"| {item} | {' | '.join(f'{month[item]:,.2f}' for month in months)} |")
    assert "\n".join(lines) in PAGE


def test_the_documents_have_the_price_of_an_idle_stack() -> None:
    idle = monthly(Month(0, 0))
    deploy = (ROOT / "docs" / "operate" / "deploy.md").read_text(encoding="utf-8")
    for item, dollars in idle.items():
        is_there = re.search(rf"^\| {re.escape(item)} \|.* {dollars:.2f} \|$", deploy, re.M)
        assert bool(is_there) == (dollars > 0), item
    assert f"A day costs {idle['Total'] / 30.4:.2f} dollars" in one_line(deploy)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"An idle stack costs about {idle['Total']:.0f} USD a month." in readme


def test_the_alarms_read_as_many_metrics_as_are_paid_for() -> None:
    alarms = named("AWS::CloudWatch::Alarm")
    read = {
        name: len([one for one in alarm.get("Metrics", []) if "MetricStat" in _either(one)]) or 1
        for name, alarm in alarms.items()
        if name != "EdgeErrorsAlarm"
    }
    assert sum(read.values()) == ALARMED_METRICS


def _either(metric: dict[str, Any]) -> dict[str, Any]:
    """Return a metric that depends on a condition as it is where the condition holds."""
    found: dict[str, Any] = metric["Fn::If"][1] if "Fn::If" in metric else metric
    return found


def test_the_page_has_the_units_of_each_call() -> None:
    lines = [
        "| call | write units | read units | table calls | queue calls | events |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, one in OPERATIONS.items():
        counts = (one.writes, one.reads, one.table_calls, one.queue_calls, one.events)
        lines.append(f"| {name} | {' | '.join(f'{count:g}' for count in counts)} |")
    assert "\n".join(lines) in PAGE


def test_the_page_has_what_a_launch_costs_with_the_board_and_without() -> None:
    edge = monthly(Month(**LAUNCH, boards=158_000_000, edge=True))["Total"]
    direct = monthly(Month(**{**LAUNCH, "polls": 172_000_000}))["Total"]
    assert f"estimates {edge:,.0f} dollars" in PAGE
    assert f"would be {direct:,.0f}." in one_line(PAGE)


def test_the_page_has_what_a_million_signups_looks_and_lives_cost() -> None:
    """Before, Lambda wrote two lines of its own for each of the invocations."""
    for name, calls, invocations in (
        ("signups", ("signup",), 2),
        ("polls", ("look",), 2),
        ("lives: signup, offer, enter, exit", ("signup", "offer", "enter", "exit"), 6),
    ):
        dollars = sum(cost_of(dict.fromkeys(calls, 10**6)).values())
        before = dollars + invocations * LAMBDAS_OWN_BYTES / 1000 * Prices().log_gb
        assert f"| {name} | {before:.2f} | {dollars:.2f} |" in PAGE


def test_the_page_has_what_transactions_cost() -> None:
    """Each of the three writes of a change costs a unit more than it would alone."""
    saved = 3 * Prices().writes_per_million
    dollars = sum(cost_of({"signup": 10**6}).values())
    assert f"save ${saved:.2f} of the ${dollars:.2f} that a million signups" in one_line(PAGE)


# Signups (and leaves) a second, and write units of the table: the default and samconfig's prod.
RATES = ((300, 6_000), (1_000, 20_000))
# A signup again and its leave when a list allowed 16 KB and the former stay was copied.
FORMER_UNITS = 216


def test_the_budget_has_what_a_day_of_guests_costs_at_most() -> None:
    page = (ROOT / "docs" / "operate" / "exposure.md").read_text(encoding="utf-8")
    a_unit = DAY * Prices().writes_per_million / 1e6
    units = sum(one.writes for one in FLOOD.values())
    days = [flood(rate, most) for rate, most in RATES]
    rows = {
        "16 KB, former stay copied: write units alone": [
            rate * FORMER_UNITS * a_unit for rate, _ in RATES
        ],
        "`max_guest_bytes` of 2,048: write units alone": [
            rate * units * a_unit for rate, _ in RATES
        ],
        "with `MaxWriteUnitsPerSecond` of 6,000 and 20,000": [
            day["DynamoDB, writes"] for day in days
        ],
        "API Gateway, Lambda, logs, events of these requests": [
            day["Total"] - day["DynamoDB, writes"] for day in days
        ],
        "in all, at most": [day["Total"] for day in days],
    }
    for name, dollars in rows.items():
        assert f"| {name} | {' | '.join(f'{one:,.0f}' for one in dollars)} |" in page
    assert f"takes {units:g} with the default" in one_line(page)
    looks = [sum(cost_of({"look": rate * DAY}).values()) for rate in (1_000, 4_000)]
    assert f"they cost {looks[0]:.0f} dollars, at 4,000 a second {looks[1]:.0f}." in one_line(page)
    assert f"at most {a_unit:.3f} dollars a day" in one_line(page)


def test_the_limits_of_the_budget_are_the_stacks() -> None:
    defaults = {name: one.get("Default") for name, one in TEMPLATE["Parameters"].items()}
    prod = Settings.read("prod", ROOT / "samconfig.toml").parameters
    for (rate, most), given in zip(RATES, (defaults, {**defaults, **prod}), strict=True):
        assert (int(given["SignupRateLimit"]), int(given["MaxWriteUnitsPerSecond"])) == (rate, most)
        assert most == 20 * rate


def test_a_cache_answers_the_boards() -> None:
    """At most one board in five seconds reaches the service, whatever is asked."""
    direct, edge = (monthly(Month(0, 0, boards=10**9, edge=edge)) for edge in (False, True))
    assert direct["API Gateway, requests"] == pytest.approx(1_000)
    assert edge["API Gateway, requests"] < 1
    assert edge["Total"] < direct["Total"]


def test_the_command_prints_the_items() -> None:
    words = ("cost", "--signups", "1M", "--polls", "10M", "--waiting", "1M")
    items: dict[str, Any] = json.loads(Typed().done(*words, "--json"))
    expected = monthly(Month(1_000_000, 10_000_000, waiting=WAITING))
    assert items == {name: round(dollars, 2) for name, dollars in expected.items()}
    table = Typed().done(*words)
    assert f"{expected['Total']:,.2f}" in table


@pytest.mark.parametrize("text", ["many", "-1", "1m", "1e9", ""])
def test_a_malformed_number_is_wrong_usage(text: str) -> None:
    result = Typed()("cost", f"--signups={text}")
    assert result.exit_code == 2
    assert "write 500, 10k or 1.5M" in result.output
