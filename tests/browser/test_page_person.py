"""Tests the customer's page when the service checks for bots.

The form shows a simulated widget, which the local service serves.
"""

import secrets
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.stage import Stage
from tests.e2e.callers import Customer, Operator
from tests.e2e.processes import Service, running_service
from tools.local.bot_check import SCRIPT
from tools.local.operator import local_operator

BOX = "I am a person (stand-in)"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with running_service(BOT_CHECK="turnstile") as service:
        yield service


@pytest.fixture
def checked(service: Service, new_context: Callable[..., BrowserContext]) -> Iterator[Stage]:
    with httpx.Client(base_url=service.url, timeout=35, trust_env=False) as http:
        operator = Operator(http, local_operator(), f"page-{secrets.token_hex(4)}")
        context = new_context(base_url=service.url)
        yield Stage(context.new_page(), operator, Customer(http, operator.waitlist_id))


def test_a_person_joins_after_solving_the_widget(checked: Stage) -> None:
    page: Page = checked.page
    checked.configure(page={"fields": [{"name": "name", "label": "Your name", "required": True}]})
    checked.open()
    expect(page.get_by_label(BOX)).to_be_visible()
    page.get_by_label("Your name").fill("Ada")
    checked.press("Join the line")
    expect(page.get_by_text("Please show first that you are human.")).to_be_visible()
    page.get_by_label(BOX).check()
    checked.press("Join the line")
    checked.shows("You are in line")
    expect(page.get_by_label(BOX)).to_have_count(0)


def test_the_service_decides_if_the_widget_could_not_be_loaded(checked: Stage) -> None:
    page: Page = checked.page
    page.route(f"**{SCRIPT}", lambda route: route.abort())
    checked.configure()
    checked.open()
    expect(page.get_by_text("The check could not be loaded.")).to_be_visible()
    checked.press("Join the line")
    expect(page.get_by_text("Please show once more that you are human.")).to_be_visible()
