"""Tests that the page survives lost connections, a busy service, sleeping phones, wrong clocks and
several open tabs.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.conftest import NewContext
from tests.browser.stage import Stage

ENTRY = re.compile(r"/v1/waitlists/[^/]+/entries/[a-z2-7]{26}$")
ENTRIES = re.compile(r"/v1/waitlists/[^/]+/entries$")
LIST = re.compile(r"/v1/waitlists/[^/]+$")
# This script lets a test hide or show a page. A headless browser never hides a page by itself.
VISIBILITY = """
  let state = 'visible';
  Object.defineProperty(Document.prototype, 'visibilityState', { get: () => state });
  window.setVisibility = (value) => {
    state = value;
    document.dispatchEvent(new Event('visibilitychange'));
  };
"""

# This script simulates a browser that forbids sites to store data. Such a browser also rejects
# requests for a lock.
BLOCKED = """
  Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } });
  LockManager.prototype.request = () => Promise.reject(new Error('blocked'));
"""


def record_polls(page: Page) -> list[Request]:
    looks: list[Request] = []

    def note(request: Request) -> None:
        if request.method == "GET" and ENTRY.search(request.url):
            looks.append(request)

    page.on("request", note)
    return looks


def refuse_with(status: int, retry_after: str | None, code: str = "") -> Callable[[Route], None]:
    def refuse(route: Route) -> None:
        headers = {"Retry-After": retry_after} if retry_after else {}
        body = json.dumps({"code": code} if code else {"message": "Too Many Requests"})
        route.fulfill(status=status, headers=headers, content_type="application/json", body=body)

    return refuse


def test_a_form_that_did_not_load_is_loaded_later(stage: Stage) -> None:
    """If the form's module fails to load, the page retries later with a different URL, because
    browsers do not retry a module URL that has failed.
    """
    stage.page.clock.install()
    stage.configure(page={"fields": [{"name": "name", "label": "Your name"}]})
    stage.page.route(re.compile(r"/form\.js$"), lambda route: route.abort())
    stage.open()
    expect(stage.page.get_by_text("No one is waiting")).to_be_visible()
    expect(stage.page.get_by_role("button", name="Join the line")).to_be_hidden()
    stage.page.clock.run_for(6_000)
    stage.page.get_by_label("Your name").fill("Ada")
    stage.press("Join the line")
    stage.shows("You are in line")


def test_the_page_recovers_when_the_network_returns(stage: Stage) -> None:
    early = stage.others
    stage.configure()
    first = early.joined("early")
    stage.join()
    stage.page.context.set_offline(True)
    expect(stage.page.get_by_text("No connection. Your place is kept")).to_be_visible()
    expect(stage.page.get_by_text("1 person ahead of you")).to_be_visible()
    assert early.leave(first).status_code == 204
    stage.page.context.set_offline(False)
    expect(stage.page.get_by_text("You are next.")).to_be_visible()
    expect(stage.page.get_by_text("No connection.")).to_be_hidden()


def test_the_page_promises_no_place_if_the_network_fails_at_the_signup(stage: Stage) -> None:
    stage.configure()
    stage.open()
    expect(stage.page.get_by_role("button", name="Join the line")).to_be_visible()
    stage.page.context.set_offline(True)
    stage.press("Join the line")
    trouble = stage.page.locator("waitlist-position .trouble")
    expect(trouble).to_have_text("No connection. This page will try again by itself.")
    stage.page.context.set_offline(False)
    stage.shows("You are in line")
    stage.page.context.set_offline(True)
    expect(trouble).to_have_text(
        "No connection. Your place is kept, and this page will try again by itself."
    )


def test_the_page_respects_the_retry_after_of_a_busy_service(stage: Stage) -> None:
    stage.page.clock.install()
    stage.join()
    looks = record_polls(stage.page)
    stage.page.route(ENTRY, refuse_with(429, "40"))
    stage.page.clock.run_for(2_000)
    expect(stage.page.get_by_text("Many people are here right now.")).to_be_visible()
    assert len(looks) == 1
    stage.page.clock.run_for(38_000)
    stage.page.evaluate("() => window.dispatchEvent(new Event('pageshow'))")
    assert len(looks) == 1
    stage.page.unroute(ENTRY)
    stage.page.clock.run_for(10_000)
    expect(stage.page.get_by_text("Many people are here right now.")).to_be_hidden()
    stage.shows("You are in line")


def test_the_page_polls_a_failing_service_with_increasing_pauses(stage: Stage) -> None:
    stage.page.clock.install()
    stage.join()
    looks = record_polls(stage.page)
    stage.page.route(ENTRY, refuse_with(503, None))
    for _ in range(120):
        stage.page.clock.run_for(1_000)
    expect(stage.page.get_by_text("The service is not responding right now.")).to_be_visible()
    assert 5 <= len(looks) <= 60
    stage.page.unroute(ENTRY)
    stage.page.clock.run_for(70_000)
    expect(stage.page.get_by_text("The service is not responding")).to_be_hidden()


def test_a_signup_without_an_answer_is_retried_as_the_same_signup(stage: Stage) -> None:
    """If a signup gets no response, the page retries it with the same idempotency key, even after a
    reload (promise P6).
    """
    stage.configure()
    stage.open()
    sent: list[tuple[str | None, Any]] = []

    def lose(route: Route) -> None:
        sent.append((route.request.header_value("idempotency-key"), route.request.post_data))
        route.fetch()
        route.abort()

    stage.page.route(ENTRIES, lose)
    stage.press("Join the line")
    expect(stage.page.get_by_text("No connection.")).to_be_visible()
    stage.page.reload()
    stage.shows("You are joining…")
    stage.page.unroute(ENTRIES)
    stage.shows("You are in line")
    expect(stage.page.get_by_text("You are next.")).to_be_visible()
    assert len(set(sent)) == 1
    assert stage.operator.stats()["signed_up"] == 1


def test_an_enter_request_without_an_answer_is_retried(stage: Stage) -> None:
    """P6"""
    stage.offer()
    lost: list[Route] = []

    def lose_once(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route)
        route.fetch()
        route.abort()

    stage.page.route("**/enter", lose_once)
    stage.press("Enter now")
    stage.shows("You are in")
    assert stage.operator.stats()["inside"] == 1


def test_a_reload_and_a_second_tab_show_the_same_place(stage: Stage) -> None:
    stage.join()
    entry_id = stage.entry_id
    stage.page.reload()
    stage.shows("You are in line")
    tab = stage.page.context.new_page()
    second = Stage(tab, stage.operator, stage.others)
    second.open()
    second.shows("You are in line")
    assert second.entry_id == entry_id
    second.press("Leave the line")
    second.confirm("Leave")
    stage.shows("You are not in the line")
    assert stage.operator.stats()["signed_up"] == 1


def test_tabs_share_their_polls(stage: Stage) -> None:
    context = stage.page.context
    context.clock.install()
    stage.join()
    tabs = [stage.page, context.new_page(), context.new_page()]
    for tab in tabs[1:]:
        tab.goto(stage.page.url)
        expect(tab.get_by_role("heading", name="You are in line")).to_be_visible()
    looks = [record_polls(tab) for tab in tabs]
    for _ in range(20):
        context.clock.run_for(1_000)
    # The tabs share their polls. If each tab polled on its own, this test would see far more polls.
    assert sum(map(len, looks)) <= 22
    stage.others.joined("late")
    for tab in tabs:
        expect(tab.get_by_text("1 person behind you")).to_be_visible()


def test_the_page_polls_at_once_when_the_phone_wakes_up(stage: Stage) -> None:
    stage.page.add_init_script(VISIBILITY)
    stage.page.clock.install()
    stage.configure()
    first, _ = stage.others.joined("bob"), stage.others.joined("cyd")
    stage.join()
    stage.page.evaluate("() => setVisibility('hidden')")
    looks = record_polls(stage.page)
    # Simulate a sleeping phone, on which time passes but no timer runs.
    stage.page.clock.set_system_time(stage.page.evaluate("() => Date.now() + 600_000"))
    assert stage.others.leave(first).status_code == 204
    assert looks == []
    stage.page.evaluate("() => setVisibility('visible')")
    expect(stage.page.get_by_text("1 person ahead of you")).to_be_visible()
    assert len(looks) == 1


def test_the_page_says_that_it_must_stay_open_if_there_is_no_storage(stage: Stage) -> None:
    stage.page.add_init_script(BLOCKED)
    stage.join()
    expect(stage.page.get_by_text("Please keep this page open")).to_be_visible()
    stage.others.joined("late")
    expect(stage.page.get_by_text("1 person behind you")).to_be_visible()


def test_a_token_of_another_stay_leads_to_the_form(stage: Stage) -> None:
    """If the place stored in the browser no longer exists, the page shows the signup form.

    In this test, an operator erases the customer, and somebody else signs up with the same customer
    id. The page does not show this other person's place (promise P5).
    """
    stage.join()
    customer = stage.kept["customer"]
    assert stage.operator.call("DELETE", f"/entries/{stage.entry_id}").status_code == 204
    assert stage.others.sign_up(customer).status_code == 201
    stage.notices("Your earlier place is no longer valid here.")
    stage.press("Join the line")
    stage.notices("Your earlier place cannot be shown")
    stage.press("Join the line")
    stage.shows("You are in line")
    expect(stage.page.get_by_text("1 person ahead of you")).to_be_visible()


def test_a_customer_who_was_erased_by_an_operator_may_join_again(stage: Stage) -> None:
    stage.join()
    assert stage.operator.call("DELETE", f"/entries/{stage.entry_id}").status_code == 204
    stage.notices("Your earlier place no longer exists.")
    stage.press("Join the line")
    stage.shows("You are in line")


@pytest.mark.parametrize("code", ["", "edge_only"])
def test_a_refusal_of_a_firewall_does_not_delete_the_entry(stage: Stage, code: str) -> None:
    """If a firewall refuses a request, the page keeps the customer's place, and asks again later.

    A guest's place is lost only if the service itself says that the token is not valid for it.
    """
    stage.page.clock.install()
    stage.join()
    stage.page.route(ENTRY, refuse_with(403, None, code))
    stage.page.clock.run_for(2_000)
    down = stage.page.get_by_text("The service is not responding right now. Your place is kept")
    expect(down).to_be_visible()
    stage.shows("You are in line")
    stage.page.unroute(ENTRY)
    stage.page.clock.run_for(300_000)
    expect(down).to_be_hidden()
    stage.shows("You are in line")


def test_a_firewall_that_refuses_a_signup_does_not_ask_a_guest_to_sign_in(stage: Stage) -> None:
    stage.configure()
    stage.page.route(ENTRIES, refuse_with(403, None))
    stage.open()
    stage.press("Join the line")
    stage.notices("This was not accepted.")
    stage.page.unroute(ENTRIES)
    stage.press("Join the line")
    stage.shows("You are in line")


def test_the_page_recovers_if_the_service_was_down_when_it_opened(
    stage: Stage, new_context: NewContext
) -> None:
    stage.configure()
    stage.page.route(LIST, refuse_with(503, "1", "rebuilding"))
    stage.open()
    expect(stage.page.get_by_text("The service is not responding right now.")).to_be_visible()
    stage.page.unroute(LIST)
    stage.press("Join the line")
    stage.shows("You are in line")


@pytest.mark.parametrize("body", ["<!doctype html><title>One moment</title>", ""])
def test_a_successful_response_of_a_firewall_is_not_an_answer(stage: Stage, body: str) -> None:
    """The page ignores a response that does not come from the service, even a successful one.

    For example, a firewall may send a puzzle with status 202, and a proxy may send its own page
    with status 200.
    """
    challenges: list[Route] = []

    def challenge(route: Route) -> None:
        challenges.append(route)
        route.fulfill(status=202, content_type="text/html", body=body)

    down = stage.page.get_by_text("The service is not responding right now.")
    stage.configure()
    stage.page.route(LIST, challenge)
    stage.open()
    expect(down).to_be_visible()
    stage.page.unroute(LIST)
    stage.page.route(ENTRIES, challenge)
    stage.press("Join the line")
    expect(down).to_be_visible()
    stage.page.unroute(ENTRIES)
    stage.shows("You are in line")
    stage.page.route(ENTRY, challenge)
    expect(down).to_be_visible()
    stage.page.unroute(ENTRY)
    expect(down).to_have_count(0)
    stage.shows("You are in line")
    assert stage.operator.stats()["signed_up"] == 1


def test_a_refusal_without_an_error_code_is_not_retried_at_once(stage: Stage) -> None:
    """If a refusal has no error code from the service, the page waits before it retries.

    Such a refusal comes from API Gateway, or from a proxy that does not know the path.
    """
    down = stage.page.get_by_text("The service is not responding right now.")
    stage.page.clock.install()
    stage.configure()
    stage.page.route(LIST, refuse_with(404, None))
    stage.open()
    expect(down).to_be_visible()
    stage.page.unroute(LIST)
    stage.page.reload()
    stage.press("Join the line")
    stage.shows("You are in line")
    looks = record_polls(stage.page)
    stage.page.route(ENTRY, refuse_with(404, None))
    stage.page.clock.run_for(20_000)
    expect(down).to_be_visible()
    assert len(looks) == 1
    stage.page.unroute(ENTRY)
    stage.page.clock.run_for(300_000)
    expect(down).to_have_count(0)


def test_the_page_polls_a_leaving_entry_as_often_as_the_service_asks(stage: Stage) -> None:
    """While an entry has the status `leaving`, the page polls as often as each response tells it
    to.
    """
    stage.page.clock.install()
    stage.join()
    looks = record_polls(stage.page)
    leaving = {"status": "leaving", "position": None, "poll_after_seconds": 2}
    stage.page.route(ENTRY, lambda route: route.fulfill(json=leaving))
    stage.page.clock.run_for(3_000)
    stage.shows("You are not in the line")
    for number in range(1, 4):
        with stage.page.expect_request(ENTRY):
            stage.page.clock.run_for(2_500)
        assert len(looks) == number + 1


def test_the_page_keeps_the_place_in_memory_if_the_storage_is_full(stage: Stage) -> None:
    """If the browser's storage is full, the page keeps the place in memory.

    In this test, the storage still has room for a short trial value, but not for a whole entry.
    """
    stage.page.add_init_script(
        """
        const set = Storage.prototype.setItem;
        Storage.prototype.setItem = function (key, value) {
          if (value.length > 40) throw new DOMException('full', 'QuotaExceededError');
          set.call(this, key, value);
        };
        """
    )
    stage.join()
    expect(stage.page.get_by_text("Please keep this page open")).to_be_visible()
    stage.press("Forget me here")
    stage.confirm("Forget me")
    stage.notices("This browser has forgotten you.")
    assert stage.page.evaluate("() => localStorage.length") == 0


def test_a_signup_whose_tab_was_closed_continues_in_another_tab(stage: Stage) -> None:
    """If the customer closes a tab during the signup, another tab continues with the same
    idempotency key (promise P6).
    """
    stage.configure()
    second = Stage(stage.page.context.new_page(), stage.operator, stage.others)
    second.page.clock.install()
    for tab in (stage, second):
        tab.open()
        expect(tab.page.get_by_role("button", name="Join the line")).to_be_visible()
    stage.page.route(ENTRIES, lambda _route: None)
    with stage.page.expect_request(ENTRIES):
        stage.press("Join the line")
    second.shows("You are joining…")
    key = second.kept["joining"]["key"]
    stage.page.close()
    with second.page.expect_request(ENTRIES) as sent:
        second.page.clock.run_for(40_000)
    assert sent.value.header_value("idempotency-key") == key
    second.shows("You are in line")


@pytest.mark.parametrize("millis", [-86_400_000, 86_400_000])
def test_a_wrong_clock_does_not_end_the_time_inside(stage: Stage, millis: int) -> None:
    """The countdown of the time inside is correct even if the device's clock is wrong and the page
    is reloaded.
    """
    stage.page.add_init_script(
        f"const real = Date.now.bind(Date); Date.now = () => real() + {millis};"
    )
    stage.enter()
    stage.page.reload()
    stage.shows("You are in")


def test_a_wrong_clock_does_not_hide_the_day_of_a_time(stage: Stage) -> None:
    """A time more than half a day ahead has its weekday, even if the device's clock is wrong."""
    stage.page.add_init_script(
        "const real = Date.now.bind(Date); Date.now = () => real() + 50_400_000;"
    )
    then = datetime.now(UTC) + timedelta(hours=13)
    schedule = [{"cron": f"{then.minute} {then.hour} * * *", "timezone": "UTC", "count": 5}]
    stage.configure(admission={"schedule": schedule, "pass_seconds": 46_800})
    stage.open()
    day = f"{then.astimezone():%A}"
    expect(stage.page.get_by_text(f"The next people are let in: {day}")).to_be_visible()
    stage.configure(open=False)
    stage.open()
    stage.shows("This line is closed")
    expect(stage.page.get_by_text(f"The next people are let in: {day}")).to_be_visible()
    stage.configure(open=True)
    stage.open()
    stage.press("Join the line")
    stage.admit()
    stage.press("Enter now")
    expect(stage.page.get_by_text(f"You can stay until {day}")).to_be_visible()


