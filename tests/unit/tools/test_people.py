import re

from tools.demo.people import read_people
from waitlist_api.http.schemas.entries import SignupBody

PEOPLE = 2000


def test_there_are_2000_people_each_with_an_id_and_an_address_of_their_own() -> None:
    people = read_people()
    assert len(people) == PEOPLE
    assert len({person.customer_id for person in people}) == PEOPLE
    assert len({person.email for person in people}) == PEOPLE


def test_no_address_can_be_written_to() -> None:
    """P8"""
    for person in read_people():
        assert re.fullmatch(r"[a-z.]+\.\d{4}@example\.com", person.email), person.email


def test_every_person_can_sign_up() -> None:
    for person in read_people():
        body = {"customer_id": person.customer_id, "profile": person.profile}
        SignupBody.model_validate(body)
        assert 1 <= person.party_size <= 8


def test_names_come_from_many_scripts() -> None:
    names = "".join(person.name for person in read_people())
    for letter in ("é", "ł", "Ş", "ñ", "Þ", "山", "김", "Ш", "Π", "श"):
        assert letter in names, letter
