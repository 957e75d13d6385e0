"""`make pictures PICTURES=console`: fills lists for minutes, and films the console.

A chart has a point for each minute, so the pictures need the minutes that they show.
"""

import argparse
import math
import os
import random
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Page, ViewportSize

from tools.demo.people import Person, read_people
from tools.local.api_client import ApiClient
from tools.local.http_server import HOST
from tools.local.settings import Settings
from tools.pictures.chromium import running_chromium
from waitlist_cli.errors import Refused

DOCS = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SCREEN: ViewportSize = {"width": 1360, "height": 980}
# People who wait at the beginning; the others join one after the other.
FIRST = 300
LANGUAGES = ("English", "German", "Spanish", "French")
POLICY = {
    "rate": {"count": 50, "per": "minute"},
    "max_inside": 90,
    "acceptance": "automatic",
    "pass_seconds": 120,
}
OTHERS = {
    "beta-access": {"name": "Beta access", "open": False},
    "driving-test": {"name": "Driving test", "paused": True, "admission": {"max_inside": 20}},
    "corner-bakery": {"name": "Corner Bakery", "capacity": 40},
}


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Play a launch, then take the pictures of docs/operate/console.md."""
    parser = argparse.ArgumentParser(prog="python -m tools.pictures.console", description=__doc__)
    parser.add_argument("--minutes", type=float, default=12, help="how long the launch lasts")
    minutes = parser.parse_args(arguments).minutes
    url = environ.get("WAITLIST_URL") or f"http://{HOST}:{Settings.from_env(environ).port}"
    with ApiClient(url) as client:
        launch = Launch(client, f"festival-{secrets.token_hex(2)}")
        launch.fill_others()
        launch.play(minutes * 60)
    with opened_console(url) as page:
        film(page, launch.waitlist_id)
    return 0


class Launch:
    """A list that admits by itself while people join and leave."""

    def __init__(self, client: ApiClient, waitlist_id: str) -> None:
        self.waitlist_id = waitlist_id
        self._client = client
        self._random = random.Random(7)  # the same crowd each time
        self._tokens: list[tuple[str, str]] = []

    def fill_others(self) -> None:
        """Make the other lists of the overview."""
        people = iter(_drawable()[-60:])
        for waitlist_id, settings in OTHERS.items():
            path = f"/v1/admin/waitlists/{waitlist_id}"
            self._client.operator("PUT", path, json=settings)
            rows = [_row(person) for person, _ in zip(people, range(18), strict=False)]
            self._client.operator("POST", f"{path}/import", json={"entries": rows})

    def play(self, seconds: float) -> None:
        """Let people join and leave until the time is over."""
        admin = f"/v1/admin/waitlists/{self.waitlist_id}"
        settings = {"name": "Summer Festival", "segments": [["language"]]}
        self._client.operator("PUT", admin, json=settings)
        people = _drawable()
        self._import(admin, people[:FIRST])
        self._client.operator("PUT", admin, json={**settings, "admission": POLICY})
        ends, crowd = time.monotonic() + seconds, iter(people[FIRST:])
        while time.monotonic() < ends:
            self._step(admin, crowd)
            time.sleep(1)

    def _step(self, admin: str, crowd: Iterator[Person]) -> None:
        # Waves, some minutes long.
        rate = 1 + 0.8 * math.sin(time.monotonic() / 45)
        count = int(rate + self._random.random())
        joining = [person for person, _ in zip(crowd, range(count), strict=False)]
        if joining:
            self._import(admin, joining)
        if self._random.random() < 0.12 and self._tokens:
            entry_id, token = self._tokens.pop(self._random.randrange(len(self._tokens)))
            path = f"/v1/waitlists/{self.waitlist_id}/entries/{entry_id}"
            # Some were admitted before they leave.
            with suppress(Refused):
                self._client.customer("DELETE", path, token)

    def _import(self, admin: str, people: Sequence[Person]) -> None:
        rows = [_row(person, self._random.choice(LANGUAGES)) for person in people]
        body = {"entries": rows, "entry_tokens": True}
        results = self._client.operator("POST", f"{admin}/import", json=body)["results"]
        self._tokens += [(one["entry_id"], one["entry_token"]) for one in results]


def _drawable() -> list[Person]:
    """Return the people whose names every machine has the letters for."""
    return [person for person in read_people() if max(person.name + person.city) < "\u0600"]


def _row(person: Person, language: str = "") -> dict[str, object]:
    profile = {"name": person.name, "city": person.city}
    attributes = {"language": language} if language else {}
    return {"customer_id": person.customer_id, "profile": profile, "attributes": attributes}


@contextmanager
def opened_console(url: str) -> Iterator[Page]:
    """Start the console and open it in a browser."""
    words = [sys.executable, "-m", "waitlist_cli", "--local", "--url", url, "console"]
    process = subprocess.Popen([*words, "--no-browser"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        address = process.stdout.readline().strip()
        with running_chromium() as browser:
            page = browser.new_page(viewport=SCREEN, device_scale_factor=1.5, locale="en-GB")
            page.goto(address)
            page.wait_for_url("**/")
            yield page
    finally:
        process.terminate()
        process.wait()


def film(page: Page, waitlist_id: str) -> None:
    """Take the pictures."""
    origin = page.url.rstrip("/")
    page.goto(f"{origin}/lists/{waitlist_id}")
    page.locator("canvas").nth(2).wait_for()
    save(page, "console")
    page.emulate_media(color_scheme="dark")
    page.goto(f"{origin}/lists/{waitlist_id}/policy")
    page.locator("#preview table").wait_for()
    save(page, "console-policy")


def save(page: Page, name: str) -> None:
    page.wait_for_function("!document.querySelector('.htmx-request')")
    path = DOCS / f"{name}.png"
    page.screenshot(path=path)
    print(path.relative_to(DOCS.parent))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
