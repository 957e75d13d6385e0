"""The console explains each error and offers a way back.

Text from customers cannot run scripts in a page.
"""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.files import drop
from tests.unit.cli.console.opened import Opened, api_of, opened, readable
from tests.unit.cli.fake_service import FakeService, answer, problem
from waitlist_cli.client.ids import entry_id_of


class Tags(HTMLParser):
    """Collects tags and attributes that could run scripts or load content from elsewhere. The
    console's own templates contain none of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.foreign: list[str] = []

    @classmethod
    def of(cls, html: str) -> list[str]:
        tags = cls()
        tags.feed(html)
        return tags.foreign

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        is_inline = tag == "script" and "src" not in names
        if tag in ("i", "img", "iframe") or is_inline:
            self.foreign.append(tag)
        self.foreign += [
            name for name in names if name.startswith(("on", "hx-on")) or name == "style"
        ]


NO_LISTS: dict[str, Any] = {"waitlists": [], "cursor": None}
HOSTILE = "<script>alert(1)</script>\"' onload=x {{7*7}} \u202ereversed\u2066 \x1b[2J" + "x" * 7000


def test_an_unavailable_service_is_explained_and_the_page_recovers(
    scripted: Opened, fake: FakeService
) -> None:
    fake.script = [problem(503, "rebuilding", "Rebuilding. Try later.")]
    whole = scripted.browser.get("/")
    assert (whole.status_code, whole.headers["refresh"]) == (503, "5")
    assert "Rebuilding. Try later. rebuilding This page continues by itself" in readable(whole.text)
    fake.script = [problem(503, "rebuilding", "Rebuilding. Try later.")]
    part = scripted.part("/")
    assert (part.status_code, part.headers["hx-retarget"]) == (503, "#trouble")
    fake.script = [answer(200, NO_LISTS)]
    assert scripted.part("/").status_code == 200


def test_the_console_says_plainly_that_the_service_does_not_answer() -> None:
    """The technical message comes last, for whoever runs the service."""
    with opened(api_of("http://127.0.0.1:9")) as console:
        shown = console.browser.get("/")
        pressed = console.send("/lists/bakery/counter", room="Room 2")
    assert (shown.status_code, pressed.status_code) == (503, 503)
    ends = "If this lasts, send these words to the person who runs the service: No answer from"
    goes_on = "The service does not answer. This page continues by itself as soon as the service "
    assert f"{goes_on}answers. {ends} http://127.0.0.1:9" in readable(shown.text)
    again = (
        "Press the button again. The action is carried out only once, even if the service has "
        "received your first request."
    )
    assert f"The service does not answer. {again} {ends}" in readable(pressed.text)
    assert "unreachable" not in readable(shown.text + pressed.text)


def test_a_dialog_keeps_its_values_and_its_key_when_the_service_is_unavailable(
    scripted: Opened, fake: FakeService
) -> None:
    path = f"/lists/bakery/people/{entry_id_of('bakery', 'ada')}/bump"
    person = {"entry_id": entry_id_of("bakery", "ada"), "customer_id": "ada"}
    fake.script = [answer(200, {}), answer(200, person), problem(503, "", "Busy.")]
    answered = scripted.send(path, where="front", key="one-and-the-same-key")
    assert answered.status_code == 503
    assert not {"hx-retarget", "hx-trigger", "refresh"} & set(answered.headers)
    assert "The action is carried out only once, even if the service has" in answered.text
    assert fake.requests[-1][2]["idempotency-key"] == "one-and-the-same-key"


def test_expired_credentials_are_reloaded(fake: FakeService) -> None:
    api = api_of(fake.url)
    read = []
    api.forget_auth = lambda: read.append("again")
    with opened(api) as console:
        fake.script = [problem(403, "", "The security token included in the request is expired")]
        shown = console.browser.get("/")
        text = readable(shown.text)
        assert (shown.status_code, shown.headers["refresh"]) == (403, "5")
        assert "is expired Renew your AWS credentials in a terminal" in text
        assert read == ["again"]
        fake.script = [answer(200, NO_LISTS)]
        assert "There are no lists yet." in console.text("/")
    assert read == ["again"]


def test_an_invalid_response_of_the_service_is_explained(
    scripted: Opened, fake: FakeService
) -> None:
    fake.script = [(200, {}, b"<p>")]
    shown = scripted.browser.get("/")
    assert (shown.status_code, "is not a waitlist service" in readable(shown.text)) == (502, True)


def test_a_permanent_error_is_not_retried(scripted: Opened, fake: FakeService) -> None:
    fake.script = [problem(404, "waitlist_not_found", "No waitlist has this id.")]
    shown = scripted.browser.get("/lists/bakery")
    assert (shown.status_code, "refresh" in shown.headers) == (404, False)


def test_the_overview_shows_a_list_whose_counts_are_unavailable(
    scripted: Opened, fake: FakeService
) -> None:
    waitlist = {
        "waitlist_id": "bakery",
        "name": "Bakery",
        "open": True,
        "paused": False,
        "capacity": None,
        "rebuild": {"done": 3, "total": 9},
    }
    fake.script = [
        answer(200, {"waitlists": [waitlist], "cursor": None}),
        problem(503, "rebuilding", "The queue is being rebuilt."),
    ]
    assert "rebuilding The queue is being rebuilt." in scripted.text("/")


@pytest.mark.parametrize("number", ["99999999999999999999", "1e3", "٣"])
def test_an_invalid_number_is_refused_with_the_name_of_its_field(
    console: Opened, bakery: Bakery, number: str
) -> None:
    path = f"/lists/{bakery.waitlist_id}/do/admit"
    assert "How many: enter" in console.submit_refused(path, count=number)


def test_a_form_that_is_too_large_is_refused(scripted: Opened) -> None:
    assert "longer than 1 MB" in scripted.submit_refused("/new", name="x" * 1_100_000)


def test_an_unknown_action_is_refused(console: Opened, bakery: Bakery) -> None:
    answered = console.browser.get(f"/lists/{bakery.waitlist_id}/do/nothing")
    assert answered.status_code == 404


def test_hostile_text_is_escaped_everywhere(console: Opened, bakery: Bakery) -> None:
    name = "<script>alert(1)</script>\"'&{{7*7}}"
    bakery.typed.run(
        "edit", bakery.waitlist_id, "--name", "<script>alert(1)</script>\"' onload=x {{7*7}}"
    )
    bakery.typed.run("edit", bakery.waitlist_id, "--max-guest-bytes", "16384")
    bakery.sign_up(name, profile={HOSTILE[:60]: HOSTILE}, attributes={"language": "<i>'\"</i>"})
    entry = entry_id_of(bakery.waitlist_id, name)
    person = f"/lists/{bakery.waitlist_id}/people/{entry}"
    reason = re.sub("[\u202e\u2066\x1b]", "", HOSTILE)
    console.submit(f"{person}/bump", where="front", reason=reason[:400])
    base = f"/lists/{bakery.waitlist_id}"
    console.submit(f"{base}/serve", count="1", order="oldest", lease_seconds="600")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in console.page(f"{base}/serve")
    paths = [
        "/",
        base,
        f"{base}/serve",
        f"{base}/people",
        f"{base}/settings",
        f"{base}/policy",
        f"{base}/policy/launch",
        f"{base}/segments",
        f"{base}/invitations",
        f"{base}/do/invite",
        f"{base}/import",
        f"{base}/do/pause",
        f"{base}/do/delete",
        person,
        *(f"{person}/{action}" for action in ("bump", "edit", "remove", "erase", "token")),
    ]
    shown_pages = [(path, console.page(path)) for path in paths]
    for text in ("<script", '<script>"', HOSTILE[:200]):
        found = console.send(f"{base}/people", find=text).headers["HX-Redirect"]
        shown_pages.append((text, console.page(found)))
    for path, html in shown_pages:
        assert Tags.of(html) == [], path
        shown = re.sub(r"<input[^>]*>", "", html)
        assert not re.search("[\u202e\u2066\x1b]", shown), path
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in console.page(person)
    assert "x" * 7000 in console.page(person)


def test_hostile_text_in_an_error_of_the_service_is_escaped(
    scripted: Opened, fake: FakeService
) -> None:
    fake.script = [problem(409, "<b>code</b>", "<script>alert(1)</script>")]
    html = scripted.send("/lists/bakery/do/pause").text
    assert "<script" not in html
    assert "<b>" not in html


@pytest.mark.parametrize("kind", ["import", "move"])
def test_hostile_text_in_a_file_is_escaped(console: Opened, bakery: Bakery, kind: str) -> None:
    content = 'customer_id,"<img src=x onerror=alert(1)>"\nada,"<script>1</script>"\n'
    page = drop(console, bakery.waitlist_id, "<b>people.csv", content, kind)
    html = console.page(page)
    assert not re.search(r"<img|<script>|<b>", html)
    assert "&lt;script&gt;1&lt;/script&gt;" in html
