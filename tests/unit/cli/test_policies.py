"""The command line shows, changes and simulates admission policies."""

import json
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.typed import Typed
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.policies import (
    DEFAULTS,
    policy_text,
    rate_of,
    schedule_of,
)


def policy(**settings: Any) -> dict[str, Any]:
    return {**DEFAULTS, **settings}


def preview(seconds: int | None, low: int = 0, high: int = 0) -> dict[str, Any]:
    wait = None if seconds is None else {"seconds": seconds, "low": low, "high": high}
    unavailable = "unknown" if wait is None else None
    found = {"position": 5000, "estimated_wait": wait, "estimate_unavailable": unavailable}
    return {"waiting": 3, "estimates": [found], "scheduled": []}


def test_a_policy_is_shown_in_words() -> None:
    begins = {**(rate_of("60/minute") or {}), "from": "2026-06-01T09:00:00Z"}
    assert policy_text(policy(rate=begins)) == "60 a minute from 2026-06-01T09:00:00Z"
    rush = schedule_of(["500 at 2026-06-01T09:00:00Z"])
    entered = policy(rate={**begins, "counts": "entered"}, schedule=rush, combine="sum")
    assert policy_text(entered) == (
        "60 a minute who enter from 2026-06-01T09:00:00Z and 500 at 2026-06-01T09:00:00Z"
    )


@pytest.mark.parametrize("text", ["500", "500/week", "x/minute", "1.5/hour", "-1/minute"])
def test_an_invalid_rate_is_wrong_usage(text: str) -> None:
    with pytest.raises(WrongUsage, match="500/minute"):
        rate_of(text)


@pytest.mark.parametrize(
    "text",
    [
        *("100", "100 at", "at noon", "100 at 0 9 *", "1 at a b c d e f g"),
        *("1 at noon", "1 at 2026-12-01T09:00:00", "1 at 2026-13-01T09:00:00Z"),
    ],
)
def test_an_invalid_schedule_is_wrong_usage(text: str) -> None:
    with pytest.raises(WrongUsage, match=r"--schedule .*2026-12-01T09:00:00Z"):
        schedule_of([text])


def test_a_policy_is_set_shown_changed_and_removed(bakery: Bakery) -> None:
    shown = bakery.typed.run("policy", bakery.waitlist_id)
    assert shown == "admission\tby hand only\n"
    bakery.typed.run(
        *("policy", bakery.waitlist_id, "--rate", "500/minute", "--max-inside", "2000"),
        *("--schedule", "100 at 0 9 * * * Europe/Berlin", "--no-show", "to_back"),
    )
    bakery.typed.run("policy", bakery.waitlist_id, "--pass-seconds", "120", "--rate", "")
    admission = bakery.typed.json("policy", bakery.waitlist_id)["admission"]
    assert admission["rate"] is None
    assert (admission["max_inside"], admission["pass_seconds"]) == (2000, 120)
    assert admission["no_show"] == "to_back"
    text = "100 at 0 9 * * * Europe/Berlin, at most 2,000 inside"
    assert policy_text(admission) == text
    assert f"admission\t{text}\n" in bakery.typed.run("show", bakery.waitlist_id)
    bakery.typed.run("policy", bakery.waitlist_id, "--off")
    assert bakery.typed.json("policy", bakery.waitlist_id) == {"admission": None}


def test_options_say_what_unused_and_declined_offers_do_and_when_the_admission_ends(
    bakery: Bakery,
) -> None:
    words = ("policy", bakery.waitlist_id)
    declines = ("--decline-to", "place", "--decline-pause-seconds", "60", "--decline-at-most", "1")
    misses = ("--misses-at-most", "2", "--misses-then", "park")
    bakery.typed.run(*words, *declines, *misses)
    bakery.typed.run(*words, "--until", "2999-12-24T19:00:00+01:00", "--then", "leave")
    admission = bakery.typed.json(*words)["admission"]
    assert admission["decline"] == {"to": "place", "pause_seconds": 60, "at_most": 1}
    assert admission["misses"] == {"at_most": 2, "then": "park"}
    assert (admission["until"], admission["then"]) == ("2999-12-24T18:00:00.000Z", "leave")
    shown = dict(line.split("\t") for line in bakery.typed.run(*words).splitlines())
    assert shown["misses"] == "at most 2, then park"
    assert shown["decline"].startswith("to place")
    assert shown["until"].startswith("2999-12-24")
    bakery.typed.run(*words, "--misses-at-most", "0", "--decline-to", "off", "--until", "")
    admission = bakery.typed.json(*words)["admission"]
    assert [admission[name] for name in ("misses", "decline", "until")] == [None] * 3


