"""`waitlist cost` estimates a month's costs from the expected usage.

The documents quote its results.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.unit.cli.typed import Typed
from waitlist_api.messages.compose import Message
from waitlist_api.messages.example import compose_examples, count_parts_with_link
from waitlist_api.settings.messages import LANGUAGES
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_cli.operations.cost import (
    MINUTES,
    WATCHED,
    Month,
    Prices,
    monthly,
)

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "operate" / "sizing.md").read_text(encoding="utf-8")
COLUMNS = {"10k": 10_000, "1M": 1_000_000, "10M": 10_000_000}
WAITING = 1_000_000


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_page_about_sizing_shows_the_computed_prices() -> None:
    months = [monthly(Month(count, count * 10, waiting=WAITING)) for count in COLUMNS.values()]
    lines = [f"| | {' | '.join(f'{name} signups' for name in COLUMNS)} |", "|---|--:|--:|--:|"]
    for item in months[0]:
        lines.append(f"| {item} | {' | '.join(f'{month[item]:,.2f}' for month in months)} |")
    assert "\n".join(lines) in PAGE


def test_the_documents_show_the_price_of_an_idle_stack() -> None:
    idle = monthly(Month(0, 0))
    deploy = (ROOT / "docs" / "operate" / "deploy.md").read_text(encoding="utf-8")
    for item, dollars in idle.items():
        is_there = re.search(rf"^\| {re.escape(item)} \|.* {dollars:.2f} \|$", deploy, re.M)
        assert bool(is_there) == (dollars > 0), item
    assert f"dollars a month, or {idle['Total'] / 30.4:.2f} dollars a day." in one_line(deploy)
    least = monthly(Month(0, 0, monitoring="essential"))["Total"]
    assert least < 10
    assert f"an idle stack costs {least:.2f} dollars a month." in one_line(deploy)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    said = f"An idle stack costs about {idle['Total']:.0f} USD a month, or {least:.0f} USD with the"
    assert said in one_line(readme)


# Parameters that turn on webhooks and messages, each of which adds resources and alarms to the
# stack.
PARTS = {
    "webhook": {"WebhookUrl": "https://example.com/hook"},
    "messages": {"SmsFrom": "LINE"},
}


@pytest.mark.parametrize("mode", ["full", "essential"])
def test_the_price_counts_the_metrics_that_the_alarms_read(mode: str) -> None:
    least = count_alarmed_metrics({"Monitoring": mode})
    paid = {part: watched.alarmed for part, watched in WATCHED[mode].items()}
    assert least == paid["stack"]
    for part, parameters in PARTS.items():
        assert count_alarmed_metrics({"Monitoring": mode, **parameters}) - least == paid[part], part
    mails = count_alarmed_metrics({"Monitoring": mode, "MailFrom": "line@example.com"}) - least
    assert mails == paid["messages"] + paid["mails"]


def count_alarmed_metrics(parameters: dict[str, str]) -> int:
    found = 0
    for resource in deployed(parameters).values():
        if resource["Type"] == "AWS::CloudWatch::Alarm":
            metrics = resource["Properties"].get("Metrics", [])
            found += len([one for one in metrics if "MetricStat" in one]) or 1
    return found


def test_the_price_includes_the_dashboard_if_there_is_a_dashboard() -> None:
    assert "Dashboard" in deployed({"Monitoring": "full"})
    assert "Dashboard" not in deployed({"Monitoring": "essential"})
    full, essential = (monthly(Month(0, 0, monitoring=mode)) for mode in ("full", "essential"))
    prices = Prices()
    item = "CloudWatch, metrics, alarms, dashboard"
    of = {mode: WATCHED[mode]["stack"] for mode in WATCHED}
    metrics = (of["full"].idle - of["essential"].idle) * prices.metric_month
    alarms = (of["full"].alarmed - of["essential"].alarmed) * prices.alarm_month
    assert full[item] - essential[item] == pytest.approx(metrics + alarms + prices.dashboard_month)


def test_with_a_cache_boards_cost_almost_nothing() -> None:
    """With a CDN in front of the API, boards cost almost nothing: at most one request for a board
    reaches the service every five seconds, however many clients there are.
    """
    direct, edge = (monthly(Month(0, 0, boards=10**9, edge=edge)) for edge in (False, True))
    assert direct["API Gateway, requests"] == pytest.approx(1_000)
    assert edge["API Gateway, requests"] < 1
    assert edge["Total"] < direct["Total"]


def test_the_price_of_a_webhook_depends_on_the_events() -> None:
    without, idle, first, second = (
        monthly(Month(signups, 0, webhook=webhook))
        for signups, webhook in ((0, False), (0, True), (10**6, True), (2 * 10**6, True))
    )
    assert "Webhook" not in without
    assert idle["Total"] - without["Total"] == pytest.approx(idle["Webhook"])
    # Each signup causes four events.
    a_million = (second["Webhook"] - first["Webhook"]) / 4
    assert f"A webhook costs about {a_million:.2f} dollars for a million events" in one_line(PAGE)
    assert f"that receives no events costs {idle['Webhook']:.2f} dollars a month" in one_line(PAGE)
    words = json.loads(Typed().run("cost", "--signups", "1M", "--webhook", "--json"))
    assert words["Webhook"] == round(first["Webhook"], 2)


def test_the_price_of_messages_depends_on_their_number() -> None:
    without = monthly(Month(0, 0))["Total"]
    idle = monthly(Month(0, 0, mails=0))
    assert "Messages" not in monthly(Month(0, 0))
    assert idle["Total"] - without == pytest.approx(idle["Messages"])
    said = f"costs {idle['Messages']:.2f} dollars a month more even if no message is sent"
    assert said in one_line(PAGE)
    # The metrics cost the same in both months, so they cancel out.
    first, second = (monthly(Month(0, 0, mails=count))["Messages"] for count in (10**6, 2 * 10**6))
    a_thousand = (second - first) / 1_000
    assert f"A thousand emails cost about {a_thousand:.3f} dollars" in one_line(PAGE)
    by_text = monthly(Month(0, 0, texts=10**6, text_price=0.02, text_parts=1))["Messages"]
    alarms_of_mails = WATCHED["full"]["mails"].alarmed * Prices().alarm_month
    assert by_text - first == pytest.approx(20_000 - 100 - alarms_of_mails)
    words = ("cost", "--mails", "1M", "--texts", "10k", "--text-price", "0.01", "--json")
    both = monthly(Month(0, 0, mails=10**6, texts=10_000, text_price=0.01))["Messages"]
    assert json.loads(Typed().run(*words))["Messages"] == round(both, 2)


def test_the_price_of_an_sms_depends_on_its_parts() -> None:
    one, three, six = (
        monthly(Month(0, 0, texts=10**6, text_parts=parts))["Messages"] for parts in (1, 3, 6)
    )
    assert three - one == pytest.approx(100_000)
    assert six - one == pytest.approx(250_000)
    assert monthly(Month(0, 0, texts=10**6))["Messages"] == three
    typed = json.loads(Typed().run("cost", "--texts", "1M", "--text-parts", "6", "--json"))
    assert typed["Messages"] == round(six, 2)


def test_verification_costs_a_message_for_each_signup() -> None:
    by_mail, by_sms = Month(10_000, 0, mails=10_000), Month(10_000, 0, texts=10_000)
    for verify, month in (("mail", by_mail), ("sms", by_sms)):
        told = monthly(month)
        verified = json.loads(Typed().run("cost", "--signups", "10k", "--verify", verify, "--json"))
        assert verified["Messages"] == round(told["Messages"], 2), verify
        assert verified["DynamoDB, writes"] > told["DynamoDB, writes"], verify


def test_the_help_names_the_number_of_parts_of_the_services_texts() -> None:
    """`waitlist cost --help` says how many SMS parts the messages need in each language.

    The numbers must hold for the longest message with the longest possible link.
    """
    url = "https://abcdefghij.execute-api.ap-southeast-2.amazonaws.com"
    parts = {
        language: max(count_parts_with_link(one) for _, one in _examples(url, language))
        for language in LANGUAGES
    }
    assert parts == {"en": 3, "de": 3, "fr": 6, "es": 6, "ar": 6}
    help_text = one_line(Typed().run("cost", "--help", COLUMNS="300"))
    assert "3 parts in English and German, and 6 parts in French, Spanish and Arabic" in help_text
    assert Month(0, 0).text_parts == parts["en"]


def _examples(url: str, language: str) -> Iterator[tuple[str, Message]]:
    return compose_examples("bakery", WaitlistSettings(name="Bakery"), url, 0, language=language)


def test_the_heartbeat_costs_an_event_each_minute() -> None:
    item = "EventBridge, events"
    idle, busy = monthly(Month(0, 0))[item], monthly(Month(10**6, 0))[item]
    # A person who joins and is admitted causes four events.
    assert idle / MINUTES == pytest.approx((busy - idle) / 4 / 10**6)


def test_the_command_takes_the_monitoring_mode() -> None:
    words = json.loads(Typed().run("cost", "--monitoring", "essential", "--json"))
    assert words["Total"] == round(monthly(Month(0, 0, monitoring="essential"))["Total"], 2)


def test_the_command_prints_all_items() -> None:
    words = ("cost", "--signups", "1M", "--polls", "10M", "--waiting", "1M")
    items: dict[str, Any] = json.loads(Typed().run(*words, "--json"))
    expected = monthly(Month(1_000_000, 10_000_000, waiting=WAITING))
    assert items == {name: round(dollars, 2) for name, dollars in expected.items()}
    table = Typed().run(*words)
    assert f"{expected['Total']:,.2f}" in table


@pytest.mark.parametrize("text", ["many", "-1", "1m", "1e9", ""])
def test_a_malformed_number_is_wrong_usage(text: str) -> None:
    result = Typed()("cost", f"--signups={text}")
    assert result.exit_code == 2
    assert "Write a number such as 500, 10k or 1.5M" in result.output
