"""Draws the pictures in docs/pictures when you run `make pictures`.

They show a simulated service that people have used for an hour.
"""

import base64
import math
import random
import re
import time
from collections.abc import Callable, Iterator
from io import StringIO
from itertools import islice
from pathlib import Path
from threading import Event, Lock
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

import httpx
from playwright.sync_api import Browser, Page, Route, expect
from rich.console import Console

from tests.browser import mails
from tests.browser.chromium import running_chromium
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import Clock, RedisClock, World
from tests.unit.cli.console.opened import listening, opened
from tools.demo.people import read_people
from waitlist_cli.client.api import ADMIN, Api
from waitlist_cli.terminal.context import Context
from waitlist_cli.watch import watcher
from waitlist_cli.watch.picture import Snapshot, picture

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SERVICE = "http://127.0.0.1:8080"
MINUTE_MILLIS = 60_000
FIRST_CROWD = 150
LANGUAGES = ("English", "German", "Spanish", "French")
FESTIVAL = {
    "name": "Summer Festival",
    "segments": [["language"]],
    "admission": {
        "rate": {"count": 18, "per": "minute"},
        "max_inside": 40,
        "acceptance": "automatic",
        "pass_seconds": 120,
    },
}
BAKERY = {
    "name": "Corner Bakery",
    "page": {
        "text": "Fresh bread every morning.\nWe let people in as the oven allows.",
        "colour": "#0b6e4f",
        "fields": [
            {"name": "name", "label": "Your name", "required": True},
            {"name": "email", "label": "Email", "type": "email"},
        ],
    },
}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}
SCREEN: dict[str, Any] = {"viewport": {"width": 1360, "height": 1240}, "device_scale_factor": 1.5}
# This page shows several screenshots side by side, each in a phone frame.
FRAME = """<!doctype html><style>
body {{ margin: 0; padding: 32px; display: inline-flex; gap: 32px; background: {background}; }}
img {{ width: 300px; border: 6px solid #22252b; border-radius: 34px; }}
</style>{images}"""


class InProcess(httpx.BaseTransport):
    """An httpx transport that passes requests to a service in the same process, one at a time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lock = Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode().partition("?")[0]
        with self._lock:
            answer = self._world.request(
                request.method,
                path,
                raw_body=request.read().decode() or None,
                operator=path.startswith(ADMIN),
                headers={k: v for k, v in request.headers.items() if k != "accept-encoding"},
                query=request.url.query.decode(),
            )
        return httpx.Response(answer.status, headers=answer.headers, content=answer.text.encode())


def main() -> None:
    start = (time.time_ns() // 1_000_000 // MINUTE_MILLIS - 61) * MINUTE_MILLIS
    clock, of_redis = Clock(start), RedisClock.standing(start)
    world = World.on(new_table(), empty_redis(), clock=clock, redis_clock=of_redis)
    service = httpx.Client(transport=InProcess(world), base_url=SERVICE)
    api = Api(service, httpx.Auth)
    save_watch(play(People(world, "summer-festival"), api))
    with running_chromium() as browser:
        draw_customers(browser, service, world)
        draw_console(browser, api)
        draw_mails(browser, world)


def play(people: People, api: Api) -> Snapshot:
    chance = random.Random(7)  # The seed makes the crowd the same each time.
    crowd = drawable_people(chance)
    people.configure(**FESTIVAL)
    people.bring(*islice(crowd, FIRST_CROWD))
    context = cast("Context", SimpleNamespace(api=api))
    watch = watcher.Watcher(context, people.waitlist_id, head=12)
    seconds = SimpleNamespace(monotonic=lambda: people.world.clock.millis / 1000)
    with patch.object(watcher, "time", seconds):
        for minute, seen in enumerate(watch.snapshots(0, 61, Event())):  # noqa: B007
            # People arrive in waves of several minutes.
            count = 19 * (1 + 0.8 * math.sin(minute / 4)) + chance.uniform(-3, 3)
            people.bring(*islice(crowd, max(0, round(count))))
            for name in chance.sample(list(people.names.values()), 3):
                # The service refuses this request if the person has been admitted or has left.
                people.world.request("DELETE", people.entry(name), token=people.token_of(name))
            advance(people.world, 60)
    return seen


def advance(world: World, seconds: float) -> None:
    world.advance(seconds)
    world.maintenance.run_all()


def save_watch(snapshot: Snapshot) -> None:
    console = Console(record=True, width=98, height=24, file=StringIO())
    console.print(picture(snapshot, console.options))
    console.save_svg(str(PICTURES / "cli-watch.svg"), title="waitlist watch")


def drawable_people(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Every machine has Latin, Greek and Cyrillic fonts, but fonts for other scripts may be
    missing.
    """
    for person in read_people():
        if max(person.name + person.city) < "\u0600":
            profile = {"name": person.name, "city": person.city}
            attributes = {"language": chance.choice(LANGUAGES)}
            customer_id = person.customer_id
            yield {"customer_id": customer_id, "profile": profile, "attributes": attributes}


