"""The console creates waitlists and changes their settings.

It also tries out admission policies, counts the entries in segments, and exports people.
"""

import csv
import io
import json
import re
import secrets
from datetime import UTC, datetime
from html import unescape

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened, readable
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.typed import Typed
from waitlist_api.waitlists.setting_needs import RULES
from waitlist_cli.console.app import STATIC
from waitlist_cli.operations.checklist import checklist
from waitlist_cli.operations.policies import DEFAULTS

SETTINGS = {
    "name": "Bakery",
    "capacity": "",
    "rejoin": "after_leaving",
    "rest_max_days": "",
    "rest_times": "",
    "hide_counts": "no",
    "bot_check_down": "refuse",
    "segments": "language",
    "lease_seconds": "300",
    "max_attempts": "5",
    "max_claims": "",
    "max_guest_bytes": "2048",
    "retention_days": "",
}
POLICY = {
    "by": "policy",
    "rate_count": "",
    "rate_per": "minute",
    "max_inside": "",
    "schedule": "",
    "acceptance": "enter",
    "no_show": "to_back",
    "customer_exit": "frees_now",
    "offer_hours": "",
    "offer_seconds": "600",
    "pass_seconds": "3600",
}


def test_each_tab_warns_that_a_setting_needs_another_setting(
    bakery: Bakery, console: Opened
) -> None:
    bakery.typed("page", bakery.waitlist_id, "--enter", "https://shop.example.com/enter")
    for tab in ("", "/page", "/policy", "/settings", "/messages"):
        text = readable(console.text(f"/lists/{bakery.waitlist_id}{tab}"))
        assert "Customers are sent to enter_url without a pass" in text
    bakery.typed("policy", bakery.waitlist_id, "--rate", "5/minute")
    assert "without a pass" not in readable(console.text(f"/lists/{bakery.waitlist_id}/page"))


def test_the_checklist_links_to_the_fields_that_mend_it(console: Opened, bakery: Bakery) -> None:
    bakery.typed("page", bakery.waitlist_id, "--enter", "https://shop.example.com/enter")
    bakery.typed.run("close", bakery.waitlist_id)
    path = f"/lists/{bakery.waitlist_id}"
    live = console.page(path)
    assert "Still to do" in live
    assert f'href="{path}/page#enter_url">Where customers enter</a>' in live
    assert f'href="{path}/policy#policy">Admission</a>' in live
    pages = {
        page: console.page(f"{path}{page}")
        for page in ("", "/page", "/policy", "/messages", "/settings")
    }
    names = {name for rule in RULES for name in rule.settings}
    warning = {"code": "all", "message": "", "settings": sorted(names)}
    (item,) = checklist({"waitlist_id": bakery.waitlist_id, "warnings": [warning]})
    links = [step.link.partition("#") for step in item.steps]
    assert len(links) == len(names)
    assert [link for link in links if f'id="{link[2]}"' not in pages[link[0]]] == []


def test_a_list_is_created_only_once(console: Opened, typed: Typed) -> None:
    waitlist_id = f"new-{secrets.token_hex(4)}"
    assert "Lower-case letters" in console.text("/new")
    form = {**SETTINGS, "id": waitlist_id, "name": "Café", "open": "no", "capacity": "1,500"}
    assert f"{waitlist_id} was created." in console.submit("/new", **form)
    found = typed.json("show", waitlist_id)
    assert (found["name"], found["open"], found["capacity"]) == ("Café", False, 1500)
    for changes, problem in (
        ({}, "id: A list with this id already exists."),
        ({"id": "Café"}, "id: The text 'Café' is not a waitlist id."),
        ({"id": "", "name": "…"}, "id: Answer this question."),
        ({"name": ""}, "name: Answer this question."),
        ({"max_attempts": ""}, "max_attempts: Enter a whole number."),
        ({"rest_max_days": "x"}, "rest_max_days: Enter a whole number."),
        ({"opens_at": "soon", "timezone": "UTC"}, "opens_at: 'soon' is not a date and time."),
    ):
        assert problem in console.submit_refused("/new", **{**form, **changes})