def test_a_policy_in_which_no_shows_keep_their_place_causes_a_warning(bakery: Bakery) -> None:
    def warned(*words: str) -> str:
        result = bakery.typed("policy", bakery.waitlist_id, *words)
        assert result.exit_code == 0
        return result.stderr

    assert warned("--max-inside", "5") == ""
    text = warned("--no-show", "keep_place")
    assert "gets 5 offers of 10 min, occupies a slot for 50 min" in text
    assert "5 offers of 1 min, occupies a slot for 5 min" in warned("--offer-seconds", "60")
    assert "keep_place" in warned("--simulate", "10")
    assert warned("--acceptance", "automatic") == ""
    assert warned("--acceptance", "enter", "--no-show", "to_back") == ""


def test_a_new_schedule_with_a_past_time_causes_a_warning(bakery: Bakery) -> None:
    words = ("policy", bakery.waitlist_id, "--schedule", "5 at 2020-01-01T09:00:00Z")
    text = bakery.typed(*words).stderr
    assert "2020-01-01T09:00:00Z has passed. A new schedule gives no slots" in text
    # The command warns about past times only if they are new. Past times in a saved schedule are
    # normal, because their offers have been made.
    assert "A new schedule" not in bakery.typed(*words, "--max-inside", "5").stderr


def test_the_policy_decides_when_a_customers_exit_frees_a_place(bakery: Bakery) -> None:
    bakery.typed.run("policy", bakery.waitlist_id, "--max-inside", "5")
    found = bakery.typed.json("policy", bakery.waitlist_id)["admission"]
    assert found["customer_exit"] == "frees_now"
    bakery.typed.run("policy", bakery.waitlist_id, "--customer-exit", "frees_at_end")
    found = bakery.typed.json("policy", bakery.waitlist_id)["admission"]
    assert (found["customer_exit"], found["max_inside"]) == ("frees_at_end", 5)
    assert "frees_at_end" in bakery.typed.run("policy", bakery.waitlist_id)


def test_the_hours_of_offers_are_set_and_removed(bakery: Bakery) -> None:
    words = ("policy", bakery.waitlist_id)
    bakery.typed.run(*words, "--rate", "5/minute", "--offer-hours", "08:00-22:00 Europe/Berlin")
    hours = {"from": "08:00", "to": "22:00", "timezone": "Europe/Berlin"}
    assert bakery.typed.json(*words)["admission"]["offer_hours"] == hours
    assert "5 a minute, 08:00-22:00 Europe/Berlin" in bakery.typed.run(*words)
    assert (
        "give '08:00-22:00 Europe/Berlin'" in bakery.typed(*words, "--offer-hours", "8-22").stderr
    )
    bakery.typed.run(*words, "--offer-hours", "")
    assert bakery.typed.json(*words)["admission"]["offer_hours"] is None


def test_changing_other_settings_keeps_the_policy(bakery: Bakery) -> None:
    """`pause` sends all the waitlist's settings, but leaves the admission policy unchanged (promise
    P5).
    """
    bakery.typed.run("policy", bakery.waitlist_id, "--max-inside", "5")
    before = bakery.typed.json("policy", bakery.waitlist_id)
    bakery.typed.run("pause", bakery.waitlist_id)
    bakery.typed.run("edit", bakery.waitlist_id, "--capacity", "9")
    assert bakery.typed.json("policy", bakery.waitlist_id) == before


def test_a_simulation_shows_the_estimate_of_the_service(bakery: Bakery) -> None:
    words = ("policy", bakery.waitlist_id, "--rate", "500/minute", "--simulate", "50000")
    text = "500 a minute: the last of 50,000 people waits 1 h 40 min (1 h 39 min to 1 h 40 min)"
    assert bakery.typed.run(*words) == f"{text}\n"
    (found,) = bakery.typed.json(*words)["estimates"]
    assert (found["position"], found["estimated_wait"]["seconds"]) == (50_000, 6000)
    assert bakery.typed.json("policy", bakery.waitlist_id) == {"admission": None}


def test_a_simulation_sends_the_whole_policy(fake: FakeService) -> None:
    typed = Typed(fake.url)
    saved = policy(rate=rate_of("1/second"), max_inside=7)
    fake.script = [answer(200, {"admission": saved}), answer(200, preview(7200, 3600, 14400))]
    words = ["policy", "bakery", "--rate", "500/minute", "--simulate", "5000"]
    text = "500 a minute, at most 7 inside: the last of 5,000 people waits 2 h (1 h to 4 h)\n"
    assert typed.run(*words) == text
    method, path, _, body = fake.requests[-1]
    assert (method, path) == ("POST", "/v1/admin/waitlists/bakery/preview")
    rate = {**saved["rate"], "count": 500, "per": "minute"}
    assert json.loads(body) == {"admission": {**saved, "rate": rate}, "people": 5000}
    fake.script = [answer(200, {"admission": saved}), answer(200, preview(None))]
    assert "the last of 5,000 people gets no place within a year" in typed.run(*words)
    fake.script = [answer(200, {"admission": saved}), answer(200, preview(9, 9, 9))]
    assert typed.run(*words).endswith(" waits 9 s\n")