def draw_console(browser: Browser, api: Api) -> None:
    with opened(api) as console, listening(console.guard):
        page = browser.new_page(base_url=console.origin, locale="en-GB", **SCREEN)
        page.goto(f"/?token={console.guard.new_token()}")
        page.goto("/lists/summer-festival")
        page.locator("canvas").nth(2).wait_for()
        save(page, "console")
        page.emulate_media(color_scheme="dark")
        page.goto("/lists/summer-festival/policy")
        page.locator("#preview table").wait_for()
        save(page, "console-policy")
        page.close()


def draw_customers(browser: Browser, service: httpx.Client, world: World) -> None:
    busy, calm = People(world, "bakery"), People(world, "calm")
    busy.configure(**BAKERY, admission={"rate": {"count": 3, "per": "minute"}})
    calm.configure(**BAKERY, admission={})
    early = [person.customer_id for person in read_people()[:240]]
    busy.bring(*early)

    def phone(**options: Any) -> Page:
        context = browser.new_context(base_url=SERVICE, reduced_motion="reduce", **PHONE, **options)
        context.route("**/*", answered_by(service))
        return context.new_page()

    form = phone(locale="en-GB")
    form.goto("/w/bakery")
    form.get_by_label("Your name").fill("Ada")
    waiting = joined(phone(locale="en-GB"), busy, "Join the line")
    others = [
        joined(phone(locale=locale, color_scheme="dark"), busy, button)
        for locale, button in (("ar", "الانضمام إلى القائمة"), ("de-DE", "Anstellen"))
    ]
    expect.set_options(timeout=60_000)  # The page polls slowly, so some texts appear late.
    for name in early[:150]:
        world.request("POST", f"{busy.admin_entry(name)}/remove", body={}, operator=True)
    advance(world, time.time() - world.clock.millis / 1000)
    for page in (waiting, *others):
        expect(page.locator(".number")).to_have_text(re.compile(r"^\d\d$"))
    offered = joined(phone(locale="en-GB"), calm, "Join the line")
    world.request("POST", f"{calm.admin_path}/admit", body={"count": 1}, operator=True)
    expect(offered.get_by_role("timer")).to_be_visible()
    save_phones(browser, "customer-page", [form, waiting, offered], "#dfe4ea")
    offered.emulate_media(color_scheme="dark")
    offered.get_by_role("button", name="Enter now").click()
    expect(offered.get_by_role("heading", name="You are in")).to_be_visible()
    save_phones(browser, "customer-page-dark", [*others, offered], "#0b0c0f")


def draw_mails(browser: Browser, world: World) -> None:
    settings = world.services.waitlist_cache.find("bakery").settings
    page = browser.new_page(device_scale_factor=1.25)
    mails.show(page, settings, 1_790_000_000_000)
    page.locator("body").screenshot(path=PICTURES / "messages.png")
    page.close()


def joined(page: Page, people: People, button: str) -> Page:
    page.goto(f"/w/{people.waitlist_id}")
    page.locator("input").first.fill("Ada")
    page.get_by_role("button", name=button).click()
    expect(page.locator(".number")).to_have_text(re.compile(r"\w"))
    return page


def answered_by(client: httpx.Client) -> Callable[[Route], None]:
    def answer(route: Route) -> None:
        request = route.request
        if client.is_closed:
            # The screenshots are done, but the page is still open and keeps polling.
            route.abort()
            return
        found = client.request(
            request.method, request.url, headers=request.headers, content=request.post_data_buffer
        )
        route.fulfill(status=found.status_code, headers=dict(found.headers), body=found.content)

    return answer


def save(page: Page, name: str) -> None:
    page.wait_for_function("!document.querySelector('.htmx-request')")
    page.screenshot(path=PICTURES / f"{name}.png")


def save_phones(browser: Browser, name: str, pages: list[Page], background: str) -> None:
    blur = "() => document.querySelector('waitlist-position').shadowRoot.activeElement?.blur()"
    images = ""
    for page in pages:
        page.evaluate(blur)
        picture = base64.b64encode(page.screenshot()).decode()
        images += f'<img src="data:image/png;base64,{picture}">'
    page = browser.new_page()
    page.set_content(FRAME.format(background=background, images=images))
    page.locator("body").screenshot(path=PICTURES / f"{name}.png")


if __name__ == "__main__":
    main()