def test_a_counter_asks_for_the_country_of_local_numbers(console: Opened, bakery: Bakery) -> None:
    waitlist_id = f"{bakery.waitlist_id}-desk"
    form = {**SETTINGS, "id": waitlist_id, "like": "counter", "timezone": "Europe/Berlin"}
    page = console.page("/new?like=counter")
    assert "Country of mobile numbers" in page
    # Chromium knows Asia/Kolkata by its former name.
    for zone, country, language in (
        ("Europe/Berlin", "DE", "de"),
        ("Asia/Calcutta", "IN", ""),
        ("UTC", "", ""),
        ("Africa/Asmera", "", ""),
    ):
        proposed = f'data-country="{country}" data-language="{language}"'
        assert f'<option value="{zone}" {proposed}>' in page
    wrong = console.send("/new", **form, **{"messages.sms_countries": "Germany"})
    assert "Write two letters for each country, such as DE." in wrong.text
    console.submit("/new", **form, **{"messages.sms_countries": "de", "messages.language": "de"})
    messages = bakery.typed.json("show", waitlist_id)["messages"]
    assert (messages["kinds"], messages["sms_countries"]) == (["joined", "called"], ["DE"])
    assert messages["language"] == "de"


def test_a_template_asks_a_few_questions(console: Opened, typed: Typed) -> None:
    waitlist_id = f"new-{secrets.token_hex(4)}"
    page = console.text("/new?like=launch")
    asked = ["Launch", "Name", "Id", "first people get in", "People a day", "Advanced", "Capacity"]
    places = [page.rindex(label) for label in asked[1:]]
    assert places == sorted(places)
    form = {
        **SETTINGS,
        "id": waitlist_id,
        "like": "launch",
        "timezone": "Europe/Berlin",
        "identity_field": "email",
        "identity_verify": "before_offer",
        "admission.rate.from": "2030-01-15T09:00",
        "admission.rate.count": "40",
        "page.enter_url": "https://shop.example.com/",
    }
    wrong = console.send("/new", **{**form, "admission.rate.from": ""})
    assert 'data-field="admission.rate.from" data-says="Answer this question."' in wrong.text
    wrong = console.send("/new", **{**form, "admission.rate.count": "many"})
    assert 'data-field="admission.rate.count" data-says="Enter a whole number."' in wrong.text
    assert f"{waitlist_id} was created." in console.submit("/new", **form)
    found = typed.json("show", waitlist_id)
    rate = found["admission"]["rate"]
    assert (rate["count"], rate["per"], rate["from"][:19]) == (40, "day", "2030-01-15T08:00:00")
    assert found["page"]["enter_url"] == "https://shop.example.com/"
    assert found["messages"]["kinds"] == ["verify", "offered", "ending"]


def test_a_new_list_copies_the_settings_of_another_list(
    console: Opened, bakery: Bakery, typed: Typed
) -> None:
    typed.run("policy", bakery.waitlist_id, "--rate", "5/minute")
    typed.run("edit", bakery.waitlist_id, "--capacity", "77")
    page = console.page(f"/new?like={bakery.waitlist_id}")
    assert 'name="capacity" value="77"' in page
    waitlist_id = f"new-{secrets.token_hex(4)}"
    form = {**SETTINGS, "id": waitlist_id, "like": bakery.waitlist_id, "capacity": "78"}
    console.submit("/new", **form)
    found = typed.json("show", waitlist_id)
    assert (found["capacity"], found["admission"]["rate"]["count"]) == (78, 5)
    assert console.browser.get("/new?like=no-such-list").status_code == 422


