"""Tests that the console shows a person's call number before their name, and finds people by call
number.
"""

import re

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened
from tests.unit.cli.console.test_people import person, search


@pytest.fixture
def people(bakery: Bakery) -> str:
    bakery.typed.run("edit", bakery.waitlist_id, "--call-numbers-prefix", "A")
    bakery.sign_up("ada", "bob")
    return f"/lists/{bakery.waitlist_id}/people"


def test_tables_and_dialogs_show_the_number_before_the_name(
    console: Opened, bakery: Bakery, people: str
) -> None:
    assert [name in console.text(people) for name in ("A001 ada", "A002 bob")] == [True, True]
    assert "A001 ada ada" not in console.text(people)
    ada = person(console, bakery, "ada")
    assert "A001 ada" in ada.text
    assert "A001 ada" in console.text(f"{ada.path}/remove")


def test_the_counter_shows_whom_to_call_by_which_number(
    console: Opened, bakery: Bakery, people: str
) -> None:
    counter = people.replace("/people", "/counter")
    assert "A001 ada" in console.text(counter)
    sent = console.send(counter, room="Room 2", key="a-key-of-this-test")
    assert "A001 ada has been called to Room 2." in sent.text
    assert "A001 ada called" in person(console, bakery, "ada").text
    assert "A001 ada" in console.text(people.replace("/people", "/serve"))


def test_people_are_found_by_their_number(console: Opened, bakery: Bakery, people: str) -> None:
    assert "A002 bob" in search(console, bakery, "a002")
    bakery.sign_up("agent-4", "dan")
    found = search(console, bakery, "4")
    assert re.findall(r"A00\d", found) == ["A004", "A003"]


@pytest.mark.parametrize("text", ["a 002", "A-002", "a2"])
def test_a_number_in_every_spelling_finds_nobody_else(
    console: Opened, bakery: Bakery, people: str, text: str
) -> None:
    bakery.sign_up("cyd", profile={"name": "A2 Cyd", "note": "a-002, a 002", "phone": "002"})
    found = search(console, bakery, text)
    assert re.findall(r"A00\d", found) == ["A002"]


def test_an_id_that_looks_like_a_call_number_is_found(
    console: Opened, bakery: Bakery, people: str
) -> None:
    bakery.sign_up("A1007", "A10070", profile={"patient": "A-2008"})
    assert re.findall(r"A00\d", search(console, bakery, "a1007")) == ["A003"]
    assert re.findall(r"A00\d", search(console, bakery, "A-2008")) == ["A003", "A004"]


def test_adding_a_person_says_the_number(console: Opened, bakery: Bakery, people: str) -> None:
    added = console.submit(people.replace("/people", "/do/add"), customer_id="cyd")
    assert "A003 cyd has joined." in added
