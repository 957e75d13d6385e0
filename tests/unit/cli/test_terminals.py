"""Tests of the command line in narrow terminals, in terminals without UTF-8, with full disks and
with closed pipes.
"""

import csv
import io
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.screen import show_in_terminal
from tests.unit.cli.typed import Typed, clean_environment

# This program runs the given commands one after another and prints their exit codes. One process
# for all of them is faster than a process for each.
SEVERAL = """
import os, sys
from waitlist_cli.__main__ import main
out, codes = os.dup(1), []
for words in sys.argv[1:]:
    sys.argv = ["waitlist", *words.split()]
    try:
        main()
    except SystemExit as ended:
        codes.append(ended.code)
    # After a failed write, a command redirects the output to /dev/null. The next command needs the
    # real output again.
    sys.stdout.flush()
    os.dup2(out, 1)
print(codes, file=sys.stderr)
"""
NAME = "名前 Zoë"
LONG = "a long note that no narrow column has room for"


def people(*names: str) -> Any:
    ends = ("offered_until", "claimed_until", "parked_at", "park_reason")
    rest = dict.fromkeys(("total", "call_number", "attempts", *ends))
    entries_of_page = [
        {
            **rest,
            "entry_id": "a" * 26,
            "customer_id": name,
            "status": "waiting",
            "position": number,
            "priority": 0,
            "joined_at": "2026-03-01T09:00:00.000Z",
            "profile": {"name": NAME, "note": LONG},
            "attributes": {"language": ["English", "Spanish"]},
        }
        for number, name in enumerate(names, 1)
    ]
    return answer(200, {"entries": entries_of_page, "cursor": None})


def program_of_several(fake: FakeService, *commands: str) -> list[str]:
    service = " ".join(Typed(fake.url).service)
    return [sys.executable, "-c", SEVERAL, *(f"{service} {words}" for words in commands)]


def run_in_pipe(
    fake: FakeService,
    *commands: str,
    stdout: Any = subprocess.PIPE,
    preexec_fn: Callable[[], None] | None = None,
    **environ: str,
) -> Any:
    return subprocess.run(
        program_of_several(fake, *commands),
        env=clean_environment(**environ),
        stdout=stdout,
        stderr=subprocess.PIPE,
        preexec_fn=preexec_fn,
        check=False,
        timeout=60,
    )


def forbid_writing() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_narrow_terminal_shows_each_value_on_its_own_line(fake: FakeService) -> None:
    fake.script = [people("ada", "bob")]
    shown = show_in_terminal(fake.url, "head bakery", columns=40)
    assert shown.exit_codes == [0]
    lines = [" ".join(line.split()) for line in shown.text.splitlines()]
    assert [line for line in lines if line.startswith("customer")] == [
        "customer ada",
        "customer bob",
    ]
    assert "# 1" in lines
    assert "joined 2026-03-01 09:00:00Z" in lines


def test_tables_and_colours_are_shown_only_in_terminals(fake: FakeService) -> None:
    """Tables and colours appear only in a terminal.

    A table fits into the terminal, however long a profile is.
    """
    # In a terminal, `head` sends a second request to read the waitlist's time zone. In a pipe, it
    # sends only one.
    fake.script = [people("ada", "[red]b")] * 3
    shown = show_in_terminal(fake.url, "head bakery", columns=80)
    assert shown.exit_codes == [0]
    assert "───" in shown.text
    assert "\x1b[1m" in shown.raw
    assert [line.split()[:2] for line in shown.text.splitlines() if "2026" in line] == [
        ["1", "ada"],
        ["2", "[red]b"],
    ]
    assert "\x1b" not in Typed(fake.url).run("head", "bakery")


# An export sends two requests. The first one reads the waitlist's questions.
WRITING = ("head bakery", "--json head bakery", "export bakery")


def test_a_pipe_gets_utf_8_whatever_the_locale(fake: FakeService) -> None:
    """Output to a pipe is always UTF-8, whatever the operator's locale, because other programs such
    as `import` read it.
    """
    fake.script = [people("ada")] * 4
    done = run_in_pipe(fake, *WRITING, PYTHONIOENCODING="ascii")
    assert done.stderr == b"[0, 0, 0]\n"
    assert done.stdout.decode().count(NAME) == 3


def test_text_that_is_not_utf_8_is_wrong_usage(fake: FakeService) -> None:
    """P5"""
    entry = "a" * 26
    done = run_in_pipe(
        fake, "show bakery --customer \udcff", f"remove bakery {entry} --reason \udcff"
    )
    assert done.stderr.endswith(b"[2, 2]\n"), done.stderr
    assert done.stderr.count(b"UTF-8") == 2
    assert fake.requests == []


def test_a_full_disk_is_an_error(fake: FakeService, tmp_path: Path) -> None:
    fake.script = [people("ada")] * 4
    with (tmp_path / "out").open("wb") as out:
        done = run_in_pipe(fake, *WRITING, stdout=out, preexec_fn=forbid_writing)
    assert done.stderr.endswith(b"[2, 2, 2]\n"), done.stderr
    assert done.stderr.count(b"too large") == 3


