"""Files that are dropped onto the console."""

from tests.e2e.processes import wait_until
from tests.unit.cli.console.opened import Opened


def drop(
    console: Opened, waitlist_id: str, name: str, content: str | bytes, kind: str = "import"
) -> str:
    """Drop a file as the page's script does; return the page that asks about it."""
    answered = console.browser.post(
        f"/lists/{waitlist_id}/{kind}",
        params={"name": name},
        content=content if isinstance(content, bytes) else content.encode(),
        headers={"HX-Request": "true", "Origin": console.origin},
    )
    assert answered.status_code == 200, answered.text
    return str(answered.json()["to"])


def ended(console: Opened, page: str) -> str:
    """Wait until all rows of a file are done or the job has stopped; return its report."""
    wait_until(
        lambda: (
            "hx-get" not in console.page(page).partition("</main>")[0].partition("<main")[2][:200]
        )
    )
    return console.text(page)
