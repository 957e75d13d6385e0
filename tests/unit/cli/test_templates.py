"""A new waitlist can take its settings from a template or from another waitlist."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.typed import Typed
from waitlist_api.http.schemas.settings import settings_in as body_settings
from waitlist_api.http.schemas.waitlists import WaitlistBody
from waitlist_api.settings.stack import Stack
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_api.waitlists.setting_needs import broken_rules, contradictions
from waitlist_cli.operations.declared import settings
from waitlist_cli.operations.templates import get, put, template_settings, templates

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
WHOLE = Stack(channels=frozenset({"mail", "sms"}))
GROUPS = ("identity", "messages", "admission", "page", "call_numbers", "confirm")
each_template = pytest.mark.parametrize("name", templates())


@each_template
def test_a_template_is_valid_and_lacks_only_parameters_of_the_stack(name: str) -> None:
    template = templates()[name]
    given = template_settings(template, NOW)
    if "messages.sms_countries" in {one.setting for one in template.asks}:
        put(given, "messages.sms_countries", ["DE"])
    body = WaitlistBody.model_validate({"name": "Bakery", **given})
    found: WaitlistSettings = body_settings(WaitlistSettings, body)
    millis = int(NOW.timestamp() * 1000)
    assert contradictions(found) == []
    assert broken_rules(found, WHOLE, millis) == []
    missing = broken_rules(found, Stack(), millis)
    assert [rule.code for rule in missing if "parameter" not in rule.message] == []


@each_template
def test_a_template_asks_about_settings_that_exist(name: str) -> None:
    template = templates()[name]
    assert [one.setting for one in template.asks if one.setting not in settings()] == []
    given = template_settings(template, NOW)
    # `signup` does not ask questions in the terminal. Required answers must be given as options.
    assert [
        one.setting for one in template.asks if one.required and not get(given, one.setting)
    ] == []


@each_template
def test_a_list_is_created_like_a_template(typed: Typed, bakery: Bakery, name: str) -> None:
    waitlist_id = f"{bakery.waitlist_id}-{name}"
    made = typed.json("create", waitlist_id, "--like", name, "--retention-days", "90")
    template = template_settings(templates()[name], NOW)
    assert (made["name"], made["open"], made["retention_days"]) == (waitlist_id, True, 90)
    assert {one: made[one] is not None for one in GROUPS} == {
        one: one in template for one in GROUPS
    }


@pytest.mark.parametrize(
    ("like", "zone", "language", "countries"),
    [
        ("counter", "Europe/Berlin", "de", ["DE"]),
        ("counter", "Asia/Tokyo", "en", ["JP"]),
        ("counter", "UTC", "en", []),
        ("launch", "Africa/Cairo", "ar", []),
    ],
)
def test_a_template_gets_the_language_and_the_country_of_the_time_zone(
    typed: Typed, bakery: Bakery, like: str, zone: str, language: str, countries: list[str]
) -> None:
    words = ("create", bakery.waitlist_id + "-desk", "--like", like, "--timezone", zone)
    messages = typed.json(*words)["messages"]
    assert (messages["language"], messages["sms_countries"]) == (language, countries)


def test_an_option_is_stronger_than_what_fits_the_time_zone(typed: Typed, bakery: Bakery) -> None:
    words = ("--like", "counter", "--timezone", "Europe/Berlin", "--messages-language", "fr")
    made = typed.json("create", f"{bakery.waitlist_id}-desk", *words, "--sms-countries", "")
    assert (made["messages"]["language"], made["messages"]["sms_countries"]) == ("fr", [])


def test_an_option_changes_one_setting_of_a_group(typed: Typed, bakery: Bakery) -> None:
    words = ("create", f"{bakery.waitlist_id}-launch", "--like", "launch")
    identity = typed.json(*words, "--verify-minutes", "60")["identity"]
    found = (identity["field"], identity["verify"], identity["verify_minutes"])
    assert found == ("email", "before_offer", 60)


def test_a_launch_lets_nobody_in_for_a_month(typed: Typed, bakery: Bakery) -> None:
    made = typed.json("create", f"{bakery.waitlist_id}-soon", "--like", "launch")
    begins = datetime.fromisoformat(made["admission"]["rate"]["from"])
    assert begins > datetime.now(UTC) + timedelta(days=29)


def test_a_list_is_created_like_another_list(typed: Typed, bakery: Bakery) -> None:
    waitlist_id = bakery.waitlist_id
    typed.run("edit", waitlist_id, "--capacity", "7", "--confirm-every-days", "30")
    typed.run("edit", waitlist_id, "--closes-at", "2026-01-01T00:00:00Z")
    typed.run("policy", waitlist_id, "--rate", "5/minute")
    typed.run("page", waitlist_id, "--text", "Fresh bread")
    former = typed.json("show", waitlist_id)
    made = typed.json("create", f"{waitlist_id}-2", "--like", waitlist_id, "--lease", "60")
    changed = {name for name in settings() if "." not in name and made[name] != former[name]}
    assert changed == {"name", "closes_at", "lease_seconds"}
    assert (made["closes_at"], made["lease_seconds"]) == (None, 60)
    refused = typed("create", f"{waitlist_id}-3", "--like", "no-such-list")
    assert refused.exit_code == 2
    assert "neither a template (launch, event, counter, seats, work-queue)" in refused.stderr
