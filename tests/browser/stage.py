"""Sets up a waitlist and a customer's page in each state that the page can show.

The browser tests start from these states.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.callers import Customer, Operator

NAME = "Corner Bakery"
POLICY = {"offer_seconds": 600, "pass_seconds": 600}
FIELDS = [
    {"name": "name", "label": "Your name", "required": True},
    {"name": "email", "label": "Email", "type": "email"},
    {
        "name": "city",
        "label": "Branch",
        "type": "select",
        "options": ["Mitte", "Nord"],
        "kept_in": "attributes",
    },
]
PHONE = {"name": "phone", "label": "Mobile number", "type": "tel"}
TERMS: dict[str, Any] = {
    "name": "terms",
    "label": {
        "en": "I agree to the [terms](https://example.com/terms), ask [us](mailto:us@example.com).",
        "ar": "أوافق على [الشروط](https://example.com/ar).",
    },
    "type": "checkbox",
    "required": True,
    "version": "2026-11",
}


# The buttons in the "More" menu.
SELDOM = ("Change my details", "Open on another device", "Forget me here")


def press(page: Page, button: str) -> None:
    if button in SELDOM:
        menu = page.get_by_role("button", name="More", exact=True, expanded=False)
        found = page.get_by_role("button", name=button, exact=True)
        expect(menu.or_(found).first).to_be_visible()
        if menu.is_visible():
            menu.click()
    page.get_by_role("button", name=button, exact=True).click()


@dataclass
class Stage:
    """A waitlist that the test operates, and a customer's page."""

    page: Page
    operator: Operator
    others: Customer
    settings: dict[str, Any] = field(default_factory=dict)

    def configure(self, **settings: Any) -> None:
        self.settings |= settings
        answer = self.operator.put({"name": NAME, **self.settings})
        assert answer.status_code in (200, 201), answer.text

    def open(self, query: str = "") -> None:
        self.page.goto(f"/w/{self.operator.waitlist_id}{query}")

    def shows(self, heading: str) -> None:
        expect(self.page.get_by_role("heading", name=heading, exact=True)).to_be_visible()

    def notices(self, text: str) -> None:
        expect(self.page.locator("waitlist-position .notice")).to_contain_text(text)

    def join(self, **settings: Any) -> None:
        self.configure(**settings)
        self.open()
        self.press("Join the line")
        self.shows("You are in line")

    def press(self, button: str) -> None:
        press(self.page, button)

    def confirm(self, button: str) -> None:
        self.page.get_by_role("dialog").get_by_role("button", name=button, exact=True).click()

    @property
    def kept(self) -> dict[str, Any]:
        texts = self.page.evaluate("() => Object.values(localStorage).map(JSON.parse)")
        (kept,) = [value for value in texts if value]
        return dict(kept)

    @property
    def entry_id(self) -> str:
        return str(self.kept["entry"]["entry_id"])

    def offer(self) -> None:
        self.join(admission=POLICY)
        self.admit()
        self.shows("It is your turn")

    def admit(self) -> None:
        answer = self.operator.call("POST", "/admit", json={"count": 1})
        assert answer.status_code == 200, answer.text

    def claim(self, **body: Any) -> str:
        answer = self.operator.call("POST", "/claims", json={"count": 1, **body})
        return str(answer.json()["claims"][0]["claim_token"])

    def act(self, kind: str, verb: str, **body: Any) -> None:
        answer = self.operator.call("POST", f"/{kind}/{self.entry_id}/{verb}", json=body)
        assert answer.is_success, answer.text

    def enter(self) -> None:
        self.offer()
        self.press("Enter now")
        self.shows("You are in")


def missing(stage: Stage) -> None:
    stage.open()
    stage.shows("There is no line here")


def form(stage: Stage) -> None:
    stage.configure(page={"text": "Fresh bread.", "colour": "#ffe100"})
    stage.others.joined("early")
    page = {"text": "Fresh bread.", "fields": [*FIELDS, TERMS], "colour": "#ffe100"}
    stage.configure(page=page)
    stage.open()
    expect(stage.page.get_by_text("1 person is waiting.")).to_be_visible()
    expect(stage.page.get_by_role("link", name="terms")).to_be_visible()


def paused(stage: Stage) -> None:
    stage.configure(paused=True)
    stage.open()
    expect(stage.page.get_by_text("No one is let in at the moment.")).to_be_visible()


