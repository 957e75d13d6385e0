"""Tests the console's *Serve* page, where an operator claims people and serves them.

The page also says if a claim has ended elsewhere.
"""

import re
from dataclasses import dataclass
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened, api_of, opened, readable
from tests.unit.cli.fake_service import FakeService, answer, problem
from waitlist_cli.client.ids import entry_id_of

EMPTY = "No one is waiting, and this console has not claimed anyone on this list."


@dataclass(frozen=True)
class Counter:
    console: Opened
    bakery: Bakery

    @property
    def list_path(self) -> str:
        return f"/lists/{self.bakery.waitlist_id}"

    @property
    def path(self) -> str:
        return f"{self.list_path}/serve"

    def entry_id(self, name: str) -> str:
        return entry_id_of(self.bakery.waitlist_id, name)

    def next(self, **form: str) -> str:
        return self.console.submit(
            self.path, **{"count": "1", "order": "oldest", "lease_seconds": "900", **form}
        )

    def do(self, name: str, action: str, **form: str) -> str:
        return self.console.submit(
            f"{self.list_path}/people/{self.entry_id(name)}/{action}", **form
        )

    @property
    def page(self) -> str:
        return self.console.page(self.path)

    @property
    def text(self) -> str:
        return readable(self.page)

    @property
    def held(self) -> list[str]:
        found = re.findall(r'<section class="sheet" id="claim-.*?</h2>', self.page, re.DOTALL)
        return [readable(one) for one in found]


@pytest.fixture
def counter(console: Opened, bakery: Bakery) -> Counter:
    return Counter(console, bakery)


def test_the_next_person_is_claimed_and_shown_and_served(counter: Counter) -> None:
    counter.bakery.sign_up("ada", profile={"name": "Ada L."}, attributes={"language": "de"})
    counter.bakery.sign_up("bob")
    assert counter.next() == "1 person claimed."
    assert counter.held == ["Ada L."]
    text = counter.text
    assert re.search(r"Claimed for another 1[0-5] min.*? , until \d\d:\d\d:\d\d", text)
    assert ("name Ada L." in text, "language de" in text, "1 waiting" in text) == (True,) * 3
    counter.do("ada", "complete")
    counter.next()
    assert counter.held == ["bob"]
    assert counter.bakery.status("ada") == "admitted"


def test_a_claim_for_too_many_people_is_refused(counter: Counter) -> None:
    form = {"count": "101", "order": "oldest", "lease_seconds": "900"}
    shown = counter.console.submit_refused(counter.path, **form)
    assert "How many: enter a number from 1 to 100." in shown


def test_several_people_of_a_segment_are_claimed_at_once(counter: Counter) -> None:
    counter.bakery.sign_up("ada", "bob", attributes={"language": "de"})
    counter.bakery.sign_up("cyd", attributes={"language": "en"})
    assert "language" in counter.page.partition("Only people with")[2]
    assert counter.next(count="2", filter="language=en") == "1 person claimed."
    assert counter.next(count="2", order="newest", filter="language=de") == "2 people claimed."
    assert sorted(counter.held) == ["ada", "bob", "cyd"]
    assert counter.next(filter="language=de") == "No one in the queue matches the filter."
    counter.bakery.sign_up("dan", attributes={"language": "fr"})
    assert counter.next(filter="language=de\r\n\r\nanyone") == "1 person claimed."


def test_a_claim_is_extended_released_and_parked(counter: Counter) -> None:
    counter.bakery.sign_up("ada", "bob")
    counter.next()
    counter.do("ada", "extend", lease_seconds="7200")
    assert re.search(r"Claimed for another (1 h|2 h)", counter.text)
    counter.do("ada", "release", to="place", delay_seconds="3600")
    assert (counter.held, counter.bakery.line()) == ([], ["ada", "bob"])
    assert re.search(r"delayed until \d\d:\d\d:\d\d", counter.console.text(counter.list_path))
    counter.next()
    counter.do("bob", "park", reason="no papers")
    assert (counter.held, counter.bakery.status("bob")) == ([], "parked")


def test_the_page_says_that_a_list_is_empty_or_paused(counter: Counter) -> None:
    assert EMPTY in counter.text
    assert counter.next() == "There is no one to claim."
    counter.console.submit(f"{counter.list_path}/do/pause")
    paused = counter.console.submit_refused(counter.path, count="1", order="oldest")
    assert "waitlist_paused" in paused
    assert "How many: enter a number" in counter.console.submit_refused(counter.path, count="")


def test_a_second_tab_shows_the_claim_without_its_token(counter: Counter) -> None:
    counter.bakery.sign_up("ada")
    counter.next()
    second = counter.console.part(counter.path).text
    assert f'id="claim-{counter.entry_id("ada")}"' in second
    assert not re.search(r"\b[A-Za-z0-9_-]{40}\b", counter.page)
    counter.do("ada", "complete")
    again = f"{counter.list_path}/people/{counter.entry_id('ada')}/complete"
    assert "Enter the call's token" in counter.console.submit_refused(again)
    assert counter.held == []