def test_a_simulation_keeps_the_other_settings_of_a_group(fake: FakeService) -> None:
    declines = {"to": "place", "pause_seconds": 60, "at_most": 1}
    saved = policy(max_inside=7, decline=declines, misses={"at_most": 2, "then": "park"})
    fake.script = [answer(200, {"admission": saved}), answer(200, preview(9, 9, 9))]
    changes = ("--decline-at-most", "3", "--misses-at-most", "4")
    Typed(fake.url).run("policy", "bakery", *changes, "--simulate", "5")
    sent = json.loads(fake.requests[-1][3])["admission"]
    assert sent["decline"] == {**declines, "at_most": 3}
    assert sent["misses"] == {"at_most": 4, "then": "park"}


def test_an_invalid_schedule_is_refused_in_a_simulation(bakery: Bakery) -> None:
    words = ("policy", bakery.waitlist_id, "--simulate", "5", "--schedule")
    wrong = bakery.typed(*words, "1 at 99 9 * * *")
    assert (wrong.exit_code, "schedule.0.cron: is not a cron" in wrong.stderr) == (1, True)
    wrong = bakery.typed(*words, "1 at 0 9 * * * Nowhere/Town")
    assert (wrong.exit_code, "such as Europe/Berlin" in wrong.stderr) == (1, True)


def test_a_list_without_a_policy_has_nothing_to_simulate(fake: FakeService) -> None:
    fake.script = [answer(200, {"admission": None})]
    result = Typed(fake.url)("policy", "bakery", "--simulate", "5")
    assert (result.exit_code, "--rate" in result.stderr) == (1, True)


def test_after_a_concurrent_change_the_operator_is_asked_to_repeat_the_command(
    fake: FakeService,
) -> None:
    found = {"waitlist_id": "bakery", "admission": None, "version": 7}
    changed = {"code": "settings_changed", "detail": "send the new ETag", "status": 412}
    differs = {**changed, "errors": [{"field": "body.admission", "message": "is null now"}]}
    fake.script = [answer(200, found), answer(412, differs)]
    result = Typed(fake.url)("policy", "bakery", "--rate", "5/minute")
    assert (result.exit_code, "Run the command again" in result.stderr) == (1, True)
    assert fake.requests[-1][2]["if-match"] == '"7"'
    # The first request succeeded, but its response was lost. The command reads the settings again
    # and finds them as requested.
    fake.script = [answer(200, found), answer(412, changed), answer(200, found)]
    again = Typed(fake.url)("--json", "policy", "bakery", "--rate", "5/minute")
    assert again.exit_code == 0


def test_off_cannot_be_combined_with_other_options(fake: FakeService) -> None:
    assert Typed(fake.url)("policy", "bakery", "--off", "--rate", "1/day").exit_code == 2
    assert fake.requests == []


def test_changing_a_part_of_a_rate_keeps_the_other_parts(bakery: Bakery) -> None:
    def rate(*words: str) -> Any:
        bakery.typed.run("policy", bakery.waitlist_id, *words)
        return bakery.typed.json("policy", bakery.waitlist_id)["admission"]["rate"]

    begins = "2026-12-01T09:00:00Z"
    first = rate("--rate", "5/minute", "--rate-from", begins, "--rate-counts", "entered")
    assert first == {"count": 5, "per": "minute", "counts": "entered", "from": begins}
    assert rate("--rate", "7/hour") == first | {"count": 7, "per": "hour"}
    assert rate("--rate-from", "") == first | {"count": 7, "per": "hour", "from": None}
    assert rate("--rate", "") is None


@pytest.mark.parametrize("begins", ["tomorrow", "2026-12-01T09:00:00"])
def test_an_ambiguous_begin_of_a_rate_is_wrong_usage(bakery: Bakery, begins: str) -> None:
    words = ["--rate", "5/minute", "--rate-from", begins]
    assert bakery.typed("policy", bakery.waitlist_id, *words).exit_code == 2
    assert bakery.typed("policy", bakery.waitlist_id, "--rate-counts", "entered").exit_code == 2
    assert bakery.typed("policy", bakery.waitlist_id, "--off", "--rate-from", "").exit_code == 2
