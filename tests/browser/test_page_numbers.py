"""Tests that the customer's page shows the number by which the customer will be called."""

import pytest
from playwright.sync_api import expect

from tests.browser.stage import Stage

NUMBERS = {"prefix": "A", "restart": "daily"}


def test_the_customer_sees_the_number_from_the_signup_to_the_call(stage: Stage) -> None:
    stage.configure(call_numbers=NUMBERS)
    stage.others.joined("early")
    stage.join()
    number = stage.page.get_by_text("Your number is A002", exact=True)
    expect(number).to_be_visible()
    stage.page.reload()
    expect(number).to_be_visible()
    stage.claim(call={"to": "Room 2"})
    stage.claim(call={"to": "Room 2"})
    stage.shows("Come to Room 2")
    expect(number).to_be_visible()


def test_an_offer_shows_the_number(stage: Stage) -> None:
    stage.configure(call_numbers=NUMBERS)
    stage.offer()
    expect(stage.page.get_by_text("Your number is A001", exact=True)).to_be_visible()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Ihre Nummer ist A001"),
        ("fr", "Votre numéro est le A001"),
        ("es", "Su número es el A001"),
        ("ar", "رقمك هو A001"),
    ],
)
def test_the_number_is_in_the_language_of_the_customer(
    stage: Stage, language: str, text: str
) -> None:
    stage.configure(call_numbers=NUMBERS)
    stage.join()
    stage.open(f"?lang={language}")
    expect(stage.page.get_by_text(text, exact=True)).to_be_visible()


def test_a_waitlist_without_numbers_shows_none(stage: Stage) -> None:
    stage.join()
    stage.shows("You are in line")
    expect(stage.page.get_by_text("Your number")).to_have_count(0)