def test_only_the_console_that_made_a_claim_shows_it(counter: Counter, service_url: str) -> None:
    counter.bakery.sign_up("ada", "bob")
    counter.next()
    with opened(api_of(service_url)) as other:
        assert Counter(other, counter.bakery).held == []
        Counter(other, counter.bakery).next()
    assert counter.held == ["ada"]


def test_a_claim_that_ended_elsewhere_is_shown_until_it_is_dismissed(counter: Counter) -> None:
    counter.bakery.sign_up("ada", "bob")
    counter.next(count="2")
    dismiss = {name: f"{counter.path}/{counter.entry_id(name)}/dismiss" for name in ("ada", "bob")}
    counter.do("ada", "remove")
    counter.console.submit(dismiss["bob"])
    assert counter.held == ["bob"]
    assert "The claim on ada has ended." in counter.text
    assert "The status is now left" in counter.text
    refused = f"{counter.list_path}/people/{counter.entry_id('ada')}/complete"
    assert "has left the waitlist" in counter.console.submit_refused(refused)
    counter.console.submit(dismiss["ada"])
    assert "The claim on ada" not in counter.text


def test_completing_a_claim_that_has_ended_changes_nothing(
    counter: Counter,
) -> None:
    counter.bakery.sign_up("ada", "bob")
    counter.next()
    person = f"{counter.list_path}/people/{counter.entry_id('ada')}"
    token = re.search(r"Its token: <code>([^<]+)</code>", counter.console.page(person))
    assert token
    words = ("--customer", "ada", "--token", token[1], "--back")
    counter.bakery.typed.run("release", counter.bakery.waitlist_id, *words)
    answered = counter.console.send(f"{person}/complete")
    assert (answered.status_code, "claim_expired" in answered.text) == (409, True)
    assert counter.bakery.line() == ["bob", "ada"]
    assert "The status is now waiting" in counter.text


def test_an_entry_that_was_erased_elsewhere_is_shown_too(counter: Counter) -> None:
    counter.bakery.sign_up("ada")
    counter.next()
    counter.bakery.typed.run("erase", counter.bakery.waitlist_id, "--customer", "ada", "--yes")
    assert "The status is now erased" in counter.text


CLAIM = {"entry_id": "a" * 26, "claim_token": "t" * 40, "attempts": 0}
LIST = {
    "name": "Bakery",
    "waitlist_id": "bakery",
    "timezone": "UTC",
    "segments": [],
    "warnings": [],
}
OFFERED: dict[str, Any] = {
    "entry_id": "a" * 26,
    "customer_id": "ada",
    "status": "offered",
    "offered_until": None,
    "claimed_until": "2999-01-01T00:00:00.000Z",
    "joined_at": "2026-01-01T00:00:00.000Z",
    "attributes": {},
    "profile": {},
}


@pytest.mark.parametrize(("attempts", "is_held"), [(0, True), (1, False)])
def test_a_later_claim_of_another_claimer_is_not_shown_as_the_consoles_claim(
    scripted: Opened, fake: FakeService, attempts: int, is_held: bool
) -> None:
    fake.script = [answer(200, {"claims": [CLAIM]})]
    scripted.submit("/lists/bakery/serve", count="1")
    person = {**OFFERED, "attempts": attempts}
    fake.script = [answer(200, LIST), answer(200, person), answer(200, {"waiting": 0})]
    text = scripted.text("/lists/bakery/serve")
    assert ("Claimed for another" in text, "The claim on ada has ended" in text) == (
        is_held,
        not is_held,
    )


def test_a_claim_is_repeated_with_the_same_key_and_the_next_claim_has_a_new_key(
    scripted: Opened, fake: FakeService
) -> None:
    form = {"count": "1", "key": "key-of-the-form-that-is-open"}
    fake.script = [problem(503, "", "Busy.")]
    assert "Press the button again" in scripted.submit_refused("/lists/bakery/serve", **form)
    fake.script = [answer(200, {"claims": [CLAIM]})]
    done = scripted.send("/lists/bakery/serve", **form)
    sent = [headers["idempotency-key"] for _, _, headers, _ in fake.requests]
    assert sent == [form["key"]] * 2
    key = re.search(r'id="key" name="key" value="([^"]+)"', done.text)
    assert key
    assert key[1] != form["key"]


def test_a_claim_reports_that_the_list_allows_no_more_claims(
    scripted: Opened, fake: FakeService
) -> None:
    fake.script = [answer(200, {"claims": [], "limit": "max_claims"})]
    done = scripted.submit("/lists/bakery/serve", count="1")
    assert "0 people claimed. The list's settings allow no more claims at once." in done
