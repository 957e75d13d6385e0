"""The console shows all times in the waitlist's time zone, and reads typed times in that zone."""

import json
import re
from html.parser import HTMLParser

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.files import drop
from tests.unit.cli.console.opened import Opened
from waitlist_cli.client.ids import entry_id_of
from waitlist_cli.console.people import STATUSES
from waitlist_cli.operations.every_action import (
    LIST_ACTIONS,
    possible_for_list,
    possible_for_person,
)
from waitlist_cli.terminal.times import localize

# A time in UTC, in the format of the API or the command line.
IN_UTC = re.compile(r"\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)|\bUTC\b")
POLICY = {
    "by": "policy",
    "rate_per": "minute",
    "rate_counts": "offered",
    "combine": "least",
    "offer_seconds": "300",
    "pass_seconds": "600",
    "no_show": "to_back",
    "acceptance": "enter",
    "customer_exit": "frees_at_end",
    "admission_misses_then": "park",
    "admission_decline_to": "off",
    "admission_then": "wait",
}
SEEN = '{"admission": null, "timezone": "Europe/Berlin"}'


class Visible(HTMLParser):
    """Collects everything in a page that a person can see or hear: text, tooltips and field values.

    It leaves out the list of time zones.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._is_option = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._is_option = tag == "option"
        shown = ["title", "aria-label", "placeholder"]
        if tag == "input" and found.get("type") != "hidden":
            shown.append("value")
        self.texts += [text for name in shown if (text := found.get(name))]

    def handle_endtag(self, tag: str) -> None:
        self._is_option = False

    def handle_data(self, data: str) -> None:
        if not self._is_option:
            self.texts.append(data)


def times_in_utc(html: str) -> list[str]:
    return [text.strip() for text in Visible(html).texts if IN_UTC.search(text)]


@pytest.fixture
def berlin(bakery: Bakery) -> Bakery:
    bakery.typed.run("edit", bakery.waitlist_id, "--timezone", "Europe/Berlin")
    bakery.sign_up("ada", "bob", "cyd", "dan", "eve", "fay", profile={"name": "Zoë"})
    return bakery


def test_no_page_and_no_notice_shows_a_time_in_utc(console: Opened, berlin: Bakery) -> None:
    base = f"/lists/{berlin.waitlist_id}"

    def person(name: str) -> str:
        return f"{base}/people/{entry_id_of(berlin.waitlist_id, name)}"

    notices = [
        console.send(f"{base}/policy", **POLICY, seen=SEEN, schedule="5 at 2999-12-01T09:00"),
        console.send(f"{base}/do/notice", text="Späť", until="2999-12-24T18:00"),
        console.send(f"{person('ada')}/admit", offer_seconds="3600"),
        console.send(f"{person('bob')}/hold-back"),
        console.send(f"{person('cyd')}/remove"),
        console.send(f"{person('dan')}/ban"),
        console.send(f"{person('eve')}/claim-person", lease_seconds="600", call_to="Room 2"),
        console.send(f"{base}/do/invite", count="1", until="2h", sure="yes"),
        console.send(f"{base}/do/add", **{"profile.name": "Gül", "joined_at": "2026-07-01T09:00"}),
        console.send(f"{base}/policy/preview", **POLICY, seen=SEEN, rate_from="2999-12-01T09:00"),
    ]
    assert [response.status_code for response in notices] == [200] * len(notices)
    waitlist = berlin.typed.json("show", berlin.waitlist_id)
    file = drop(console, berlin.waitlist_id, "a.csv", "id,joined\nx,2026-07-01 09:00\n")
    pages = [
        *(base + page for page in ("", "/counter", "/serve", "/invitations", "/segments")),
        *(f"{base}/{page}" for page in ("settings", "policy", "policy/launch", "messages")),
        *(f"{base}/people?status={status}" for status in STATUSES),
        *(f"{base}/do/{action.name}" for action in possible_for_list(waitlist)),
        *(f"{base}/do/{action.name}" for action in LIST_ACTIONS if action.name == "end-quota"),
        "/new?like=launch",
        file,
    ]
    for name in ("ada", "bob", "cyd", "dan", "eve", "fay"):
        pages += [f"{person(name)}?ahead=1"]
        found = berlin.typed.json("show", berlin.waitlist_id, "--customer", name)
        pages += [f"{person(name)}/{action.name}" for action in possible_for_person(found)]
    shown = {page: console.page(page) for page in pages}
    shown |= {f"notice {number}": response.text for number, response in enumerate(notices)}
    found_in = {page: times_in_utc(html) for page, html in shown.items()}
    assert {page: found for page, found in found_in.items() if found} == {}
    # Without this check, the test would pass on pages that show no times.
    assert "(Europe/Berlin)" in shown[f"{person('ada')}?ahead=1"]
    assert "(Europe/Berlin)" in notices[2].text


def test_times_that_the_operator_types_are_in_the_time_zone_of_the_waitlist(
    console: Opened, berlin: Bakery
) -> None:
    base = f"/lists/{berlin.waitlist_id}"
    for dialog in ("add", "notice", "invite"):
        assert "Time zone: Europe/Berlin." in console.text(f"{base}/do/{dialog}")
    form = {"profile.name": "Gül", "customer_id": "gul", "joined_at": "2026-07-01T09:00"}
    console.submit(f"{base}/do/add", **form)
    added = berlin.typed.json("show", berlin.waitlist_id, "--customer", "gul")
    assert added["joined_at"] == "2026-07-01T07:00:00.000Z"
    skipped = {**form, "customer_id": "hal", "joined_at": "2026-03-29T02:30"}
    assert "skip this time" in console.submit_refused(f"{base}/do/add", **skipped)
    times = {"rate_from": "2999-12-01T09:00", "until": "2999-12-24T18:00", "rate_count": "5"}
    schedule = {"schedule": "7 at 2999-12-01T10:00"}
    console.submit(f"{base}/policy", **POLICY, **times, **schedule, seen=SEEN)
    policy = berlin.typed.json("policy", berlin.waitlist_id)["admission"]
    assert policy["rate"]["from"] == "2999-12-01T08:00:00Z"
    assert policy["until"] == "2999-12-24T17:00:00.000Z"
    [scheduled] = policy["schedule"]
    assert (scheduled["at"], scheduled["count"]) == ("2999-12-01T09:00:00Z", 7)
    page = console.page(f"{base}/policy")
    for shown in ("2999-12-01T09:00:00", "2999-12-24T18:00:00", "7 at 2999-12-01T10:00:00"):
        assert shown in page


def test_a_saved_time_of_the_schedule_stays_exact_if_its_line_is_not_changed(
    console: Opened, berlin: Bakery
) -> None:
    path = f"/lists/{berlin.waitlist_id}/policy"
    # On this night, the clocks in Berlin go back and show 2:30 twice. This is the later of the two
    # times.
    schedule = {"schedule": "7 at 2999-10-27T01:30:00.123Z"}
    console.submit(path, **POLICY, **schedule, seen=SEEN)
    saved = berlin.typed.json("policy", berlin.waitlist_id)["admission"]
    seen = json.dumps({"admission": saved, "timezone": "Europe/Berlin"})
    line = re.search(r"7 at 2999-10-27T02:30:00", console.page(path))
    assert line
    console.submit(path, **{**POLICY, "pass_seconds": "900"}, schedule=line[0], seen=seen)
    found = berlin.typed.json("policy", berlin.waitlist_id)["admission"]
    assert (found["pass_seconds"], found["schedule"]) == (900, saved["schedule"])


def test_a_text_that_only_looks_like_a_time_is_not_changed() -> None:
    for text in ("2026-02-30T09:00:00Z", "9999-99-99 09:00Z", "Room 2", "2026-12-01"):
        assert localize(text, "Europe/Berlin") == text
    assert localize("at 2026-11-29 13:03:07Z.", "Europe/Berlin") == (
        "at 14:03:07 on Sun 29 Nov 2026 (Europe/Berlin)."
    )