def closed(stage: Stage) -> None:
    daily = {"schedule": [{"cron": "0 9 * * *", "timezone": "UTC", "count": 5}]}
    stage.configure(open=False, admission=daily)
    stage.open()
    stage.shows("This line is closed")
    expect(stage.page.get_by_text("The next people are let in:")).to_be_visible()


def not_open_yet(stage: Stage) -> None:
    stage.configure(opens_at="2999-12-01T09:00:00Z")
    stage.open()
    stage.shows("This line is not open yet")


def full(stage: Stage) -> None:
    stage.configure(capacity=1)
    stage.others.joined("early")
    stage.open()
    stage.shows("This line is full")


def waiting(stage: Stage) -> None:
    stage.configure(page={"text": "Fresh bread.", "colour": "#ffe100"})
    stage.others.joined("early")
    stage.join()
    stage.others.joined("late")
    expect(stage.page.get_by_text("1 person behind you")).to_be_visible()


def question(stage: Stage) -> None:
    stage.join()
    stage.press("Leave the line")
    stage.shows("Leave the line?")


def forgetting(stage: Stage) -> None:
    stage.join()
    stage.press("Forget me here")
    stage.shows("Forget me in this browser?")


def forgotten(stage: Stage) -> None:
    forgetting(stage)
    stage.confirm("Forget me")
    stage.notices("This browser has forgotten you.")


def choosing(stage: Stage) -> None:
    stage.join(rest={"max_days": 10, "times": 2})
    stage.press("Let others pass")
    stage.shows("Let others pass?")


def changing(stage: Stage) -> None:
    stage.configure(page={"fields": [*FIELDS, TERMS]})
    stage.open()
    stage.page.get_by_label("Your name").fill("Ada")
    stage.page.get_by_role("checkbox").check()
    stage.press("Join the line")
    stage.press("Change my details")
    stage.shows("Your details")


def resting(stage: Stage) -> None:
    choosing(stage)
    stage.act("entries", "ready", ready=False)
    stage.confirm("Let others pass")
    expect(stage.page.get_by_text("You are letting others pass until")).to_be_visible()
    expect(stage.page.get_by_text("the organizer is holding it back")).to_be_visible()


def asked(stage: Stage) -> None:
    stage.join(confirm={"every_days": 90})
    assert stage.operator.call("POST", "/confirm", json={}).status_code == 200
    expect(stage.page.get_by_text("Are you still waiting?")).to_be_visible()


def offered(stage: Stage) -> None:
    stage.offer()


def called(stage: Stage) -> None:
    stage.join()
    stage.claim()
    stage.shows("You are about to be called")


def called_to_a_room(stage: Stage) -> None:
    stage.join()
    stage.claim(call={"to": "Room 2"})
    stage.shows("Come to Room 2")


def parked(stage: Stage) -> None:
    stage.join()
    stage.act("claims", "park", claim_token=stage.claim(), reason="absent")
    stage.shows("Your place is on hold")


def inside(stage: Stage) -> None:
    stage.enter()


def exited(stage: Stage) -> None:
    stage.enter()
    stage.press("I am finished")
    stage.confirm("I am finished")
    stage.shows("Goodbye")


def admitted(stage: Stage) -> None:
    stage.join()
    stage.act("claims", "complete", claim_token=stage.claim())
    stage.shows("You have been let in")


def left(stage: Stage) -> None:
    stage.join()
    stage.press("Leave the line")
    stage.confirm("Leave")
    stage.shows("You are not in the line")


def removed(stage: Stage) -> None:
    stage.join()
    stage.act("entries", "remove", reason="<b>rude</b>")
    stage.shows("You are not in the line")
    stage.notices("You were removed from the line,")


def trouble(stage: Stage) -> None:
    stage.join()
    stage.page.context.set_offline(True)
    expect(stage.page.get_by_text("No connection.")).to_be_visible()


STATES: dict[str, Callable[[Stage], None]] = {
    state.__name__: state
    for state in (
        missing,
        form,
        paused,
        closed,
        not_open_yet,
        full,
        waiting,
        question,
        forgetting,
        forgotten,
        choosing,
        changing,
        resting,
        asked,
        offered,
        called,
        called_to_a_room,
        parked,
        inside,
        exited,
        admitted,
        left,
        removed,
        trouble,
    )
}
