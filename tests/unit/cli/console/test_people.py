"""The console lists and finds people, shows a single person, and can change a person's state."""

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

import pytest

from tests.e2e.processes import wait_until
from tests.support.plain_http import plain_client
from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened, readable
from tools.local.operator import local_operator
from waitlist_cli.client.ids import entry_id_of
from waitlist_cli.console.searches import MOST_KEPT


@dataclass(frozen=True)
class Person:
    console: Opened
    bakery: Bakery
    name: str

    @property
    def path(self) -> str:
        entry_id = entry_id_of(self.bakery.waitlist_id, self.name)
        return f"/lists/{self.bakery.waitlist_id}/people/{entry_id}"

    def do(self, action: str, **form: str) -> str:
        page = self.console.page(f"{self.path}/{action}")
        key = re.search(r'name="key" value="([^"]+)"', page)
        assert key
        return self.console.submit(f"{self.path}/{action}", key=key[1], **form)

    def form(self, action: str) -> dict[str, str]:
        page = self.console.page(f"{self.path}/{action}")
        page = page[page.index('<form class="question"') :]
        texts = re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>(.*?)</textarea>', page, re.DOTALL)
        inputs = re.findall(r'<input [^>]*name="([^"]+)"[^>]* value="([^"]*)"([^>]*)>', page)
        ticked = [(n, v) for n, v, rest in inputs if v != "yes" or "checked" in rest]
        chosen = re.findall(
            r'<select [^>]*name="([^"]+)"(?:(?!</select>).)*?value="([^"]*)" selected', page
        )
        values = {name: unescape(value) for name, value in [*texts, *ticked, *chosen]}
        return {name: value for name, value in values.items() if name != "key"}

    @property
    def text(self) -> str:
        return self.console.text(self.path)


def person(console: Opened, bakery: Bakery, name: str) -> Person:
    return Person(console, bakery, name)