def test_changing_some_settings_keeps_the_others(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/settings"
    bakery.typed.run("policy", bakery.waitlist_id, "--rate", "5/minute")
    assert 'value="Bakery"' in console.page(path)
    changed = {**SETTINGS, "capacity": "10", "segments": "language\ncity, language"}
    changed |= {"max_guest_bytes": "500", "max_claims": "1"}
    changed |= {"rest_max_days": "30", "rest_times": "2"}
    changed |= {"identity_field": "phone", "identity_verify": "before_offer"}
    changed |= {"identity_region": "de", "identity_blocked_domains": "a.example\nb.example"}
    changed |= {"confirm_every_days": "60", "confirm_reminders_days": "1, 7"}
    assert "The settings were saved." in console.submit(path, **changed)
    found = bakery.typed.json("show", bakery.waitlist_id)
    assert (found["capacity"], found["segments"]) == (10, [["city", "language"], ["language"]])
    assert (found["max_guest_bytes"], found["max_claims"]) == (500, 1)
    assert found["rest"] == {"max_days": 30, "times": 2}
    rules = {"field": "phone", "verify": "before_offer", "verify_minutes": 1440}
    more = {"region": "DE", "blocked_domains": ["a.example", "b.example"]}
    assert found["identity"] == {**rules, "plus_addresses": "same", **more}
    assert re.search('value="before_offer" checked', console.page(path))
    assert "a.example\nb.example</textarea>" in console.page(path)
    console.submit(path, **{**changed, "identity_field": ""})
    assert bakery.typed.json("show", bakery.waitlist_id)["identity"] is None
    assert 'name="rest_max_days" value="30"' in console.page(path)
    assert found["confirm"]["reminders_days"] == [7, 1]
    assert 'value="7, 1"' in console.page(path)
    bakery.sign_up("ada", "bob")
    assert "14 days to confirm" in console.text(f"/lists/{bakery.waitlist_id}/do/ask")
    asking = f"/lists/{bakery.waitlist_id}/do/ask"
    for _ in range(2):
        assert "2 people would be asked" in console.submit_again(asking)
    assert "2 people were asked" in console.submit(asking, sure="yes")
    assert "No one would be asked" in console.submit_refused(asking)
    refused = console.submit_refused(path, **{**changed, "confirm_reminders_days": "soon"})
    assert "Reminders, in days before the deadline: enter whole numbers" in refused
    console.submit(path, **SETTINGS)
    assert bakery.typed.json("show", bakery.waitlist_id)["rest"] is None
    assert found["admission"]["rate"]["count"] == 5


def test_opening_and_closing_times_are_entered_in_a_time_zone(
    console: Opened, bakery: Bakery
) -> None:
    path = f"/lists/{bakery.waitlist_id}/settings"
    times = {"opens_at": "2999-10-25T09:00", "closes_at": "2999-10-27T02:30"}
    berlin = {**SETTINGS, **times, "timezone": "Europe/Berlin"}
    console.submit(path, **berlin)
    found = bakery.typed.json("show", bakery.waitlist_id)
    assert found["opens_at"] == "2999-10-25T07:00:00.000Z"
    # On this day, the clocks go back and show 2:30 twice. An operator who enters 2:30 in the form
    # means the earlier of the two times.
    assert found["closes_at"] == "2999-10-27T00:30:00.000Z"
    assert 'type="datetime-local" step="any" size="20" value="2999-10-25T09:00:00"' in console.page(
        path
    )
    live = readable(console.page(f"/lists/{bakery.waitlist_id}"))
    assert "not open yet" in live
    assert "Opens at" in live
    # The form shows no milliseconds. If the operator does not change a time, its milliseconds must
    # stay.
    before = {"closes_at_before": "2999-10-27T01:30:00.123Z"}
    console.submit(path, **{**berlin, **before})
    assert bakery.typed.json("show", bakery.waitlist_id)["closes_at"] == before["closes_at_before"]
    assert "Opens: " in console.submit_refused(path, **{**berlin, "opens_at": "2999-03-31T02:30"})
    assert "later than opens_at" in console.submit_refused(
        path, **{**berlin, "closes_at": times["opens_at"]}
    )
    console.submit(path, **SETTINGS)
    assert bakery.typed.json("show", bakery.waitlist_id)["opens_at"] is None


def test_a_form_works_without_scripts(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/settings"
    assert f'<form class="sheet narrow" method="post" action="{path}"' in console.page(path)
    headers = {"Origin": console.origin}
    changed = {**SETTINGS, "capacity": "10"}
    answered = console.browser.post(path, data=changed, headers=headers)
    assert (answered.status_code, answered.url.path) == (200, path)
    assert "The settings were saved." in answered.text
    wrong = console.browser.post(path, data={**SETTINGS, "capacity": "x"}, headers=headers)
    assert (wrong.status_code, "<html" in wrong.text) == (422, True)
    for template in (STATIC.parent / "templates").glob("*.html"):
        forms = re.findall(r"<form[^>]*hx-post[^>]*>", template.read_text("utf-8"))
        assert all('method="post"' in form for form in forms), template


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("lease_seconds", "", "Claim lease, in seconds: enter a whole number"),
        ("max_guest_bytes", "", "Signup data, in bytes: enter a whole number"),
        ("max_guest_bytes", "20000", "max_guest_bytes"),
        ("rest_times", "3", "enter a number, or leave 'Number of pauses' empty"),
        ("capacity", "many", "Capacity: enter a whole number"),
        ("name", "", "name"),
        ("segments", "language\nlanguage", "declared more than once"),
        ("rejoin", "sometimes", "rejoin"),
    ],
)
def test_the_error_about_a_setting_names_it(
    console: Opened, bakery: Bakery, field: str, value: str, message: str
) -> None:
    path = f"/lists/{bakery.waitlist_id}/settings"
    assert message in console.submit_refused(path, **{**SETTINGS, field: value})


