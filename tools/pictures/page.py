"""Pictures of the customer's page, in phones beside each other."""

import base64
import os
import re
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tools.demo.people import read_people
from tools.local.api_client import ApiClient
from tools.local.http_server import HOST
from tools.local.settings import Settings
from tools.pictures.chromium import running_chromium
from tools.pictures.paths import DOCS, ROOT

PHONE: ViewportSize = {"width": 390, "height": 780}
PEOPLE = 240
LEAVE = 150
SETTINGS: dict[str, Any] = {
    "text": "Fresh bread every morning.\nWe let people in as the oven allows.",
    "colour": "#0b6e4f",
    "fields": [
        {"name": "name", "label": "Your name", "required": True},
        {"name": "email", "label": "Email", "type": "email"},
    ],
}
# Three pictures beside each other, as phones.
FRAME = """<!doctype html><style>
body {{ margin: 0; padding: 32px; display: inline-flex; gap: 32px; background: {background}; }}
img {{ width: 300px; border: 6px solid #22252b; border-radius: 34px; }}
</style>{images}"""


@dataclass
class Bakery:
    """A list for the pictures, with people in it."""

    client: ApiClient
    waitlist_id: str = field(default_factory=lambda: f"bakery-{secrets.token_hex(2)}")

    def configure(self, **settings: Any) -> None:
        body = {"name": "Corner Bakery", "page": SETTINGS, **settings}
        self.client.operator("PUT", self._admin, json=body)

    def sign_up(self, count: int) -> list[dict[str, Any]]:
        entries = f"/v1/waitlists/{self.waitlist_id}/entries"
        return [
            self.client.customer(
                "POST", entries, json={"customer_id": one.customer_id}, key=str(uuid.uuid4())
            )
            for one in read_people()[:count]
        ]

    def leave(self, entry: dict[str, Any]) -> None:
        path = f"/v1/waitlists/{self.waitlist_id}/entries/{entry['entry_id']}"
        self.client.customer("DELETE", path, entry["entry_token"])

    def admit(self) -> None:
        self.client.operator("POST", f"{self._admin}/admit", json={"count": 1})

    def delete(self) -> None:
        self.client.operator("DELETE", self._admin)

    @property
    def _admin(self) -> str:
        return f"/v1/admin/waitlists/{self.waitlist_id}"


def film_page() -> None:
    """Write both pictures, with the service of `make run`."""
    expect.set_options(timeout=60_000)
    url = os.environ.get("WAITLIST_URL") or f"http://{HOST}:{Settings.from_env(os.environ).port}"
    with ApiClient(url, connections=8) as client, running_chromium() as browser:
        busy, calm = Bakery(client), Bakery(client)
        busy.configure()
        calm.configure(admission={})
        early = busy.sign_up(PEOPLE)
        light = _phone(browser, url, color_scheme="light", locale="en-GB")
        pages = [light.new_page() for _ in range(3)]
        pages[0].goto(f"/w/{busy.waitlist_id}")
        expect(pages[0].get_by_label("Your name")).to_be_visible()
        pages[0].get_by_label("Your name").fill("Ada")
        form = pages[0].screenshot()
        _join(pages[1], busy, "Join the line")
        for entry in early[:LEAVE]:
            busy.leave(entry)
        # Slow, so that the line stands still while its picture is taken.
        busy.configure(admission={"rate": {"count": 3, "per": "minute"}})
        expect(pages[1].get_by_text("Estimated wait")).to_be_visible()
        _join(pages[2], calm, "Join the line")
        calm.admit()
        expect(pages[2].get_by_role("timer")).to_be_visible()
        _save(browser, "customer-page", [form, _picture(pages[1]), _picture(pages[2])], "#dfe4ea")

        shown = []
        for locale, button in (("ar", "الانضمام إلى القائمة"), ("de-DE", "Anstellen")):
            page = _phone(browser, url, color_scheme="dark", locale=locale).new_page()
            _join(page, busy, button)
            expect(page.get_by_role("progressbar")).to_be_visible()
            shown.append(_picture(page))
        pages[2].emulate_media(color_scheme="dark")
        pages[2].get_by_role("button", name="Enter now").click()
        expect(pages[2].get_by_role("heading", name="You are in")).to_be_visible()
        _save(browser, "customer-page-dark", [*shown, _picture(pages[2])], "#0b0c0f")
        for bakery in (busy, calm):
            bakery.delete()


def _phone(browser: Browser, url: str, **options: Any) -> BrowserContext:
    return browser.new_context(
        base_url=url, viewport=PHONE, device_scale_factor=2, reduced_motion="reduce", **options
    )


def _join(page: Page, bakery: Bakery, button: str) -> None:
    page.goto(f"/w/{bakery.waitlist_id}")
    page.locator("input").first.fill("Ada")
    page.get_by_role("button", name=button).click()
    expect(page.locator("h2")).to_be_visible()
    expect(page.locator(".number")).to_have_text(re.compile(r"\w"))


def _picture(page: Page) -> bytes:
    page.evaluate(
        "() => document.querySelector('waitlist-position').shadowRoot.activeElement?.blur()"
    )
    return page.screenshot()


def _save(browser: Browser, name: str, pictures: Sequence[bytes], background: str) -> None:
    images = "".join(
        f'<img src="data:image/png;base64,{base64.b64encode(one).decode()}">' for one in pictures
    )
    page = browser.new_page()
    page.set_content(FRAME.format(background=background, images=images))
    path = DOCS / f"{name}.png"
    page.locator("body").screenshot(path=path)
    page.close()
    print(path.relative_to(ROOT))
