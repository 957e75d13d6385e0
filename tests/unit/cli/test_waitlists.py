"""Tests of the commands that create and change waitlists, against the real service."""

import json
from pathlib import Path
from typing import Any

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.fake_service import problem as refusal
from tests.unit.cli.typed import Typed, problem


def read_settings(bakery: Bakery) -> dict[str, object]:
    shown: dict[str, object] = bakery.typed.json("show", bakery.waitlist_id)
    return shown


def test_a_waitlist_is_created_with_settings(typed: Typed, bakery: Bakery) -> None:
    name = f"{bakery.waitlist_id}-2"
    made = typed.json("create", name, "--capacity=9", "--closed", "--rejoin=never", "--lease=60")
    assert made["max_guest_bytes"] == 2048
    assert (made["name"], made["capacity"], made["open"]) == (name, 9, False)
    assert (made["rejoin"], made["lease_seconds"]) == ("never", 60)
    listed = typed.json("list")["waitlists"]
    assert {name, bakery.waitlist_id} <= {one["waitlist_id"] for one in listed}


def test_an_existing_waitlist_is_not_created_again(typed: Typed, bakery: Bakery) -> None:
    """If the waitlist exists, `create` fails rather than replace its settings (promise P5)."""
    result = typed("create", bakery.waitlist_id, "--name", "Other")
    assert result.exit_code == 1
    assert f"waitlist edit {bakery.waitlist_id}" in result.stderr
    assert read_settings(bakery)["name"] == "Bakery"


def test_a_waitlist_that_another_operator_has_just_created_is_not_replaced(
    fake: FakeService,
) -> None:
    exists = {"code": "waitlist_exists", "detail": "it has another name", "status": 412}
    differs = {**exists, "errors": [{"field": "body.name", "message": 'is "Other" now'}]}
    missing = refusal(404, "waitlist_not_found")
    fake.script = [missing, answer(412, differs)]
    result = Typed(fake.url)("create", "bakery", "--name", "Mine")
    assert (result.exit_code, "waitlist edit bakery" in result.stderr) == (1, True)
    assert fake.requests[-1][2]["if-none-match"] == "*"
    # The service creates the waitlist, but its response is lost, so the command sends the request a
    # second time.
    lost = refusal(503, "record_unavailable", Retry_After="0")
    fake.script = [missing, lost, answer(412, exists), answer(200, {"waitlist_id": "bakery"})]
    assert Typed(fake.url)("--json", "create", "bakery", "--name", "Mine").exit_code == 0


