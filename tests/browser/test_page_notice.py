"""Tests that the customer's page shows the operator's notice until the notice ends."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.axe import Axe
from tests.browser.stage import Stage

TEXT = "The doctor is late.\nWe are sorry <script>alert(1)</script>"
# The page loads the notice with every tenth poll. Near the head of the queue, it polls about once a
# second, so a new notice appears after at most 11 seconds.
SOON_MS = 15_000


def put_notice(stage: Stage, text: Any, seconds: float | None = None) -> None:
    until = None
    if seconds is not None:
        moment = datetime.now(UTC) + timedelta(seconds=seconds)
        until = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    answer = stage.operator.call("PUT", "/notice", json={"text": text, "until": until})
    assert answer.status_code == 200, answer.text


def shown(stage: Stage) -> Locator:
    return stage.page.locator("waitlist-position .news")


def test_a_customer_who_waits_reads_a_new_notice_until_an_operator_ends_it(
    stage: Stage, axe: Axe
) -> None:
    stage.join()
    expect(shown(stage)).to_have_text("")
    put_notice(stage, TEXT)
    expect(shown(stage)).to_have_text(TEXT, timeout=SOON_MS)
    expect(shown(stage)).to_have_role("status")
    assert axe.violations(stage.page) == []
    stage.admit()
    expect(stage.page.get_by_role("heading", name="It is your turn")).to_be_visible()
    expect(shown(stage)).to_have_text(TEXT)
    put_notice(stage, None)
    stage.open()
    stage.shows("It is your turn")
    expect(shown(stage)).to_be_hidden()


def test_a_notice_disappears_when_its_time_is_over(stage: Stage) -> None:
    stage.configure()
    put_notice(stage, "The doctor is late.", seconds=6)
    stage.open()
    expect(shown(stage)).to_have_text("The doctor is late.")
    stage.page.route("**/v1/**", lambda route: route.abort())
    expect(shown(stage)).to_be_hidden(timeout=SOON_MS)


@pytest.mark.parametrize(("language", "text"), [("de", "Verspätet"), ("fr", "Late")])
def test_a_notice_is_in_the_language_of_the_customer(
    stage: Stage, language: str, text: str
) -> None:
    stage.configure()
    put_notice(stage, {"en": "Late", "de": "Verspätet"})
    stage.open(f"?lang={language}")
    expect(shown(stage)).to_have_text(text)
