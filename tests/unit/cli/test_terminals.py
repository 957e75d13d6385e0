"""Terminals and pipes as they are: narrow, without UTF-8, full, closed."""

import csv
import io
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.terminal import Terminal
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.typed import Typed, clean_environment

# Several commands in one process, whose start takes longer than they do; prints their exit codes.
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
    # A command whose output cannot be written sends the rest to /dev/null.
    sys.stdout.flush()
    os.dup2(out, 1)
print(codes, file=sys.stderr)
"""
NAME = "名前 Zoë"
LONG = "a long note that no narrow column has room for"


def people(*names: str) -> Any:
    rest = dict.fromkeys(
        ("total", "attempts", "offered_until", "claimed_until", "parked_at", "park_reason")
    )
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


def terminal(fake: FakeService, *words: str, columns: int, **environ: str) -> Terminal:
    command = [sys.executable, "-m", "waitlist_cli", *Typed(fake.url).service, *words]
    return Terminal(command, clean_environment(**environ), columns=columns)


def several(fake: FakeService, *commands: str) -> list[str]:
    """Return a program that runs these commands of one service."""
    service = " ".join(Typed(fake.url).service)
    return [sys.executable, "-c", SEVERAL, *(f"{service} {words}" for words in commands)]


def piped(
    fake: FakeService,
    *commands: str,
    stdout: Any = subprocess.PIPE,
    preexec_fn: Callable[[], None] | None = None,
    **environ: str,
) -> Any:
    return subprocess.run(
        several(fake, *commands),
        env=clean_environment(**environ),
        stdout=stdout,
        stderr=subprocess.PIPE,
        preexec_fn=preexec_fn,
        check=False,
        timeout=60,
    )


def no_room() -> None:
    """Let no file of this process have a byte."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_narrow_terminal_shows_every_value_a_line_each(fake: FakeService) -> None:
    fake.script = [people("ada", "bob")]
    shown = terminal(fake, "head", "bakery", columns=40)
    assert shown.ended() == 0
    lines = [" ".join(line.split()) for line in shown.text.splitlines()]
    assert [line for line in lines if line.startswith("customer")] == [
        "customer ada",
        "customer bob",
    ]
    assert "# 1" in lines
    assert "joined 2026-03-01 09:00:00Z" in lines


def test_tables_and_colours_are_for_terminals(fake: FakeService) -> None:
    """A usual terminal shows a table, however long a profile is."""
    fake.script = [people("ada", "[red]b")] * 2
    shown = terminal(fake, "head", "bakery", columns=80)
    assert shown.ended() == 0
    assert "───" in shown.text
    assert "\x1b[1m" in shown.raw
    assert [line.split()[:2] for line in shown.text.splitlines() if "2026" in line] == [
        ["1", "ada"],
        ["2", "[red]b"],
    ]
    assert "\x1b" not in Typed(fake.url).done("head", "bakery")


# An export asks twice: for the list's questions, too.
WRITING = ("head bakery", "--json head bakery", "export bakery")


def test_a_pipe_gets_utf_8_whatever_the_locale(fake: FakeService) -> None:
    """What other programs read, `import` among them, must not depend on who is at the keyboard."""
    fake.script = [people("ada")] * 4
    done = piped(fake, *WRITING, PYTHONIOENCODING="ascii")
    assert done.stderr == b"[0, 0, 0]\n"
    assert done.stdout.decode().count(NAME) == 3


def test_text_that_is_none_is_wrong_usage(fake: FakeService) -> None:
    """P5"""
    entry = "a" * 26
    done = piped(fake, "show bakery --customer \udcff", f"remove bakery {entry} --reason \udcff")
    assert done.stderr.endswith(b"[2, 2]\n"), done.stderr
    assert done.stderr.count(b"UTF-8") == 2
    assert fake.requests == []


def test_a_full_disk_is_an_error(fake: FakeService, tmp_path: Path) -> None:
    fake.script = [people("ada")] * 4
    with (tmp_path / "out").open("wb") as out:
        done = piped(fake, *WRITING, stdout=out, preexec_fn=no_room)
    assert done.stderr.endswith(b"[2, 2, 2]\n"), done.stderr
    assert done.stderr.count(b"too large") == 3


def test_every_entry_is_served_though_the_notes_are_not_read(fake: FakeService) -> None:
    """P3: `waitlist work … 2>&1 | head -1` ends the notes, not the work."""
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


# What a terminal would obey, and what would reorder its lines: C0, C1, bidirectional.
HOSTILE = "A\x1b]0;x\x07B\x9b2JC\u202eD\u200fE\u061cF\u2028G"


def test_a_terminal_gets_no_controls_of_customers(fake: FakeService) -> None:
    """P8"""
    found = ["--json show bakery", "export bakery --format jsonl", *WRITING]
    missing = ["--json show other", "show other"]
    status, headers, content = people(HOSTILE)
    page = json.loads(content) | {"name": HOSTILE}
    page["entries"][0]["profile"] = {HOSTILE: [HOSTILE]}
    refusal = answer(404, {"code": "waitlist_not_found", "detail": HOSTILE})
    # An export asks for the list's questions first.
    fake.script = [answer(status, page, **headers)] * (len(found) + 1) + [refusal] * len(missing)
    shown = Terminal(several(fake, *found, *missing), clean_environment(), columns=200)
    assert shown.ended() == 0
    assert "[0, 0, 0, 0, 0, 1, 1]" in shown.text
    written = shown.raw
    for control in HOSTILE:
        if not control.isprintable() and control != "\x1b":
            assert control not in written, hex(ord(control))
    assert "\x1b]0;" not in written
    assert written.count("A") >= len([*found, *missing])


def test_a_pipe_gets_no_controls_of_customers_either(fake: FakeService) -> None:
    """P8: what goes through head or less ends on a terminal; and the file loses none."""
    status, headers, content = people("ada")
    page = json.loads(content)
    page["entries"][0]["profile"] = {HOSTILE: HOSTILE, "name": HOSTILE, "note": "a\r\nb\tc"}
    fake.script = [answer(status, page, **headers)] * 4
    written = piped(fake, *WRITING).stdout.decode()
    for control in HOSTILE:
        if not control.isprintable():
            assert control not in written, hex(ord(control))
    (row,) = csv.DictReader(io.StringIO(written.partition("\ufeff")[2]))
    assert row["profile.note"] == "a\r\nb\tc"
    assert json.loads(row["profile"]) == {HOSTILE: HOSTILE, "name": HOSTILE}