def test_an_edit_keeps_settings_that_it_does_not_name(
    typed: Typed, bakery: Bakery, tmp_path: Path
) -> None:
    typed.run("edit", bakery.waitlist_id, "--capacity", "5", "--retention-days", "30")
    typed.run("edit", bakery.waitlist_id, "--max-guest-bytes", "500", "--max-claims", "1")
    before = read_settings(bakery)
    assert (before["max_guest_bytes"], before["max_claims"]) == (500, 1)
    typed.run("edit", bakery.waitlist_id, "--max-attempts", "2", "--hide-counts")
    after = read_settings(bakery)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"max_attempts", "hide_counts", "version", "updated_at"}
    typed.run("edit", bakery.waitlist_id, "--rest-times", "2")
    typed.run("edit", bakery.waitlist_id, "--rest-max-days", "30")
    assert read_settings(bakery)["rest"] == {"max_days": 30, "times": 2}
    assert "rest\tat most 30 days, 2 times per signup\n" in typed.run("show", bakery.waitlist_id)
    typed.run("edit", bakery.waitlist_id, "--rest-max-days", "0")
    assert read_settings(bakery)["rest"] is None
    typed.run("edit", bakery.waitlist_id, "--confirm-every-days", "60")
    typed.run("edit", bakery.waitlist_id, "--confirm-reminders-days", "7,1")
    typed.run("edit", bakery.waitlist_id, "--confirm-then", "to_back")
    text = "asked every 60 days, 14 days to answer, reminders 7, 1 days before, then to back\n"
    assert f"confirm\t{text}" in typed.run("show", bakery.waitlist_id)
    typed.run("edit", bakery.waitlist_id, "--confirm-every-days", "0")
    assert read_settings(bakery)["confirm"] is None
    assert typed("edit", bakery.waitlist_id, "--confirm-reminders-days", "x").exit_code == 2
    typed.run("edit", bakery.waitlist_id, "--messages", "joined, near", "--messages-near", "5")
    words = tmp_path / "words.json"
    words.write_text('{"de": {"near": {"text": "Bald"}}}', "utf-8")
    zone = ("--messages-language", "de", "--messages-timezone", "Europe/Berlin")
    shown = typed.run("edit", bakery.waitlist_id, "--messages-texts", str(words), *zone)
    told = "joined, near; de, times of Europe/Berlin, near is 5, own words: de\n"
    assert f"messages\t{told}" in shown
    words.write_text('{"de": {"joined": {"subject": "Da"}}}', "utf-8")
    typed.run("edit", bakery.waitlist_id, "--messages-texts", str(words))
    texts = typed.json("show", bakery.waitlist_id)["messages"]["texts"]
    assert list(texts["de"]) == ["joined"]
    typed.run("edit", bakery.waitlist_id, "--messages-texts", "")
    assert typed.json("show", bakery.waitlist_id)["messages"]["texts"] == {}
    sms = ("--sms-countries", "DE, AT", "--sms-number-types", "mobile,voip")
    budgets = ("--sms-parts-per-day", "300", "--mails-per-day", "2000")
    shown = typed.run("edit", bakery.waitlist_id, *sms, *budgets)
    told = "SMS to DE, AT (mobile, voip), at most 2000 emails a day, at most 300 SMS parts a day"
    assert told in shown
    nothing = ("--sms-countries", "", "--sms-parts-per-day", "0", "--mails-per-day", "0")
    typed.run("edit", bakery.waitlist_id, *nothing)
    found = typed.json("show", bakery.waitlist_id)["messages"]
    names = ("sms_countries", "sms_number_types", "sms_parts_per_day", "mails_per_day")
    assert [found[name] for name in names] == [[], ["mobile", "voip"], None, None]
    typed.run("edit", bakery.waitlist_id, "--messages", "")
    assert "messages\tnone\n" in typed.run("show", bakery.waitlist_id)
    unlimited = ("capacity", "retention_days", "max_claims")
    for name in unlimited:
        typed.run("edit", bakery.waitlist_id, f"--{name.replace('_', '-')}", "0")
    assert [read_settings(bakery)[name] for name in unlimited] == [None, None, None]


def test_files_of_texts_may_begin_with_a_byte_order_mark_and_must_be_objects(
    typed: Typed, bakery: Bakery, tmp_path: Path
) -> None:
    """P5"""
    words = tmp_path / "words.json"
    words.write_text('{"de": {"near": {"text": "Bald"}}}', "utf-8-sig")
    texts = ("--messages", "near", "--messages-texts", str(words))
    typed.run("edit", bakery.waitlist_id, *texts)
    assert list(typed.json("show", bakery.waitlist_id)["messages"]["texts"]) == ["de"]
    words.write_text("[]", "utf-8")
    for command in (("edit", *texts), ("page", "--texts", str(words))):
        refused = typed(command[0], bakery.waitlist_id, *command[1:])
        assert refused.exit_code == 1
        assert "texts: must be" in refused.stderr


def test_a_waitlist_can_identify_guests_by_address(typed: Typed, bakery: Bakery) -> None:
    options = ("--identity", "email", "--verify", "before_offer", "--verify-minutes", "60")
    made = typed.json(
        "create", f"{bakery.waitlist_id}-3", *options, "--blocked-domain", "a.example"
    )
    rules = {"field": "email", "verify": "before_offer", "verify_minutes": 60}
    more = {"plus_addresses": "same", "region": None, "blocked_domains": ["a.example"]}
    assert made["identity"] == rules | more
    shown = typed.run("edit", bakery.waitlist_id, *options)
    assert "identity\tthe email address, to be verified within 60 minutes\n" in shown
    phone = ("--identity", "phone", "--verify", "off", "--region", "DE")
    assert "the telephone number, not verified" in typed.run("edit", bakery.waitlist_id, *phone)
    other = ("--region", "", "--plus-addresses", "different", "--blocked-domain", "")
    typed.run("edit", bakery.waitlist_id, *other)
    kept = {"field": "phone", "verify": "off", "verify_minutes": 60}
    changed: dict[str, Any] = {"plus_addresses": "different", "region": None}
    assert read_settings(bakery)["identity"] == kept | changed | {"blocked_domains": []}
    typed.run("edit", bakery.waitlist_id, "--identity", "off")
    assert read_settings(bakery)["identity"] is None
    assert "the customer_id" in typed.run("show", bakery.waitlist_id)


