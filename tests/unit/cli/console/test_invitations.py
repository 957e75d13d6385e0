"""Tests the console's *Invitations* page, and the dialog that invites people."""

import re

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened


def test_people_are_invited_by_the_dialog_and_the_page_shows_the_funnel(
    console: Opened, bakery: Bakery
) -> None:
    base = f"/lists/{bakery.waitlist_id}"
    assert "Nobody has been invited yet." in console.text(f"{base}/invitations")
    bakery.sign_up("ada", "bob", "cyd")
    bakery.typed.run("edit", bakery.waitlist_id, "--timezone", "Asia/Tokyo")
    dialog = console.text(f"{base}/do/invite")
    assert "at most one reminder" in dialog
    in_tokyo = r"\d\d:\d\d on \w{3} \d+ \w{3} 20\d\d \(Asia/Tokyo\)"
    assert re.search(f"With 48h, the offers end at {in_tokyo}", dialog)
    assert re.search(f"It ends at {in_tokyo}", console.text(f"{base}/do/admit"))
    asked = console.submit_again(f"{base}/do/invite", count="2", until="14d")
    assert re.search(f"Up to 2 people get an offer until {in_tokyo}", asked)
    notice = console.submit(f"{base}/do/invite", count="2", until="14d", sure="yes")
    assert re.match(f"2 people are invited. The offers end at {in_tokyo}", notice)
    text = console.text(f"{base}/invitations")
    assert "Invited at Until Invited Delivered Opened Still open" in text
    assert " UTC 2 0 0 2 0 0 0 0 " in text or " 2 0 0 2 0 0 0 0 " in text
    assert [bakery.status(name) for name in ("ada", "bob", "cyd")] == [
        "offered",
        "offered",
        "waiting",
    ]


def test_the_dialog_refuses_an_impossible_end(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada")
    path = f"/lists/{bakery.waitlist_id}/do/invite"
    assert "and not a duration such as 48h" in console.submit_refused(
        path, count="1", until="tomorrow"
    )
    assert "at most 14 days" in console.submit_refused(path, count="1", until="15d", sure="yes")
    assert bakery.status("ada") == "waiting"
