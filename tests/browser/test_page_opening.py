"""Tests a waitlist that opens at a set time.

The page counts down to this time and then shows the form without a reload.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.browser.stage import Stage

AN_HOUR = timedelta(hours=1)
SPREAD_MILLIS = 5_000  # After the opening, every page polls within this time.


@dataclass
class Door:
    """Simulates a service whose waitlist opens at a given time.

    The test moves the clocks of this service and of the page forward together.
    """

    stage: Stage
    now: datetime
    opens_at: datetime
    asked: int = 0

    def __post_init__(self) -> None:
        path = f"**/v1/waitlists/{self.stage.operator.waitlist_id}"
        self.stage.page.route(path, self._answer)

    def _answer(self, route: Route) -> None:
        self.asked += 1
        line = "open" if self.now >= self.opens_at else "not_open_yet"
        times = {"as_of": self.now.isoformat(), "opens_at": self.opens_at.isoformat()}
        answer: dict[str, Any] = {**route.fetch().json(), **times, "line": line}
        route.fulfill(json=answer)

    def go_on(self, millis: int) -> None:
        self.now += timedelta(milliseconds=millis)
        self.stage.page.clock.run_for(millis)


@pytest.mark.parametrize(("off", "place"), [(-AN_HOUR, 0.1), (AN_HOUR, 0.9)])
def test_a_page_opens_within_seconds_of_the_time_by_the_clock_of_the_service(
    stage: Stage, off: timedelta, place: float
) -> None:
    """Even if the phone's clock is an hour off, the page opens within seconds of the opening time.

    Each browser polls at a different moment within these seconds, so that the requests do not all
    come at once.
    """
    page = stage.page
    page.add_init_script(f"Math.random = () => {place}; window.isSame = true;")
    stage.configure()
    now = datetime.now(UTC)
    door = Door(stage, now, opens_at=now + timedelta(minutes=2))
    page.clock.install(time=now + off)
    page.clock.pause_at(now + off + timedelta(seconds=1))
    stage.open()
    stage.shows("This line is not open yet")
    timer, said = page.get_by_role("timer"), page.locator("waitlist-position [role=status].unseen")
    expect(timer).to_have_text("2:00")
    expect(page.get_by_role("button", name="Join the line")).to_have_count(0)
    door.go_on(60_000)
    expect(timer).to_have_text("1:00")
    expect(said).to_have_text("Opens in 1 minute.")
    door.go_on(40_000)
    expect(timer).to_have_text("0:20")
    expect(said).to_have_text("Opens in 1 minute.")
    door.go_on(20_000)
    expect(page.get_by_text("The line is opening.")).to_be_visible()
    expect(timer).to_be_hidden()
    door.go_on(int(place * SPREAD_MILLIS) - 100)
    assert door.asked == 1
    door.go_on(200)
    expect(page.get_by_role("button", name="Join the line")).to_be_visible()
    assert door.asked == 2
    expect(said).to_have_text("The line is open.")
    assert page.evaluate("() => window.isSame"), "the page was not loaded again"
    stage.press("Join the line")
    stage.shows("You are in line")


def test_a_page_notices_that_the_opening_time_has_changed(stage: Stage) -> None:
    opens_at = datetime.now(UTC) + timedelta(days=3)
    stage.configure(opens_at=opens_at.isoformat().replace("+00:00", "Z"))
    stage.page.clock.install()
    stage.open()
    stage.shows("This line is not open yet")
    expect(stage.page.get_by_role("timer")).to_contain_text("2 days 23:59")
    stage.configure(opens_at=None)
    stage.page.clock.run_for(331_000)
    stage.press("Join the line")
    stage.shows("You are in line")


def test_a_signup_that_comes_too_early_shows_the_countdown(stage: Stage) -> None:
    """If an operator sets an opening time while a customer has the form open, the signup is
    refused, and the page shows the countdown.
    """
    stage.configure()
    stage.open()
    expect(stage.page.get_by_role("button", name="Join the line")).to_be_visible()
    stage.configure(opens_at="2999-12-01T09:00:00Z")
    stage.press("Join the line")
    stage.shows("This line is not open yet")
    expect(stage.page.get_by_text("This was not accepted")).to_have_count(0)