def test_the_preview_describes_the_effects_of_a_policy(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob")
    path = f"/lists/{bakery.waitlist_id}/policy/preview"
    year = datetime.now(UTC).year + 1
    schedule = f"200 at {year}-12-01T09:00:00Z"
    form = {**POLICY, "rate_count": "500", "max_inside": "2000", "schedule": schedule}
    text = readable(console.send(path, **form).text)
    assert "200 at 09:00:00 on " in text
    assert f" 1 Dec {year} (UTC), at most 2,000 inside" in text
    assert "3 joins now" in text
    assert f"1 Dec {year}: 200 places" in text
    assert "Admission by hand only 500 a minute" in text
    assert bakery.typed.json("policy", bakery.waitlist_id) == {"admission": None}


def test_the_preview_shows_the_estimates_that_customers_will_see(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob")
    path = f"/lists/{bakery.waitlist_id}/policy/preview"
    text = readable(console.send(path, **{**POLICY, "rate_count": "500"}).text)
    assert "10,000 20 min (19 min 5" in text
    assert "3 joins now" in text
    assert "Customers see these waits after the change" in text
    bakery.typed.run("policy", bakery.waitlist_id, "--rate", "500/minute")
    text = readable(console.send(path, **{**POLICY, "rate_count": "500"}).text)
    assert "Customers see these waits. The waits depend on how many people are inside now." in text


def test_the_preview_of_a_room_depends_on_how_long_people_stay(
    console: Opened, bakery: Bakery
) -> None:
    path = f"/lists/{bakery.waitlist_id}/policy/preview"
    text = readable(console.send(path, **{**POLICY, "max_inside": "50"}).text)
    assert "the waits depend on how long people stay" in text
    bakery.typed.run("pause", bakery.waitlist_id)
    text = readable(console.send(path, **POLICY).text)
    assert "The times assume that you resume it now." in text


def test_a_policy_is_saved_changed_and_removed(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/policy"
    form = {**POLICY, "rate_count": "20", "rate_per": "hour", "schedule": "5 at 0 9 * * *"}
    assert "The admission policy was saved." in console.submit(path, **form)
    found = bakery.typed.json("policy", bakery.waitlist_id)["admission"]
    plain = {"count": 20, "per": "hour", "counts": "offered", "from": None}
    assert (found["rate"], found["combine"]) == (plain, "least")
    assert found["schedule"][0]["cron"] == "0 9 * * *"
    assert "5 at 0 9 * * *</textarea>" in console.page(path)
    night = {"offer_hours": "22:00-06:00 Asia/Tokyo"}
    changed = {**form, **night, "no_show": "leave", "customer_exit": "frees_at_end"}
    text = readable(console.send(f"{path}/preview", **changed).text)
    assert "What changes No-shows Go to the end of the queue Leave the list" in text
    assert "Free their place when their passes end" in text
    assert "Offers between at any time 22:00-06:00 Asia/Tokyo" in text
    assert "Nothing changes. This is the saved policy." in readable(
        console.send(f"{path}/preview", **form).text
    )
    begins = {"rate_from": "2026-12-01T09:00:00", "rate_counts": "entered", "combine": "sum"}
    console.submit(path, **form, **begins)
    found = bakery.typed.json("policy", bakery.waitlist_id)["admission"]
    assert found["rate"] == plain | {"counts": "entered", "from": "2026-12-01T09:00:00Z"}
    assert found["combine"] == "sum"
    assert f'value="{begins["rate_from"]}"' in console.page(path)
    text = readable(console.send(f"{path}/preview", **form).text)
    assert "Rate 20 a hour who enter from 09:00:00 on Tue 1 Dec 2026 (UTC) 20 a hour" in text
    assert "Rate and schedule The slots of both are added together The smaller number" in text
    console.submit(path, **{**form, "by": "hand"})
    assert bakery.typed.json("policy", bakery.waitlist_id) == {"admission": None}


def test_the_form_says_what_happens_to_people_who_do_not_use_their_offers(
    console: Opened, bakery: Bakery
) -> None:
    """The form asks what happens to people who do not use their offers, and what happens when
    admissions end. The preview describes each change in words.
    """
    path = f"/lists/{bakery.waitlist_id}/policy"
    fields = {
        "away_after": "120",
        "admission_misses_at_most": "2",
        "admission_misses_then": "park",
        "admission_decline_to": "place",
        "admission_decline_pause_seconds": "60",
        "admission_decline_at_most": "1",
        "until": "2999-12-24T18:00",
        "admission_then": "leave",
    }
    console.submit(path, **POLICY)
    text = readable(console.send(f"{path}/preview", **POLICY, **fields).text)
    for change in (
        "Unused offers none at most 2, then park",
        "Admission ends none 18:00:00 on Tue 24 Dec 2999",
    ):
        assert change in text
    console.submit(path, **POLICY, **fields)
    found = bakery.typed.json("policy", bakery.waitlist_id)["admission"]
    assert (found["presence"], found["misses"]) == (
        {"seconds": 120},
        {"at_most": 2, "then": "park"},
    )
    assert found["decline"] == {"to": "place", "pause_seconds": 60, "at_most": 1}
    assert (found["until"], found["then"]) == ("2999-12-24T18:00:00.000Z", "leave")
    off = {"admission_misses_then": "park", "admission_decline_to": "off", "admission_then": "wait"}
    console.submit(path, **POLICY, **{**dict.fromkeys(fields, ""), **off})
    found = bakery.typed.json("policy", bakery.waitlist_id)["admission"]
    assert [found[name] for name in ("presence", "misses", "decline", "until")] == [None] * 4


def test_a_button_ends_the_quota_that_is_running(console: Opened, bakery: Bakery) -> None:
    page = f"/lists/{bakery.waitlist_id}"
    bakery.sign_up("ada")
    bakery.typed.run("admit", bakery.waitlist_id, "3", "--refill")
    button = f"{page}/do/end-quota"
    assert f'hx-get="{button}"' in console.page(page)
    assert "1 offer is open, and 3 more people are to enter" in console.text(page)
    assert "End the quota of" in console.text(button)
    assert "3 more people are to enter" in console.submit_again(button)
    assert "The quota has ended." in console.submit(button, sure="yes")
    assert button not in console.page(page)


def test_the_preview_warns_about_no_shows_that_keep_their_place(
    console: Opened, bakery: Bakery
) -> None:
    path = f"/lists/{bakery.waitlist_id}/policy"
    assert 'value="to_back" checked' in console.page(path)
    preview = f"{path}/preview"
    assert "keep_place" not in readable(console.send(preview, **POLICY).text)
    form = {**POLICY, "no_show": "keep_place", "offer_seconds": "300"}
    text = readable(console.send(preview, **form).text)
    assert "gets 5 offers of 5 min, occupies a slot for 25 min" in text


def test_the_preview_says_which_positions_get_no_place(scripted: Opened, fake: FakeService) -> None:
    waitlist = {"admission": None, "paused": False, "max_attempts": 5, "timezone": "UTC"}
    unknown = {"estimated_wait": None, "estimate_unavailable": "unknown"}
    hours = {"seconds": 7200, "low": 7100, "high": 7300}
    known = {"estimated_wait": hours, "estimate_unavailable": None}
    estimates = [{"position": 10, **known}, {"position": 100, **unknown}]
    found = {"waiting": 9, "estimates": estimates, "scheduled": []}
    fake.script = [answer(200, waitlist), answer(200, found)]
    form = {**POLICY, "schedule": "60 at 2999-01-01T00:00:00Z"}
    text = readable(scripted.send("/lists/bakery/policy/preview", **form).text)
    assert "10 joins now 2 h (1 h 58 min to 2 h 1 min) " in text
    assert "100 There is no place within a year. -" in text


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("rate_count", "0", "Rate: enter a number of at least 1"),
        ("rate_count", "some", "Rate: enter a whole number"),
        ("schedule", "tomorrow", "Schedule 'tomorrow': give"),
        ("schedule", "5 at 99 9 * * *", "schedule.0.cron: is not a cron expression"),
        ("schedule", "60 at soon", "is not a time such as 2026-12-01T18:00"),
        ("pass_seconds", "", "Passes last: enter a number of seconds"),
    ],
)
def test_the_preview_explains_an_invalid_policy(
    console: Opened, bakery: Bakery, field: str, value: str, message: str
) -> None:
    path = f"/lists/{bakery.waitlist_id}/policy/preview"
    assert message in console.submit_refused(path, **{**POLICY, field: value})


YEAR = datetime.now(UTC).year + 1
LAUNCH = {
    "by": "launch",
    "at": f"{YEAR}-12-01T09:00",
    "timezone": "Europe/Berlin",
    "count": "500",
    "rate_count": "50",
    "rate_per": "minute",
    "max_inside": "200",
    "offer_seconds": "600",
    "pass_seconds": "1800",
    "no_show": "to_back",
    "customer_exit": "frees_now",
}


def test_the_time_of_a_launch_is_entered_in_a_time_zone(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/policy"
    assert f'href="{path}/launch"' in console.page(path)
    text = readable(console.send(f"{path}/preview", **LAUNCH).text)
    begins = f"{YEAR}-12-01T09:00:00+01:00"
    shown = rf"09:00:00 on \w{{3}} 1 Dec {YEAR} \(Europe/Berlin\)"
    rate = f"50 a minute who enter from {shown}"
    assert re.search(f"{rate} and 500 at {shown}, at most 200 inside", text)
    assert f"1 Dec {YEAR}: 500 places" in text
    assert "has passed" not in text
    assert "The admission policy was saved." in console.submit(path, **LAUNCH)
    assert bakery.typed.json("policy", bakery.waitlist_id)["admission"] == {
        **DEFAULTS,
        "schedule": [{"at": begins, "count": 500, "cron": None, "timezone": None}],
        "rate": {"count": 50, "per": "minute", "from": begins, "counts": "entered"},
        "combine": "sum",
        "max_inside": 200,
        "pass_seconds": 1800,
    }


def test_the_launch_form_starts_with_the_saved_policy(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/policy"
    console.submit(path, **{**POLICY, "rate_count": "7", "customer_exit": "frees_at_end"})
    console.submit(path, **{**POLICY, "rate_count": "7", "offer_hours": "08:00-22:00"})
    assert 'value="08:00-22:00"' in console.page(path)
    assert 'value="08:00-22:00"' in console.page(f"{path}/launch")
    console.submit(path, **{**POLICY, "rate_count": "7", "customer_exit": "frees_at_end"})
    page = console.page(f"{path}/launch")
    assert 'name="at" type="datetime-local" step="any" size="20" required value=""' in page
    assert 'name="customer_exit" value="frees_at_end"' in page
    assert "<option>Europe/Berlin</option>" in page
    console.submit(path, **{**LAUNCH, "max_inside": "", "rate_per": "hour"})
    page = console.page(f"{path}/launch")
    assert f'value="{YEAR}-12-01T08:00:00"' in page
    assert ('value="500"' in page, 'value="50"' in page) == (True, True)
    assert "<option selected>hour</option>" in page


def test_the_preview_warns_about_a_launch_in_the_past(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/policy"
    passed = "09:00:00 on Tue 1 Dec 2020 (Europe/Berlin) has passed"
    form = {**LAUNCH, "at": "2020-12-01T09:00", "no_show": "keep_place"}
    text = readable(console.send(f"{path}/preview", **form).text)
    assert passed in text
    assert "With keep_place, the next offer goes to the no-show again" in text
    plain = {**POLICY, "schedule": "500 at 2020-12-01T09:00:00+01:00"}
    passed = "08:00:00 on Tue 1 Dec 2020 (UTC) has passed"
    assert passed in readable(console.send(f"{path}/preview", **plain).text)
    console.submit(path, **plain)
    # The page warns about a new scheduled time in the past. It does not warn about saved times,
    # whose offers were made long ago.
    assert "has passed" not in readable(console.send(f"{path}/preview", **plain).text)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("at", "", "Begins: choose a date and time"),
        ("at", "tomorrow", "Begins: 'tomorrow' is not a date and time"),
        ("at", "0001-01-01T00:00", "Begins: '0001-01-01T00:00' is not a date and time"),
        ("at", "2999-12-01T09:00+01:00", "is not a date and time"),
        ("at", "2026-03-29T02:30", "the clocks in Europe/Berlin skip 02:30 on 29 March 2026"),
        ("timezone", "Mars/Base", "Time zone: 'Mars/Base' is not a time zone"),
        ("count", "", "People at the start: enter a number of at least 1"),
        ("rate_count", "0", "Afterwards: enter a number of at least 1"),
        ("rate_per", "year", "Afterwards: 'year' is not a period"),
        ("max_inside", "few", "At most inside: enter a whole number"),
        ("offer_seconds", "", "Offers last: enter a number of at least 1"),
    ],
)
def test_an_invalid_launch_is_refused_with_a_reason(
    console: Opened, bakery: Bakery, field: str, value: str, message: str
) -> None:
    path = f"/lists/{bakery.waitlist_id}/policy"
    assert message in console.submit_refused(f"{path}/preview", **{**LAUNCH, field: value})
    assert message in console.submit_refused(path, **{**LAUNCH, field: value})


def test_an_ambiguous_launch_time_means_the_earlier_time(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/policy/preview"
    text = readable(console.send(path, **{**LAUNCH, "at": "2026-10-25T02:30"}).text)
    assert "500 at 02:30:00 on Sun 25 Oct 2026 (Europe/Berlin)" in text


def test_segments_are_counted(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/segments"
    assert "No one in the queue has the attributes of a segment." in console.text(path)
    bakery.sign_up("ada", "bob", attributes={"language": "German"})
    bakery.sign_up("cyd", attributes={"language": "Spanish"})
    assert "language=German 2 language=Spanish 1" in console.text(path)


def test_an_export_equals_the_export_of_the_command_line(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", profile={"name": "=SUM(1)"})
    bakery.sign_up("bob")
    path = f"/lists/{bakery.waitlist_id}/export"
    answer = console.browser.get(path)
    name = f'attachment; filename="{bakery.waitlist_id}-waiting.csv"'
    assert answer.headers["content-disposition"] == name
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["customer_id"] for row in rows] == ["ada", "bob"]
    assert answer.text.splitlines() == bakery.typed.run("export", bakery.waitlist_id).splitlines()
    lines = console.browser.get(path, params={"form": "jsonl"}).text.splitlines()
    assert json.loads(lines[0])["profile"] == {"name": "=SUM(1)"}
    assert console.browser.get(path, params={"form": "xls"}).status_code == 422


def test_concurrent_changes_of_two_operators_do_not_overwrite_each_other(
    console: Opened, bakery: Bakery
) -> None:
    waitlist_id = bakery.waitlist_id
    path = f"/lists/{waitlist_id}/settings"

    def seen(of: str = path) -> dict[str, str]:
        found = re.search(r'name="seen" value="([^"]*)"', console.page(of))
        assert found
        return {"seen": unescape(found[1])}

    mine, policy = {**SETTINGS, **seen()}, {**POLICY, **seen(f"/lists/{waitlist_id}/policy")}
    bakery.typed.run("edit", waitlist_id, "--name", "Café", "--rest-max-days", "30")
    console.submit(path, **{**mine, "capacity": "10"})
    found = bakery.typed.json("show", waitlist_id)
    assert (found["name"], found["capacity"]) == ("Café", 10)
    assert found["rest"] == {"max_days": 30, "times": 3}
    refused = console.submit_refused(path, **{**mine, "capacity": "20", "name": "Deli"})
    assert "Another operator has changed name, capacity since you opened this page" in refused
    assert bakery.typed.json("show", waitlist_id) == found
    bakery.typed.run("policy", waitlist_id, "--rate", "5/minute")
    for name in ("policy", "policy/launch"):
        assert seen(f"/lists/{waitlist_id}/{name}")["seen"] != policy["seen"]
    assert "has changed admission" in console.submit_refused(
        f"/lists/{waitlist_id}/policy", **policy
    )
    page = {**seen(f"/lists/{waitlist_id}/page"), "text": "Fresh"}
    arranged = console.send(f"/lists/{waitlist_id}/page/questions", **page, do="add").text
    assert f'value="{page["seen"]}"' in unescape(arranged)
    bakery.typed.run("page", waitlist_id, "--text", "Stale")
    assert "has changed page" in console.submit_refused(f"/lists/{waitlist_id}/page", **page)
    damaged = console.submit_refused(path, **{**mine, "seen": "{"})
    assert "Open the page again" in damaged
