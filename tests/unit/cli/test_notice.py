"""Tests of the commands for a waitlist's notice, against the real service."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.typed import problem


def notice(bakery: Bakery) -> dict[str, Any] | None:
    found: dict[str, Any] | None = bakery.typed.json("show", bakery.waitlist_id)["notice"]
    return found


def test_a_notice_is_shown_and_ended(bakery: Bakery) -> None:
    run, waitlist_id = bakery.typed.run, bakery.waitlist_id
    assert "Customers see the notice until you end it." in run(
        "notice", waitlist_id, "--text", "The oven is being repaired."
    )
    assert notice(bakery) == {"text": "The oven is being repaired.", "until": None}
    assert "The oven is being repaired." in run("show", waitlist_id)
    assert "The notice has ended." in run("notice", waitlist_id, "--end")
    assert notice(bakery) is None


def test_a_notice_has_several_languages_and_ends_in_the_time_zone_of_the_list(
    bakery: Bakery,
) -> None:
    waitlist_id = bakery.waitlist_id
    bakery.typed.run("edit", waitlist_id, "--timezone", "Europe/Berlin")
    texts = ("--text-en", "Late", "--text-de", "Zu spät")
    bakery.typed.run("notice", waitlist_id, *texts, "--until", "2099-07-01T18:00")
    assert notice(bakery) == {
        "text": {"en": "Late", "de": "Zu spät"},
        "until": "2099-07-01T16:00:00.000Z",
    }


def test_a_notice_ends_after_a_duration(bakery: Bakery) -> None:
    bakery.typed.run("notice", bakery.waitlist_id, "--text", "Late", "--until", "2h")
    shown = notice(bakery)
    assert shown is not None
    left = datetime.fromisoformat(shown["until"]) - datetime.now(UTC)
    assert timedelta(hours=1) < left <= timedelta(hours=2)


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ([], "enter the text that customers should read"),
        (["--text", "Late", "--text-de", "Zu spät"], "Give either one text for all languages"),
        (["--text", "Late", "--end"], "Pass either a new notice or --end."),
        (["--text", "Late", "--until", "soon"], "is not a time such as"),
        (["--text", "Late", "--until", "2020-01-01T00:00"], "choose a time in the future"),
        (["--text", "x" * 501], "500 characters"),
    ],
)
def test_a_wrong_notice_says_what_to_enter(bakery: Bakery, words: list[str], refused: str) -> None:
    result = bakery.typed("--json", "notice", bakery.waitlist_id, *words)
    assert result.exit_code != 0
    assert refused in json.dumps(problem(result))
    assert notice(bakery) is None