def test_a_clock_that_is_set_back_does_not_stop_the_polls(stage: Stage) -> None:
    """If the device's clock is set back, the page polls as usual, although the stored time of its
    last poll is now in the future.
    """
    stage.page.add_init_script(
        """
        const real = Date.now.bind(Date);
        Date.now = () => real() + (sessionStorage.isRight ? 0 : 86_400_000);
        """
    )
    stage.join()
    stage.page.evaluate("() => (sessionStorage.isRight = '1')")
    stage.others.joined("late")
    stage.page.reload()
    expect(stage.page.get_by_text("1 person behind you")).to_be_visible()


def test_a_late_answer_does_not_undo_an_action_of_the_customer(stage: Stage) -> None:
    """A late response does not undo what the customer has done since.

    In this test, the response to a poll arrives after the customer has declined the offer.
    """
    stage.offer()
    held: list[Route] = []
    stage.page.route(
        ENTRY, lambda route: held.append(route) if is_poll(route) else route.continue_()
    )
    stage.page.wait_for_event("request", lambda request: bool(ENTRY.search(request.url)))
    stage.page.evaluate("() => 0")  # Playwright has now handled the request.
    late = held[0].fetch()
    stage.press("Not now")
    stage.confirm("Go to the end")
    stage.shows("You are in line")
    held[0].fulfill(response=late)
    stage.page.unroute(ENTRY)
    stage.others.joined("late")
    expect(stage.page.get_by_text("1 person behind you")).to_be_visible()
    expect(stage.page.get_by_text("Your turn has passed")).to_have_count(0)


def is_poll(route: Route) -> bool:
    return route.request.method == "GET"
