"""Fixtures for the browser tests.

They start Chromium and the service, and fail a test if a page logs an error.
"""

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.browser.axe import Axe
from tests.browser.chromium import running_chromium
from tests.browser.stage import Stage
from tests.e2e.callers import Customer, Operator
from tests.e2e.processes import Service, running_service
from tools.local.operator import local_operator

# The message that browsers log whenever a response has an error status.
OF_THE_NETWORK = "Failed to load resource"
# The origin of the pages that embed the `<waitlist-position>` element. It differs from the
# service's origin.
SHOP_ORIGIN = "http://localhost:9"
PHONE = {"width": 390, "height": 844}
# A timeout that is long enough even on a fully loaded machine.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)

NewContext = Callable[..., BrowserContext]


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with running_service(CORS_ORIGINS=SHOP_ORIGIN) as service:
        yield service


@pytest.fixture(scope="session")
def http(service: Service) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service.url, timeout=35, trust_env=False) as client:
        yield client


@pytest.fixture
def operator(http: httpx.Client) -> Operator:
    """Return the operator of a new waitlist that no other test uses. The test creates the waitlist
    itself.
    """
    return Operator(http, local_operator(), f"page-{secrets.token_hex(4)}")


@pytest.fixture
def others(http: httpx.Client, operator: Operator) -> Customer:
    return Customer(http, operator.waitlist_id)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def new_context(chromium: Browser, service: Service) -> Iterator[NewContext]:
    """Fail the test if any of its pages throws or logs an error.

    Chromium also logs violations of the Content-Security-Policy.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def logged(message: ConsoleMessage) -> None:
        if message.type == "error" and OF_THE_NETWORK not in message.text:
            complaints.append(message.text)

    def new(**options: Any) -> BrowserContext:
        settings = {"viewport": PHONE, "locale": "en-GB", "base_url": service.url, **options}
        context = chromium.new_context(**settings)
        context.set_default_timeout(PATIENCE_MS)
        context.on("console", logged)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        contexts.append(context)
        return context

    yield new
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def browser_page(new_context: NewContext) -> Page:
    return new_context().new_page()


@pytest.fixture(scope="session")
def axe() -> Axe:
    return Axe()


@pytest.fixture
def stage(browser_page: Page, operator: Operator, others: Customer) -> Stage:
    return Stage(browser_page, operator, others)