def test_every_entry_is_served_even_if_the_pipe_of_the_notes_is_closed(fake: FakeService) -> None:
    """`work` serves every entry even after its standard error has been closed, as in `waitlist work
    … 2>&1 | head -1` (promise P3).
    """
    claims = [{"entry_id": "a" * 26, "customer_id": str(n), "claim_token": "0" * 40} for n in "12"]
    fake.script = [answer(200, {"lease_seconds": 300})]
    for claim in claims:
        fake.script += [answer(200, {"claims": [claim]}), answer(200, {})]
    fake.script += [answer(200, {"claims": []})]
    reading, writing = os.pipe()
    os.close(reading)
    command = [*Typed(fake.url).service, "work", "bakery", "--until-empty", "--", "true"]
    done = subprocess.run(
        [sys.executable, "-m", "waitlist_cli", *command],
        env=clean_environment(),
        stderr=writing,
        check=False,
        timeout=60,
    )
    os.close(writing)
    assert done.returncode == 0
    assert sum(path.endswith("/complete") for _, path, _, _ in fake.requests) == 2


# C0, C1 and bidirectional control characters, which control a terminal or change the direction of
# text.
HOSTILE = "A\x1b]0;x\x07B\x9b2JC\u202eD\u200fE\u061cF\u2028G"


def test_text_of_customers_cannot_control_a_terminal(fake: FakeService) -> None:
    """P8"""
    found = ["--json show bakery", "export bakery --format jsonl", *WRITING]
    missing = ["--json show other", "show other"]
    status, headers, content = people(HOSTILE)
    page = json.loads(content) | {"name": HOSTILE}
    page["entries"][0]["profile"] = {HOSTILE: [HOSTILE]}
    refusal = answer(404, {"code": "waitlist_not_found", "detail": HOSTILE})
    # Two commands send one extra request: the CSV export reads the waitlist's questions, and `head`
    # reads its time zone.
    fake.script = [answer(status, page, **headers)] * (len(found) + 2) + [refusal] * len(missing)
    shown = show_in_terminal(fake.url, *found, *missing, columns=200)
    assert shown.exit_codes == [0, 0, 0, 0, 0, 1, 1]
    written = shown.raw
    for control in HOSTILE:
        if not control.isprintable() and control != "\x1b":
            assert control not in written, hex(ord(control))
    assert "\x1b]0;" not in written
    assert written.count("A") >= len([*found, *missing])


def test_text_of_customers_in_a_pipe_cannot_control_a_terminal(fake: FakeService) -> None:
    """Programs such as head and less show piped text in a terminal, so customers' text in a pipe
    must contain no control characters.

    In a file, the text keeps every character (promise P8).
    """
    status, headers, content = people("ada")
    page = json.loads(content)
    page["entries"][0]["profile"] = {HOSTILE: HOSTILE, "name": HOSTILE, "note": "a\r\nb\tc"}
    fake.script = [answer(status, page, **headers)] * 4
    typed = Typed(fake.url)
    written = b"".join(typed(*words.split()).stdout_bytes for words in WRITING).decode()
    for control in HOSTILE:
        if not control.isprintable():
            assert control not in written, hex(ord(control))
    (row,) = csv.DictReader(io.StringIO(written.partition("\ufeff")[2]))
    assert row["profile.note"] == "a\r\nb\tc"
    assert json.loads(row["profile"]) == {HOSTILE: HOSTILE, "name": HOSTILE}


def test_people_at_a_terminal_read_names_and_the_time_zone_of_the_waitlist(
    bakery: Bakery, tmp_path: Path
) -> None:
    def shown(*commands: str) -> str:
        return show_in_terminal(bakery.typed.url, *commands, lines=60, columns=200).text

    waitlist_id = bakery.waitlist_id
    bakery.typed.run("edit", waitlist_id, "--timezone", "Asia/Kathmandu")
    (ada,) = bakery.sign_up("ada", profile={"name": "Ada Lovelace"})
    entry_id = ada["entry_id"]
    joined = bakery.typed.json("show", waitlist_id, entry_id)["joined_at"]
    local = datetime.fromisoformat(joined).astimezone(ZoneInfo("Asia/Kathmandu"))
    people = tmp_path / "people.csv"
    people.write_text("customer_id,name\nbob,Bob Dylan\n")
    dry_run = f"import {waitlist_id} {people} --dry-run"
    joined_locally = f"{local:%Y-%m-%d %H:%M:%S} +0545"
    assert joined in bakery.typed.run("head", waitlist_id)
    assert "Bob Dylan" not in bakery.typed.run(*dry_run.split())
    assert joined_locally in shown(f"head {waitlist_id}")
    text = shown(
        f"show {waitlist_id} {entry_id}",
        f"bump {waitlist_id} {entry_id} --priority 3",
        f"remove {waitlist_id} {entry_id}",
        f"ready {waitlist_id} {entry_id}",
        dry_run,
    )
    who = f"Ada Lovelace ({entry_id})"
    for part in (
        joined_locally,
        f"{who}: waiting",
        f"{who} is removed",
        f"{who}: The customer has left the waitlist",
        "Bob Dylan",
    ):
        assert part in text