def test_opening_and_closing_times_are_set_and_removed(typed: Typed, bakery: Bakery) -> None:
    times = ("--opens-at", "2999-12-01T09:00:00+01:00", "--closes-at", "2999-12-02T09:00Z")
    typed.run("edit", bakery.waitlist_id, *times)
    shown = (read_settings(bakery)["opens_at"], read_settings(bakery)["closes_at"])
    assert shown == ("2999-12-01T08:00:00.000Z", "2999-12-02T09:00:00.000Z")
    refused = typed("edit", bakery.waitlist_id, "--opens-at", "2999-12-01T09:00:00")
    assert "--opens-at: '2999-12-01T09:00:00' has no UTC offset" in refused.stderr
    refused = typed("edit", bakery.waitlist_id, "--opens-at", "9999-12-31T23:59:59-01:00")
    assert "--opens-at: '9999-12-31T23:59:59-01:00' is not a time" in refused.stderr
    typed.run("edit", bakery.waitlist_id, "--opens-at", "", "--closes-at", "")
    assert (read_settings(bakery)["opens_at"], read_settings(bakery)["closes_at"]) == (None, None)


def test_segments_are_replaced_together(typed: Typed, bakery: Bakery) -> None:
    typed.run("edit", bakery.waitlist_id, "--segment", "city,language", "--segment", "city")
    assert read_settings(bakery)["segments"] == [["city"], ["city", "language"]]
    typed.run("edit", bakery.waitlist_id, "--segment", "")
    assert read_settings(bakery)["segments"] == []


def test_a_waitlist_is_paused_resumed_closed_and_opened(typed: Typed, bakery: Bakery) -> None:
    for command, name, value in [
        ("pause", "paused", True),
        ("resume", "paused", False),
        ("close", "open", False),
        ("open", "open", True),
    ]:
        typed.run(command, bakery.waitlist_id)
        assert read_settings(bakery)[name] is value


def test_a_waitlist_is_deleted_only_after_a_confirmation(typed: Typed, bakery: Bakery) -> None:
    """P5"""
    result = typed("delete", bakery.waitlist_id)
    assert (result.exit_code, "--yes" in result.stderr) == (2, True)
    assert read_settings(bakery)["name"] == "Bakery"
    typed.run("delete", bakery.waitlist_id, "--yes")
    result = typed("--json", "show", bakery.waitlist_id)
    assert (result.exit_code, problem(result)["code"]) == (1, "waitlist_not_found")


def test_settings_and_a_person_are_not_edited_in_one_command(typed: Typed, bakery: Bakery) -> None:
    for words in (
        ["--name", "x", "--set", "a=b"],
        [],
        ["--customer", "ada", "--name", "x"],
    ):
        assert typed("edit", bakery.waitlist_id, *words).exit_code == 2


def test_in_a_pipe_list_prints_lines_with_tabs(typed: Typed, bakery: Bakery) -> None:
    lines = typed.run("list").splitlines()
    assert lines[0].split("\t")[:4] == ["waitlist", "name", "open", "paused"]
    row = next(line for line in lines if line.startswith(f"{bakery.waitlist_id}\t"))
    assert row.split("\t")[1:6] == ["Bakery", "true", "false", "", "language"]


def test_a_setting_that_needs_another_setting_is_saved_with_a_warning(
    typed: Typed, bakery: Bakery
) -> None:
    enter = "https://shop.example.com/enter"
    result = typed("page", bakery.waitlist_id, "--enter", enter)
    assert result.exit_code == 0
    assert "page.enter_url, admission: Customers are sent to enter_url" in result.stderr
    assert "warnings" not in result.stdout
    (warning,) = bakery.typed.json("show", bakery.waitlist_id)["warnings"]
    assert warning["code"] == "enter_url_without_policy"
    missing = typed("check", bakery.waitlist_id)
    assert missing.exit_code == 1
    commands = f"Use: waitlist page {bakery.waitlist_id} or waitlist policy {bakery.waitlist_id}"
    assert "Customers are sent to enter_url" in missing.stdout
    assert commands in missing.stdout
    asked = json.loads(typed("--json", "check", bakery.waitlist_id).stdout)
    assert asked == {"waitlist_id": bakery.waitlist_id, "warnings": [warning]}
    mended = typed("policy", bakery.waitlist_id, "--rate", "5/minute")
    assert (mended.exit_code, mended.stderr) == (0, "")
    assert "are complete" in bakery.typed.run("check", bakery.waitlist_id)
