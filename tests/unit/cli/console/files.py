"""Uploads files of people to the console, and waits until the console has processed them."""

from tests.e2e.processes import wait_until
from tests.unit.cli.console.opened import Opened


def drop(
    console: Opened, waitlist_id: str, name: str, content: str | bytes, kind: str = "import"
) -> str:
    """Upload a file, and return the path of the page that asks what each column means."""
    answered = console.browser.post(
        f"/lists/{waitlist_id}/{kind}",
        params={"name": name},
        content=content if isinstance(content, bytes) else content.encode(),
        headers={"HX-Request": "true", "Origin": console.origin},
    )
    assert answered.status_code == 200, answered.text
    return str(answered.json()["to"])


def wait_for_report(console: Opened, page: str) -> str:
    wait_until(
        lambda: (
            "hx-get" not in console.page(page).partition("</main>")[0].partition("<main")[2][:200]
        )
    )
    return console.text(page)
