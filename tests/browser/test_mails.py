"""Tests how emails look in an email program.

axe-core must find no accessibility problems, and Arabic text must start on the right.
"""

import pytest

from tests.browser import mails
from tests.browser.axe import Axe
from tests.browser.conftest import NewContext
from tests.e2e.callers import Customer, Operator
from waitlist_api.http.page.unsubscribe import unsubscribe_page
from waitlist_api.messages.kinds import KIND_NAMES
from waitlist_api.settings.waitlist import WaitlistSettings

NOW_MILLIS = 1_790_000_000_000


@pytest.mark.parametrize("language", ["en", "ar"])
def test_axe_finds_no_violations_in_a_mail(
    new_context: NewContext, axe: Axe, language: str
) -> None:
    page = new_context(viewport={"width": 360, "height": 640}).new_page()
    settings = WaitlistSettings(name="Corner Bakery")
    for kind in KIND_NAMES:
        page.set_content(mails.part(mails.sent(kind, language, settings, NOW_MILLIS), "html"))
        # Ignore missing landmarks, because the email program provides them.
        found = [
            text for text in axe.violations(page) if not text.startswith(("region", "landmark"))
        ]
        assert found == [], kind
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, kind
    box = page.locator("a").bounding_box()
    assert box
    assert (box["x"] > 180) == (language == "ar")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violations_in_the_unsubscribe_page(
    new_context: NewContext, axe: Axe, scheme: str
) -> None:
    page = new_context(viewport={"width": 320, "height": 640}, color_scheme=scheme).new_page()
    for language in ("en", "ar"):
        for text in ("ask", "done", "failed", "later"):
            page.set_content(unsubscribe_page(text, language, "x" * 200))
            assert axe.violations(page) == [], (language, text)
            assert page.evaluate("document.documentElement.scrollWidth") <= 320, (language, text)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violations_in_the_pages_of_the_local_run(
    new_context: NewContext, operator: Operator, others: Customer, axe: Axe, scheme: str
) -> None:
    assert operator.put({"name": "Corner Bakery"}).status_code == 201
    others.joined("ada")
    context = new_context(
        viewport={"width": 320, "height": 640}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    # The start page lists at most 100 waitlists, so it may not list the waitlist of this test.
    for path, text in (("/", "customer page"), ("/_local/mailbox", operator.waitlist_id)):
        shown = page.get_by_text(text).first
        page.goto(path)
        while not shown.is_visible():
            page.reload()
        assert axe.violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
