"""Tests of commands that keep the terminal up to date while they run."""

import json
import re
import sys
from pathlib import Path

from tests.support.terminal import Terminal
from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.people_files import customers, write_customer_file
from tests.unit.cli.screen import show_in_terminal
from tests.unit.cli.typed import Typed, clean_environment


def run_in_terminal(*words: str) -> Terminal:
    command = [sys.executable, "-m", "waitlist_cli", *words]
    return Terminal(command, clean_environment())


def test_watch_shows_the_moving_queue_until_ctrl_c(bakery: Bakery) -> None:
    """P6"""
    bakery.sign_up("ada", "bob", profile={"city": "Rome"})
    terminal = run_in_terminal(*bakery.typed.service, "watch", bakery.waitlist_id, "--every", "0.2")
    # The footer is drawn last, so wait for it.
    screen = terminal.until(lambda text: "bob" in text and "Ctrl-C to stop" in text)
    for words in ("Bakery", "open", "waiting", "oldest", "city=Rome"):
        assert words in screen
    assert screen.index("ada") < screen.index("bob")
    bakery.typed.run("bump", bakery.waitlist_id, "--customer", "bob", "--front")
    terminal.until(lambda text: 0 < text.find("bob") < text.find("ada"))
    bakery.sign_up("cyd")
    terminal.until(lambda text: "cyd" in text and re.search(r"\b0\.[1-9]/s", text) is not None)
    bakery.typed.run("claim", bakery.waitlist_id, "--complete")
    terminal.until(lambda text: "bob" not in text)
    bakery.typed.run("ready", bakery.waitlist_id, "--customer", "ada", "--no")
    bakery.typed.run("edit", bakery.waitlist_id, "--opens-at", "2999-12-01T09:00:00Z")
    terminal.until(lambda text: "not ready" in text and "not open yet" in text)
    bakery.typed.run("pause", bakery.waitlist_id)
    terminal.until(lambda text: "paused" in text)
    terminal.interrupt()
    assert terminal.ended() == 0
    # The command has restored the terminal: it has left the alternate screen, and the cursor is
    # visible.
    assert terminal.raw.rindex("\x1b[?1049l") > terminal.raw.rindex("\x1b[?1049h")
    assert terminal.raw.rindex("\x1b[?25h") > terminal.raw.rindex("\x1b[?25l")


def test_watch_in_a_pipe_prints_a_line_for_each_look(bakery: Bakery) -> None:
    bakery.sign_up("ada")
    words = ["watch", bakery.waitlist_id, "--every", "0.1", "--looks", "3"]
    header, *lines = bakery.typed.run(*words).splitlines()
    assert header.split("\t")[:2] == ["at", "waiting"]
    assert [line.split("\t")[1] for line in lines] == ["1", "1", "1"]
    looks = [json.loads(line) for line in bakery.typed.run("--json", *words).splitlines()]
    assert [(one["waiting"], one["signed_up"]) for one in looks] == [(1, 1)] * 3
    assert looks[0]["in_per_second"] is None
    assert looks[2]["in_per_second"] == 0.0


def test_a_confirmation_is_required_before_a_list_is_deleted(bakery: Bakery) -> None:
    terminal = run_in_terminal(*bakery.typed.service, "delete", bakery.waitlist_id)
    terminal.until(lambda text: "all its entries?" in text)
    terminal.type("n\n")
    assert terminal.ended() == 2
    assert bakery.typed.json("show", bakery.waitlist_id)["name"] == "Bakery"


def test_watch_in_a_narrow_terminal_counts_people_who_are_not_ready(bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob")
    bakery.typed.run("edit", bakery.waitlist_id, "--opens-at", "2999-12-01T09:00:00Z")
    bakery.typed.run("ready", bakery.waitlist_id, "--customer", "ada", "--no")
    shown = show_in_terminal(bakery.typed.url, f"watch {bakery.waitlist_id} --looks 1", columns=60)
    assert shown.exit_codes == [0]
    assert "not ready" in shown.text
    assert "not open yet" in shown.text


def test_watch_continues_after_the_service_has_recovered(fake: FakeService) -> None:
    waitlist = {"waitlist_id": "w", "name": "W", "open": True, "paused": False, "rebuild": None}
    counts = {"oldest_waiting_seconds": None, "signed_up": 0, "admitted": 0, "left": 0}
    stats = answer(200, {**counts, "waiting": 0, "not_ready": 0, "offered": 0, "parked": 0})
    no_entries, here = answer(200, {"entries": [], "cursor": None}), answer(200, waitlist)
    rebuilding = answer(200, {**waitlist, "rebuild": {"done": 3, "total": 9}})
    fake.script = [here, stats, no_entries]
    fake.script += [answer(500, {"code": "internal_error", "detail": "A defect."})]
    fake.script += [rebuilding, answer(503, {"code": "rebuilding", "detail": "Later."})]
    fake.script += [here, stats, no_entries]
    words = ["--json", "watch", "w", "--every", "0.1", "--looks", "4"]
    looks = [json.loads(line) for line in Typed(fake.url).run(*words).splitlines()]
    problems = [one["problem"] for one in looks]
    seen_at = looks[0]["at"]
    assert problems == [
        None,
        f"A defect. These numbers are from {seen_at}.",
        f"Later. These numbers are from {seen_at}.",
        None,
    ]


def test_an_import_shows_its_progress(fake: FakeService, tmp_path: Path) -> None:
    path = write_customer_file(tmp_path / "p.csv", customers(2000))
    shown = show_in_terminal(fake.url, f"import bakery {path}")
    assert shown.exit_codes == [0]
    screen = " ".join(shown.text.split())
    for words in ("Into bakery", "100%", "2,000 rows", "/s", "time left", "2,000 joined"):
        assert words in screen