def test_a_person_is_found_by_id_and_by_a_part_of_it(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada-1", "ada-2", "bob")
    path = f"/lists/{bakery.waitlist_id}/people"
    exact = console.send(path, find="bob")
    assert exact.headers["HX-Redirect"] == person(console, bakery, "bob").path
    found = search(console, bakery, "ADA")
    names = [name in found for name in ("2 found", "ada-1", "ada-2", "bob")]
    assert names == [True, True, True, False]
    nothing = search(console, bakery, "eve")
    assert "Nobody has this text in their name, customer id, call number," in nothing
    assert "Find: enter a customer id" in console.submit_refused(path, find=" ")
    assert console.browser.get(f"/lists/{bakery.waitlist_id}/found/99").status_code == 404


def begin_search(console: Opened, bakery: Bakery, text: str) -> str:
    """Start a search, and return the path of the page that shows its result."""
    path = f"/lists/{bakery.waitlist_id}/people"
    return console.send(path, find=text).headers["HX-Redirect"]


def search(console: Opened, bakery: Bakery, text: str) -> str:
    page = begin_search(console, bakery, text)
    wait_until(lambda: "data-poll" not in console.page(page))
    return console.text(page)


def test_a_search_is_shown_only_for_its_own_waitlist(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada-1")
    page = begin_search(console, bakery, "ada")
    other = f"{bakery.waitlist_id}-2"
    bakery.typed.run("create", other, "--name", "Other")
    assert console.browser.get(page).status_code == 200
    assert console.browser.get(page.replace(bakery.waitlist_id, other)).status_code == 404


def test_the_console_keeps_only_the_latest_searches(console: Opened, bakery: Bakery) -> None:
    pages = [begin_search(console, bakery, f"ada {number}") for number in range(MOST_KEPT + 1)]
    kept = [console.browser.get(page).status_code for page in pages]
    assert kept == [404, *[200] * MOST_KEPT]


def test_profiles_and_attributes_of_every_status_are_searched(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("c1", profile={"name": "Ada", "address": {"lines": ["Zum Löwen 3"]}})
    bakery.sign_up(
        "c2",
        profile={"phone": 4917012, "is_regular": True},
        attributes={"language": ["German", "Löwisch"]},
    )
    bakery.sign_up("c3", "c4", profile={"name": "Löwe"})
    bakery.typed.run("claim", bakery.waitlist_id, "--complete")
    bakery.typed.run("remove", bakery.waitlist_id, "--customer", "c2")
    found = search(console, bakery, "LÖW")
    assert "4 found" in found
    assert "Searched 4 people" in found
    statuses = [re.search(rf"{name} (\w+)", found) for name in ("c1", "c2", "c3")]
    assert [one and one[1] for one in statuses] == ["admitted", "left", "waiting"]
    assert "1 found" in search(console, bakery, "4917012")
    assert "0 found" in search(console, bakery, "true")
    assert bakery.typed.json("find", bakery.waitlist_id, "löw")["entries"][0]["customer_id"] == "c3"


def test_the_words_of_a_name_are_found_in_any_order(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("c1", profile={"first_name": "Zoë", "last_name": "Müller"})
    bakery.sign_up("c2", profile={"name": "Zoë Meier"})
    for text in ("Müller Zoë", "zoe mueller"):
        found = search(console, bakery, text)
        assert ("1 found" in found, "Zoë Müller" in found) == (True, True)


def test_an_id_that_the_console_has_made_is_not_searched_or_listed(
    console: Opened, bakery: Bakery
) -> None:
    path = f"/lists/{bakery.waitlist_id}"
    form = {"profile.email": "", "profile.phone": "", "key": "7c0b1f52-5b0e-4f33-9e6e-0a6c1c1f5f43"}
    console.submit(f"{path}/do/add", **form, **{"profile.name": "Ada"})
    assert "0 found" in search(console, bakery, "7c0b")
    assert "desk-" not in console.text(f"{path}/people")


@pytest.mark.parametrize("action", ["add", "edit"])
def test_the_answer_of_an_operator_is_as_short_as_that_of_a_guest(
    console: Opened, bakery: Bakery, action: str
) -> None:
    ask(bakery, [{"name": "name", "label": "Your name"}])
    longest = "a" * 200
    bakery.sign_up("ada", profile={"name": longest})
    assert bakery.fail_to_sign_up(customer_id="bob", profile={"name": "a" * 201}) == (
        "invalid_request"
    )
    ada = person(console, bakery, "ada")
    path = f"{ada.path}/edit" if action == "edit" else f"/lists/{bakery.waitlist_id}/do/add"
    refused = console.send(path, **{"profile.name": "a" * 201, "reason": ""})
    assert 'data-field="profile.name" data-says="Enter at most 200 characters."' in refused.text
    console.submit(path, **{"profile.name": "b" * 200, "reason": ""})


def test_no_url_contains_a_customer_id(console: Opened, bakery: Bakery) -> None:
    """P8"""
    bakery.sign_up("ada-1", "ada-2")
    path = f"/lists/{bakery.waitlist_id}"
    search(console, bakery, "ada")
    pages = [console.page(f"{path}/people"), console.page(f"{path}/found/1")]
    pages += [console.page(path), console.page(person(console, bakery, "ada-1").path)]
    addresses = re.findall(r'(?:href|action|hx-get|hx-post)="([^"]*)"', "".join(pages))
    assert len(addresses) > 20
    assert [one for one in addresses if "ada" in one] == []


def test_the_queue_is_paged_by_position(console: Opened, bakery: Bakery) -> None:
    names = [f"c{number:03}" for number in range(1, 61)]
    path = f"/lists/{bakery.waitlist_id}"
    rows = "customer_id\n" + "\n".join(names)
    bakery.typed.run("import", bakery.waitlist_id, "-", "--format", "csv", stdin=rows)
    first, second = console.text(f"{path}/people"), console.text(f"{path}/people?first=51")
    assert ("c050" in first, "c051" in first) == (True, False)
    assert ("c050" in second, "c051" in second, "c060" in second) == (False, True, True)
    assert console.browser.get(f"{path}/people?first=x").status_code == 422


@pytest.mark.parametrize("status", ["offered", "parked", "inside", "admitted", "left"])
def test_each_status_has_a_page(console: Opened, bakery: Bakery, status: str) -> None:
    path = f"/lists/{bakery.waitlist_id}/people?status={status}"
    assert "There is no one here." in console.text(path)


def test_a_person_is_moved_within_the_queue(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    cyd = person(console, bakery, "cyd")
    assert "2 people are ahead." in cyd.text
    assert cyd.do("bump", where="places", number="1", reason="by phone") == (
        "cyd is now at position 2, with priority 0."
    )
    assert "1 person is ahead." in cyd.text
    assert re.search(r"Moved by .* at .*: by phone\.", cyd.text)
    cyd.do("bump", where="front")
    assert bakery.line() == ["cyd", "ada", "bob"]
    cyd.do("bump", where="back")
    assert bakery.line() == ["ada", "bob", "cyd"]
    cyd.do("bump", where="priority", number="9")
    assert bakery.line() == ["cyd", "ada", "bob"]
    assert "Places or priority: enter a number" in console.submit_refused(
        f"{cyd.path}/bump", where="places", number=""
    )


def test_sending_a_dialog_twice_has_a_single_effect(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd", "dan")
    dan = person(console, bakery, "dan")
    form = {"where": "places", "number": "1", "key": "7c0b1f52-5b0e-4f33-9e6e-0a6c1c1f5f43"}
    assert console.submit(f"{dan.path}/bump", **form) == console.submit(f"{dan.path}/bump", **form)
    assert bakery.line() == ["ada", "bob", "dan", "cyd"]


def test_a_person_is_removed_and_erased(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob")
    ada = person(console, bakery, "ada")
    assert "removed from the list" in ada.do("remove", reason="asked")
    assert re.search(r"Taken off the list by .*: asked\.", ada.text)
    assert "There is no way back." in console.submit_again(f"{ada.path}/erase")
    assert "erased" in ada.do("erase", sure="yes")
    assert console.browser.get(ada.path).status_code == 404
    assert bakery.line() == ["bob"]


def ask(bakery: Bakery, fields: Sequence[object]) -> None:
    url = f"{bakery.typed.url}/v1/admin/waitlists/{bakery.waitlist_id}"
    with plain_client() as http:
        patched = http.patch(url, json={"page": {"fields": fields}}, auth=local_operator())
        assert patched.status_code == 200, patched.text


def test_editing_asks_the_questions_of_the_list(console: Opened, bakery: Bakery) -> None:
    questions = [
        {"name": "name", "label": {"de": "Ihr Name", "en": "Your name"}},
        {"name": "size", "label": "Size", "type": "select", "options": ["small", "large"]},
        {"name": "terms", "label": "I agree", "type": "checkbox"},
        {"name": "city", "label": "City", "kept_in": "attributes"},
    ]
    profile = {"name": "Ada", "size": "huge", "terms": "I agreed in 2025", "score": 7}
    bakery.sign_up("ada", profile=profile, attributes={"city": "Bonn", "language": ["de", "en"]})
    # The waitlist's questions have changed since this person signed up.
    ask(bakery, questions)
    ada = person(console, bakery, "ada")
    # The page shows the questions' wording, not the names of the fields.
    for answer in ("Your name Ada", "I agree I agreed in 2025", "City Bonn", "score 7"):
        assert answer in ada.text
    shown = console.text(f"{ada.path}/edit")
    assert re.search("Your name .*Size No answer small large huge .*I agree City .*More", shown)
    form = ada.form("edit")
    assert form.pop("profile.name") == "Ada"
    assert json.loads(form["profile"]) == {"score": 7}
    assert form["attributes"] == "language=de\nlanguage=en"
    assert ada.do("edit", **form, **{"profile.name": "Ada L."}) == "Ada's answers were saved."
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")
    assert found["profile"] == {**profile, "name": "Ada L."}
    assert found["attributes"] == {"city": "Bonn", "language": ["de", "en"]}
    form = ada.form("edit")
    del form["profile.terms"]
    ada.do("edit", **{**form, "profile.size": "", "attributes.city": "", "attributes": "party=4"})
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")
    assert (found["profile"], found["attributes"]) == (
        {"name": "Ada L.", "score": 7},
        {"party": "4"},
    )


@pytest.mark.parametrize(
    ("name", "wrong", "says"),
    [
        ("phone", "hello", "Enter a telephone number in digits"),
        ("phone", "0151 abc", "Enter a telephone number in digits"),
        ("phone", "1", "Enter a telephone number in digits"),
        ("email", "ada", "Enter an email address"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused_at_its_field(
    console: Opened, bakery: Bakery, name: str, wrong: str, says: str
) -> None:
    add = f"/lists/{bakery.waitlist_id}/do/add"
    refused = console.send(add, **{"profile.name": "Zoë", f"profile.{name}": wrong}).text
    assert f'data-field="profile.{name}" data-says="{says}' in refused
    assert bakery.typed.json("head", bakery.waitlist_id)["entries"] == []
    bakery.sign_up("ada", profile={"name": "Ada", name: "before"})
    ada = person(console, bakery, "ada")
    form = ada.form("edit")
    edit = f"{ada.path}/edit"
    assert says in console.submit_refused(edit, **{**form, f"profile.{name}": wrong})
    ada.do("edit", **{**form, "profile.name": "Ada L."})
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")
    assert found["profile"] == {"name": "Ada L.", name: "before"}


def test_add_says_why_a_number_gets_no_messages(console: Opened, bakery: Bakery) -> None:
    messages = ("--messages", "called", "--sms-countries", "DE,AT")
    bakery.typed.run("edit", bakery.waitlist_id, *messages)
    add = f"/lists/{bakery.waitlist_id}/do/add"
    added = console.submit(add, **{"profile.phone": "0151 23456789"})
    assert "begins with + and the country code" in added
    assert "no messages" not in console.submit(add, **{"profile.phone": "+49 151 23456789"})
    bakery.typed.run("edit", bakery.waitlist_id, "--sms-countries", "DE")
    assert "no messages" not in console.submit(add, **{"profile.phone": "0151 23456780"})


def test_an_edit_keeps_what_others_have_changed_in_the_meantime(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", profile={"name": "Ada", "phone": "0151"})
    ada = person(console, bakery, "ada")
    form = ada.form("edit")
    bakery.typed.run(
        *("edit", bakery.waitlist_id, "--customer", "ada", "--set", "phone=0171"),
        *("--set", "note=late"),
    )
    ada.do("edit", **{**form, "profile.name": "Ada L."})
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")
    assert found["profile"] == {"name": "Ada L.", "phone": "0171", "note": "late"}


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("profile", "{", "is not valid JSON"),
        ("profile", "[]", "give a JSON object"),
        ("profile", '{"name": "Bob"}', "The question 'Name' asks for name. Answer it there."),
        ("attributes", "x", "NAME=VALUE"),
        ("attributes", 'language="', "is not valid JSON"),
        ("attributes", 'language="a" b', "is not valid JSON"),
        ("attributes.language", "x" * 65, "at most 64"),
    ],
)
def test_a_wrong_answer_is_reported_at_its_field(
    console: Opened, bakery: Bakery, field: str, text: str, message: str
) -> None:
    bakery.sign_up("ada", profile={"name": "Ada"})
    ada = person(console, bakery, "ada")
    refused = console.send(f"{ada.path}/edit", **{**ada.form("edit"), field: text})
    assert refused.status_code == 422
    problems = re.findall('data-field="([^"]*)" data-says="([^"]*)"', unescape(refused.text))
    assert all(name.removeprefix("body.").startswith(field) for name, _ in problems)
    assert len(problems) == 1
    assert message in unescape(refused.text)
    assert bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")["profile"] == {
        "name": "Ada"
    }


def test_the_edit_dialog_escapes_invisible_characters_and_keeps_them(
    console: Opened, bakery: Bakery
) -> None:
    profile = {"name": "Ada\u202elive", "note": "a\u2066b\x1b"}
    bakery.sign_up("ada", profile=profile, attributes={"language": ["de", '"en"']})
    ada = person(console, bakery, "ada")
    html = console.page(f"{ada.path}/edit")
    assert not re.search("[\u202e\u2066\x1b]", html)
    form = ada.form("edit")
    assert json.loads(form["profile"]) == profile
    assert "\\u202e" in form["profile"]
    assert form["attributes"] == 'language=de\nlanguage="\\"en\\""'
    ada.do("edit", **{**form, "attributes": f"{form['attributes']}\nparty=4"})
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")
    assert (found["profile"], found["attributes"]) == (
        profile,
        {"language": ["de", '"en"'], "party": "4"},
    )


def test_claimed_people_are_extended_completed_released_and_parked(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    claim = f"/lists/{bakery.waitlist_id}/do/claim"
    offered = console.submit(claim, count="3", order="oldest", how="hold", lease_seconds="600")
    assert "3 people claimed." in offered
    assert all(name in offered for name in ("ada", "bob", "cyd"))
    ada, bob, cyd = (person(console, bakery, name) for name in ("ada", "bob", "cyd"))
    assert "A claim holds the entry until" in ada.text
    assert "ada has time until" in ada.do("extend", lease_seconds="900")
    assert "admitted" in ada.do("complete", reason="came")
    assert "is waiting again" in bob.do("release", to="back")
    assert "cyd is set aside." in cyd.do("park", reason="blurred photo")
    assert [bakery.status(name) for name in ("ada", "bob", "cyd")] == [
        "admitted",
        "waiting",
        "parked",
    ]
    assert re.search(r"Set aside by .*: blurred photo\.", cyd.text)
    at = bakery.typed.json("show", bakery.waitlist_id, "--customer", "cyd")["parked_at"]
    assert f'value="{at}"' in console.page(f"{cyd.path}/redrive")
    earlier = {"to": "back", "parked_at": "2026-01-01T00:00:00Z"}
    assert "not_parked" in console.submit_refused(f"{cyd.path}/redrive", **earlier)
    assert "position 2" in cyd.do("redrive", to="back", parked_at=at)
    assert bakery.line() == ["bob", "cyd"]


def test_a_person_is_banned_and_the_ban_is_ended(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada")
    ada = person(console, bakery, "ada")
    assert "until an operator ends the ban" in console.text(f"{ada.path}/ban")
    assert "is banned" in ada.do("ban", reason="sold the place")
    assert "sold the place" in console.text(f"/lists/{bakery.waitlist_id}/people?status=banned")
    assert "Signups are refused" in ada.text
    at = bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")["banned_at"]
    assert f'value="{at}"' in console.page(f"{ada.path}/unban")
    earlier = {"banned_at": "2026-01-01T00:00:00Z"}
    assert "ban_mismatch" in console.submit_refused(f"{ada.path}/unban", **earlier)
    assert "can sign up again" in ada.do("unban", banned_at=at)
    bakery.sign_up("ada")
    assert bakery.line() == ["ada"]


def test_people_are_held_back_made_ready_and_listed_separately(
    console: Opened, bakery: Bakery
) -> None:
    path = f"/lists/{bakery.waitlist_id}"
    bakery.typed.run("edit", bakery.waitlist_id, "--rest-max-days", "10")
    entries = bakery.sign_up("ada", "bob", "cyd")
    people = f"{path}/people"
    assert "Not ready" not in console.text(people)
    ada, bob = (person(console, bakery, name) for name in ("ada", "bob"))
    assert "keeps their place" in ada.do("hold-back", reason="papers missing")
    for entry in entries[:2]:
        bakery.rest(entry, days=2)
    assert re.search(
        "Passed over until .*: the customer is letting others pass, and can resume earlier",
        ada.text,
    )
    assert re.search("Passed over: held back by .* at .*: papers missing", ada.text)
    assert "2 people are ahead, 0 of them ready." in person(console, bakery, "cyd").text
    assert "3 ( 2 not ready )" in console.text(path)
    assert "3 (2 not ready)" in console.row_of(bakery.waitlist_id)
    apart = console.text(f"{people}?ready=false")
    assert "All waiting Ready 1 Not ready 2" in apart
    assert re.search(r"ada resting until \S+ \S+ \S+, held back", apart)
    assert "cyd" not in apart
    assert "ada" not in console.text(f"{people}?ready=true")
    export = console.browser.get(f"{path}/export", params={"ready": "false"}).text
    assert [row["customer_id"] for row in csv.DictReader(io.StringIO(export))] == ["ada", "bob"]
    assert console.browser.get(f"{people}?ready=x").status_code == 422
    # Only the customer can end a pause that they have asked for, and the page says so.
    assert "Only the customer can end this earlier." in console.text(f"{ada.path}/ready")
    assert "They are still passed over: resting." in ada.do("ready")
    for name, is_there in (("admit", False), ("ready", False), ("hold-back", True)):
        assert (f'id="do-{name}"' in console.page(bob.path)) is is_there, name


def test_a_person_is_marked_verified_and_gets_a_link(console: Opened, bakery: Bakery) -> None:
    url = f"{bakery.typed.url}/v1/admin/waitlists/{bakery.waitlist_id}"
    rules = {"field": "email", "verify": "before_offer"}
    with plain_client() as http:
        patched = http.patch(url, json={"identity": rules}, auth=local_operator())
        assert patched.status_code == 200
        body = {"profile": {"email": "ada@example.com"}}
        http.post(url.replace("/admin", "") + "/entries", json=body)
    people = f"/lists/{bakery.waitlist_id}/people"
    assert "Name, address or id" in console.page(people)
    path = console.send(people, find=" Ada+x@Example.com ").headers["HX-Redirect"]
    assert path.startswith(f"{people}/")
    assert "Nobody has this text" in search(console, bakery, "bob@example.com")
    assert "1 found" in search(console, bakery, "example")
    assert 'id="do-verify"' in console.page(path)
    assert "not verified" in console.text(path)
    unverified = console.text(f"{people}?only=unverified")
    assert ("ada@example.com" in unverified, "Not verified 1" in unverified) == (True, True)
    assert "Not verified 1" in console.text(f"/lists/{bakery.waitlist_id}")
    assert "#v=" in console.submit(f"{path}/link")
    assert "verified" in console.submit(f"{path}/verify", reason="passport")
    assert 'id="do-verify"' not in console.page(path)
    assert "#t=" in console.submit(f"{path}/link")
    assert "There is no one here." in console.text(f"{people}?only=unverified")
    bakery.typed.run("edit", bakery.waitlist_id, "--confirm-every-days", "30")
    assert "There is no one here." in console.text(f"{people}?only=asked")
    bakery.typed.run("confirm", bakery.waitlist_id, "--yes")
    assert "asked whether they are still waiting" in console.text(path)
    asked = console.text(f"{people}?only=asked")
    assert ("ada@example.com" in asked, "Not verified 0" in asked) == (True, True)
    numbers = console.text(f"/lists/{bakery.waitlist_id}")
    assert ("Asked whether they are still waiting 1" in numbers, "Not verified" in numbers) == (
        True,
        False,
    )
    export = console.browser.get(f"/lists/{bakery.waitlist_id}/export", params={"only": "asked"})
    assert len(list(csv.DictReader(io.StringIO(export.text)))) == 1
    assert console.browser.get(f"{people}?only=x").status_code == 422


def test_a_person_who_left_is_reinstated_at_the_former_place(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    bob = person(console, bakery, "bob")
    assert 'id="do-reinstate"' not in console.page(bob.path)
    bob.do("remove", reason="no answer")
    assert 'id="do-reinstate"' in console.page(bob.path)
    assert "returns to exactly the place they had" in console.text(f"{bob.path}/reinstate")
    notice = bob.do("reinstate", reason="the letter had come back")
    assert notice.startswith("bob is back at position 2. The old link no longer works.")
    assert bakery.line() == ["ada", "bob", "cyd"]
    assert "the letter had come back" in bob.text
    assert "already_on_list" in console.submit_refused(f"{bob.path}/reinstate")
    bob.do("ban")
    assert 'id="do-reinstate"' not in console.page(bob.path)


def test_completing_the_claim_of_another_claimer_needs_its_token(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada")
    token = bakery.typed.json("claim", bakery.waitlist_id)["claims"][0]["claim_token"]
    ada = person(console, bakery, "ada")
    assert "Enter the call's token" in console.submit_refused(f"{ada.path}/complete")
    assert 'name="claim_token"' in console.page(f"{ada.path}/complete")
    assert "claim_mismatch" in console.submit_refused(f"{ada.path}/complete", claim_token="0" * 40)
    assert "admitted" in ada.do("complete", claim_token=token)


def test_people_are_claimed_and_admitted_at_once(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob")
    form = {"count": "1", "order": "newest", "how": "complete", "lease_seconds": "", "sure": "yes"}
    assert console.submit(f"/lists/{bakery.waitlist_id}/do/claim", **form) == "1 person admitted."
    assert bakery.line() == ["ada"]


def test_places_are_offered_by_hand_and_an_admitted_person_exits(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", attributes={"language": "de"})
    bakery.sign_up("bob", attributes={"language": "en"})
    bakery.typed.run("policy", bakery.waitlist_id, "--acceptance", "automatic")
    admit = f"/lists/{bakery.waitlist_id}/do/admit"
    assert console.submit(admit, count="5", filter="language=en", sure="yes") == (
        "1 person has a slot: bob. No one else is waiting, or the max_inside limit is reached."
    )
    bob = person(console, bakery, "bob")
    assert "The pass ends at" in bob.text
    assert "bob" in console.text(f"/lists/{bakery.waitlist_id}/people?status=inside&since=1h")
    assert "The slot inside is free." in bob.do("exit", reason="home")
    assert "exited at" in bob.text
    assert "enter a number from 1" in console.submit_refused(admit, count="0")
    assert "enter a whole number" in console.submit_refused(admit, count="-1")


def test_held_entries_are_shown_as_offers_and_claims(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob")
    bakery.typed.run("admit", bakery.waitlist_id, "1")
    bakery.typed.run("claim", bakery.waitlist_id)
    text = console.text(f"/lists/{bakery.waitlist_id}/people?status=offered")
    assert re.search(r"ada offer ", text)
    assert re.search(r"bob claim ", text)


def test_a_quota_is_started_and_ended(console: Opened, bakery: Bakery) -> None:
    admit = f"/lists/{bakery.waitlist_id}/do/admit"
    assert console.submit(admit, count="2", unused="refill") == (
        "0 people have a slot. The quota continues with the next people."
    )
    assert bakery.typed.json("stats", bakery.waitlist_id)["quota"] == 2
    assert "Leave the filter empty" in console.submit_refused(
        admit, count="2", unused="refill", filter="language=en\n\nanyone"
    )
    assert "The quota has ended." in console.submit(admit, count="1", unused="end", sure="yes")
    assert bakery.typed.json("stats", bakery.waitlist_id)["quota"] == 0


def test_a_person_is_admitted_by_hand_and_the_offer_withdrawn(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob")
    bob = person(console, bakery, "bob")
    assert "has an offer until" in bob.do("admit", reason="a wheelchair")
    until = bakery.typed.json("show", bakery.waitlist_id, "--customer", "bob")["offered_until"]
    assert f'value="{until}"' in console.page(f"{bob.path}/withdraw")
    assert "back in the queue, at position 2." in bob.do("withdraw", offered_until=until)
    assert "after an offer was taken back" in bob.text


def test_a_person_is_added_by_hand(console: Opened, bakery: Bakery) -> None:
    add = f"/lists/{bakery.waitlist_id}/do/add"
    form = {"customer_id": "ada", "priority": "3", "profile.name": "Zoë", "ended": "skip"}
    added = console.submit(add, **{"attributes.language": "de"}, **form)
    assert added == "Zoë has joined. Position: 1."
    assert "already on the list" in console.submit(add, **form)
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")
    assert (found["priority"], found["attributes"]) == (3, {"language": "de"})
    assert found["profile"] == {"name": "Zoë"}
    assert 'data-field="body.customer_id"' in console.send(add, customer_id="a b").text
    wrong = console.send(add, customer_id="bob", joined_at="soon").text
    assert 'data-field="joined_at" data-says="The value &#39;soon&#39; is not a time' in wrong
    assert "Answer at least one question" in console.submit_refused(add)


def test_add_asks_the_questions_of_the_list_and_makes_an_id(
    console: Opened, bakery: Bakery
) -> None:
    fields = [
        {"name": "reason", "label": {"de": "Grund", "en": "Reason"}, "required": True},
        {"name": "who", "label": "Your name"},
        {"name": "phone", "label": "Phone", "type": "tel"},
        {
            "name": "size",
            "label": "Size",
            "type": "select",
            "options": ["S", {"value": "l", "labels": {"de": "Groß", "en": "Large"}}],
            "kept_in": "attributes",
        },
        {"name": "terms", "label": "I agree", "type": "checkbox"},
        {"name": "utm", "label": "Source", "type": "hidden"},
    ]
    ask(bakery, fields)
    add = f"/lists/{bakery.waitlist_id}/do/add"
    shown = console.text(add)
    labels = ["Reason", "Your name", "Phone", "Size", "Large", "I agree", "Language", "More"]
    places = [shown.index(label) for label in labels]
    assert places == sorted(places)
    assert "Source" not in shown
    form = {"profile.who": "Zoë Müller", "profile.phone": "0151 2345678", "attributes.size": "l"}
    form |= {"profile.reason": "Schmerzen im Knie", "profile.terms": "yes"}
    key = {"key": "7c0b1f52-5b0e-4f33-9e6e-0a6c1c1f5f45"}
    assert console.submit(add, **form, **key) == "Zoë Müller has joined. Position: 1."
    assert console.submit(add, **form, **key) == "Zoë Müller has joined. Position: 1."
    assert console.submit(add, **form).startswith("Zoë Müller has joined. Position: 2.")
    found = bakery.typed.json("head", bakery.waitlist_id)["entries"]
    assert [one["profile"]["phone"] for one in found] == ["0151 2345678"] * 2
    assert found[0]["profile"]["terms"] == "I agree"
    assert found[0]["attributes"] == {"size": "l"}


@pytest.mark.parametrize("is_claimed", [False, True])
@pytest.mark.parametrize(
    ("again", "is_same"),
    [
        ({"profile.name": "zoe müller", "profile.phone": "+49 151 2345678"}, True),
        ({"profile.name": "Zoë Müller"}, True),
        ({"profile.name": "Zoë Müller", "profile.phone": "0151 999999"}, False),
        ({"profile.name": "Zoë", "profile.phone": "0151 23456780"}, False),
        ({"profile.name": "Zoë Müller", "customer_id": "other"}, False),
    ],
)
def test_add_warns_of_a_person_with_the_same_name_and_number(
    console: Opened, bakery: Bakery, again: dict[str, str], *, is_same: bool, is_claimed: bool
) -> None:
    add = f"/lists/{bakery.waitlist_id}/do/add"
    console.submit(add, **{"profile.name": "Zoë Müller", "profile.phone": "0151 23456780"})
    console.submit(add, **{"profile.name": "Ada"})
    if is_claimed:
        bakery.typed.run("claim", bakery.waitlist_id)
    where = "offered" if is_claimed else "at position 1"
    warning = f"Zoë Müller is already on the list ({where})."
    assert (warning in console.submit(add, **again)) is is_same


def test_a_person_who_is_added_by_address_has_a_single_place(
    console: Opened, bakery: Bakery
) -> None:
    """An operator adds a person by address.

    When that person signs up with another spelling of the address, they get the place that the
    operator created (promise P1).
    """
    bakery.typed.run("edit", bakery.waitlist_id, "--identity", "email")
    add = f"/lists/{bakery.waitlist_id}/do/add"
    assert "treated as a signup by the same person" in console.text(add)
    added = console.submit(add, **{"profile.email": "ada@example.com"})
    assert added == "ada@example.com has joined. Position: 1."
    other = {"email": "Ada+line@Example.com"}
    assert bakery.fail_to_sign_up(profile=other) == "already_on_list"
    assert "already on the list" in console.submit(add, **{"profile.email": "ADA@example.com"})
    again = bakery.typed.json("signup", bakery.waitlist_id, "ada@example.com")
    assert again["outcome"] == "already"
    both = {"profile.email": "ada@example.com", "customer_id": "ada"}
    assert "not both" in console.submit_refused(add, **both)
    wrong = console.send(add, **{"profile.email": "ada"}).text
    assert 'data-field="body.profile.email" data-says="This answer must' in wrong


def test_a_person_without_an_address_is_added_by_name(console: Opened, bakery: Bakery) -> None:
    bakery.typed.run("edit", bakery.waitlist_id, "--identity", "email")
    add = f"/lists/{bakery.waitlist_id}/do/add"
    assert "has joined" in console.submit(add, customer_id="walk-in-1")
    assert "Zoë has joined" in console.submit(add, **{"profile.name": "Zoë"})
    words = ("signup", bakery.waitlist_id, "walk-in-3", "--no-address")
    assert bakery.typed.json(*words)["outcome"] == "joined"
    assert len(bakery.line()) == 3


def test_all_parked_people_are_returned_to_the_queue(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    claims = bakery.typed.json("claim", bakery.waitlist_id, "-n", "2")["claims"]
    for one in claims:
        words = ("--customer", one["customer_id"], "--token", one["claim_token"])
        bakery.typed.run("park", bakery.waitlist_id, *words)
    page = f"/lists/{bakery.waitlist_id}/people?status="
    assert "Return all…" in console.text(f"{page}parked")
    assert "Return all…" not in console.text(f"{page}waiting")
    redrive = f"/lists/{bakery.waitlist_id}/do/redrive"
    assert "go back to waiting, and their attempts are reset to 0" in console.text(redrive)
    assert (
        console.submit(redrive, to="back", reason="all", sure="yes")
        == "2 people are back in the queue."
    )
    assert bakery.line() == ["cyd", "ada", "bob"]


def headings(console: Opened, path: str) -> list[str]:
    return [
        readable(one) for one in re.findall(r"<th scope=.col.[^>]*>(.*?)</th>", console.page(path))
    ]


def test_columns_for_profile_fields_and_attributes_can_be_chosen(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", profile={"name": "Ada", "party": 4, "1\u202e": "x"})
    bakery.sign_up(
        "bob", profile={"name": "Bob", "email": "b@x.org"}, attributes={"language": "de"}
    )
    path = f"/lists/{bakery.waitlist_id}/people"
    usual = ["#", "Person", "Priority", "Waits for"]
    assert headings(console, path) == [*usual, "language", "party", "1�", "email"]
    assert re.search(r"Bob bob .* de b@x.org", console.text(path))
    chosen = {"column": ["profile.email", "profile.name", "profile", "x.y"], "status": "waiting"}
    headers = {"HX-Request": "true", "Origin": console.origin}
    to = console.browser.post(
        f"/lists/{bakery.waitlist_id}/columns", data=chosen, headers=headers
    ).headers["HX-Redirect"]
    assert headings(console, to) == [*usual, "email", "name"]
    assert headings(console, f"/lists/{bakery.waitlist_id}") == [*usual, "email", "name"]
    # These columns are not shown at first, but the operator can choose them.
    assert 'value="profile.party">' in console.page(to)


def test_the_console_issues_an_entry_token(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada")
    notice = person(console, bakery, "ada").do("token")
    token = notice.split()[-1]
    shown = bakery.typed.json("position", bakery.waitlist_id, "--customer", "ada", "--token", token)
    assert shown["position"] == 1


def test_a_link_is_copied_or_scanned_at_the_desk(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada")
    ada = person(console, bakery, "ada")
    link, token = (console.send(f"{ada.path}/{action}").text for action in ("link", "token"))
    codes = ['aria-label="QR code of the link"' in notice for notice in (link, token)]
    assert codes == [True, False]
    assert ["data-copy" in notice for notice in (link, token)] == [True, True]


def test_columns_have_the_words_of_the_questions(console: Opened, bakery: Bakery) -> None:
    ask(bakery, [{"name": "why", "label": {"de": "Grund", "en": "Reason for the visit"}}])
    bakery.sign_up("ada", profile={"why": "A cake"})
    assert "Reason for the visit" in headings(console, f"/lists/{bakery.waitlist_id}/people")
