"""Tests of `waitlist work`, which claims people and runs a program for each of them.

They use the real service.
"""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import wait_until
from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import Answer, FakeService, answer
from tests.unit.cli.typed import Typed, write_program

REMEMBER = """
import json, pathlib, sys
person = json.load(sys.stdin)
with pathlib.Path(sys.argv[1]).open("a") as file:
    print(person["customer_id"], person["attempts"], person["profile"], file=file)
"""
FAIL = "import sys; sys.exit(3)"
# A program that writes its process id to a file and waits for a second file to appear.
STAY = """
import os, pathlib, signal, sys, time
signal.signal(signal.SIGINT, lambda *_: pathlib.Path(sys.argv[1] + ".heard").touch())
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
while not pathlib.Path(sys.argv[1] + ".end").exists():
    time.sleep(0.02)
"""


# When this program serves Ada, it starts a child process and waits for it, as a shell does. The
# child ignores SIGTERM and keeps a pipe open until it ends. When the program serves the next
# person, it checks the pipe and records whether the child is still running.
SHELL = """
import json, os, signal, subprocess, sys
pipe = sys.argv[1]
if len(sys.argv) > 2:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.open(pipe, os.O_RDWR)
    open(pipe + ".ready", "w").close()
    signal.pause()
if json.load(sys.stdin)["customer_id"] == "ada":
    subprocess.run([sys.argv[0], pipe, "stubborn"])
try:
    is_running = os.read(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), 1) != b""
except BlockingIOError:
    is_running = True
open(pipe + ".seen", "w").write(str(is_running))
"""


def run_work(bakery: Bakery, program: str, *words: str, options: str = "") -> Any:
    command = ["work", bakery.waitlist_id, *options.split(), "--", program, *words]
    return bakery.typed("--json", *command)


def read_outcomes(text: str) -> list[tuple[str, str]]:
    shown = [json.loads(line) for line in text.splitlines()]
    return [(one["customer_id"], one["outcome"]) for one in shown]


@pytest.fixture
def remember(tmp_path: Path) -> str:
    return write_program(tmp_path / "remember.py", REMEMBER)


@pytest.fixture
def stay(tmp_path: Path) -> str:
    return write_program(tmp_path / "stay.py", STAY)


def start_work(bakery: Bakery, program: str, marker: Path, *options: str) -> subprocess.Popen[str]:
    process = bakery.typed.start(
        "work", bakery.waitlist_id, *options, "--", program, str(marker), start_new_session=True
    )
    wait_until(lambda: marker.exists() and bool(marker.read_text()))
    return process


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_program_runs_for_each_person_who_is_then_admitted(
    bakery: Bakery, remember: str, tmp_path: Path
) -> None:
    """P1 P4"""
    bakery.sign_up("ada", "bob", "cyd", profile={"n": 1})
    seen = tmp_path / "seen"
    result = run_work(bakery, remember, str(seen), options="--until-empty")
    assert result.exit_code == 0
    assert read_outcomes(result.stdout) == [(name, "completed") for name in ("ada", "bob", "cyd")]
    assert seen.read_text().splitlines() == [
        f"{name} 0 {{'n': 1}}" for name in ("ada", "bob", "cyd")
    ]
    assert {bakery.status(name) for name in ("ada", "bob", "cyd")} == {"admitted"}


def test_several_entries_are_served_at_once_and_none_twice(
    bakery: Bakery, remember: str, tmp_path: Path
) -> None:
    """P4"""
    names = [f"p{number}" for number in range(9)]
    bakery.sign_up(*names)
    seen = tmp_path / "seen"
    result = run_work(bakery, remember, str(seen), options="--until-empty --concurrency 3")
    assert result.exit_code == 0
    assert sorted(line.split()[0] for line in seen.read_text().splitlines()) == names


@pytest.mark.parametrize(
    ("how", "outcome", "line"),
    [
        ("release", "released", ["ada", "bob"]),
        ("back", "released", ["bob", "ada"]),
        ("park", "parked", ["bob"]),
    ],
)
def test_if_the_program_fails_the_person_is_given_back(
    bakery: Bakery, tmp_path: Path, how: str, outcome: str, line: list[str]
) -> None:
    """P3"""
    bakery.sign_up("ada", "bob")
    fail = write_program(tmp_path / "fail.py", FAIL)
    result = run_work(bakery, fail, options=f"--max 1 --on-failure {how}")
    assert result.exit_code == 1
    assert read_outcomes(result.stdout) == [("ada", outcome)]
    assert bakery.line() == line
    history = bakery.typed.json("history", bakery.waitlist_id, "--customer", "ada")["history"]
    assert history[-1]["reason"].endswith("fail.py ended with 3")


def test_a_hold_is_extended_while_the_program_runs_and_losing_it_ends_the_program(
    bakery: Bakery, stay: str, tmp_path: Path
) -> None:
    """`work` extends its claim while the program runs.

    If the claim is lost, `work` stops the program, because another worker could now claim the entry
    (promise P4).
    """
    bakery.sign_up("ada")
    marker = tmp_path / "stay"
    process = start_work(bakery, stay, marker, "--lease", "2", "--max", "1")
    pid = int(marker.read_text())

    def deadline() -> str:
        offered = bakery.typed.json("offered", bakery.waitlist_id)["entries"]
        return str(offered[0]["claimed_until"])

    first = deadline()
    wait_until(lambda: deadline() > first)
    second = deadline()
    wait_until(lambda: deadline() > second)
    bakery.typed.run("remove", bakery.waitlist_id, "--customer", "ada")
    assert process.wait(30) == 1
    _, said = process.communicate()
    assert re.search(r"ada: lost after [0-9.]+ s: This customer has left the waitlist", said)
    assert not is_alive(pid)
    assert bakery.status("ada") == "left"


def test_ctrl_c_waits_for_the_program_and_stops_claiming(
    bakery: Bakery, stay: str, tmp_path: Path
) -> None:
    bakery.sign_up("ada", "bob")
    marker = tmp_path / "stay"
    process = start_work(bakery, stay, marker)
    # When an operator presses Ctrl-C, the terminal sends SIGINT to its foreground process group.
    # The program that `work` runs is in a different group.
    os.killpg(process.pid, signal.SIGINT)
    assert process.stderr is not None
    assert "Waiting for running commands" in process.stderr.readline()
    assert bakery.status("ada") == "offered"
    Path(f"{marker}.end").touch()
    assert process.wait(30) == 0
    process.communicate()
    assert (bakery.status("ada"), bakery.line()) == ("admitted", ["bob"])
    assert not Path(f"{marker}.heard").exists()


def test_a_second_ctrl_c_ends_the_program_and_gives_the_person_back(
    bakery: Bakery, stay: str, tmp_path: Path
) -> None:
    """P3"""
    bakery.sign_up("ada", "bob")
    marker = tmp_path / "stay"
    process = start_work(bakery, stay, marker)
    pid = int(marker.read_text())
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    assert "Waiting for running commands" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    process.communicate()
    assert not is_alive(pid)
    assert bakery.line() == ["ada", "bob"]


def test_a_failing_service_does_not_end_the_work(fake: FakeService) -> None:
    """If the service fails after the program has ended, `work` names the entry whose completion it
    could not record, and claims the next one (promise P3).
    """
    claims = [{"entry_id": "a" * 26, "customer_id": n, "claim_token": "0" * 40} for n in "xy"]
    broken = answer(500, {"code": "internal_error", "detail": "A defect."})
    fake.script = [answer(200, {"lease_seconds": 300}), broken]
    fake.script += [answer(200, {"claims": claims[:1]}), broken]
    fake.script += [answer(200, {"claims": claims[1:]}), answer(200, {})]
    words = ["--json", "work", "bakery", "--max", "2", "--", "true"]
    result = Typed(fake.url)(*words)
    assert result.exit_code == 1
    assert read_outcomes(result.stdout) == [
        ("x", "not recorded as completed: A defect."),
        ("y", "completed"),
    ]


def test_a_program_is_stopped_when_its_hold_cannot_be_extended(
    fake: FakeService, stay: str, tmp_path: Path
) -> None:
    """If `work` cannot extend its claim, it stops the program.

    Until the claim ends, expired credentials can be renewed (promise P4).
    """
    claim = {"entry_id": "a" * 26, "customer_id": "ada", "claim_token": "0" * 40}
    expired = answer(403, {"code": "forbidden", "detail": "The token has expired."})
    fake.script = [answer(200, {"lease_seconds": 2}), answer(200, {"claims": [claim]})]
    fake.script += [expired] * 100
    marker = tmp_path / "stay"
    words = ["--json", "work", "bakery", "--max", "1", "--", stay, str(marker)]
    result = Typed(fake.url)(*words)
    assert result.exit_code == 1
    assert "could not be extended in time: The token has expired." in result.stdout
    assert not is_alive(int(marker.read_text()))


def test_a_program_that_ignores_sigterm_is_killed_before_the_next_claim(
    fake: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a program ignores SIGTERM, `work` kills it before the next claim, even if the shell that
    started the program has ended (promise P4).
    """
    monkeypatch.setattr("waitlist_cli.work.program.GRACE_SECONDS", 0.3)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    claims = [
        {"entry_id": "a" * 26, "customer_id": name, "claim_token": "0" * 40}
        for name in ("ada", "bob")
    ]
    lost = answer(409, {"code": "claim_expired", "detail": "Gone."})

    def lose_the_first_hold(path: str) -> None:
        if path.endswith("/extend"):
            wait_until(Path(f"{pipe}.ready").exists)

    fake.on_request = lose_the_first_hold
    fake.script = [answer(200, {"lease_seconds": 1}), answer(200, {"claims": claims[:1]}), lost]
    # On a busy machine, bob's claim is extended several times before the program ends.
    fake.script += [answer(200, {"claims": claims[1:]}), *[answer(200, {})] * 100]
    shell = write_program(tmp_path / "shell.py", SHELL)
    result = Typed(fake.url)("--json", "work", "bakery", "--max", "2", "--", shell, str(pipe))
    assert read_outcomes(result.stdout) == [("ada", "lost: Gone."), ("bob", "completed")]
    assert Path(f"{pipe}.seen").read_text() == "False"


def test_a_missing_program_claims_no_entry(bakery: Bakery) -> None:
    """P5"""
    bakery.sign_up("ada")
    assert run_work(bakery, "no-such-program").exit_code == 2
    assert bakery.status("ada") == "waiting"


def test_work_waits_while_the_service_is_busy_or_the_list_is_paused(fake: FakeService) -> None:
    """While the service is busy or the waitlist is paused, `work` repeats its claim with the same
    key until it gets an answer (promise P2).
    """
    claim = {"entry_id": "a" * 26, "customer_id": "ada", "claim_token": "0" * 40}
    busy = answer(503, {"code": "rebuilding", "detail": "Later."}, Retry_After="0")
    paused = answer(409, {"code": "waitlist_paused", "detail": "Paused."})
    fake.script = [
        answer(200, {"lease_seconds": 300}),
        paused,
        busy,
        answer(200, {"claims": [claim]}),
        answer(200, {}),
    ]
    result = Typed(fake.url)("work", "bakery", "--max", "1", "--poll", "0.1", "--", "true")
    assert result.exit_code == 0, result.stderr
    assert "Later." in result.stderr
    keys = [headers["idempotency-key"] for _, _, headers, _ in fake.requests[2:4]]
    assert keys[0] == keys[1]
    assert fake.requests[-1][1].endswith("/complete")


@pytest.mark.parametrize(
    "none_now",
    [
        answer(200, {"claims": [], "limit": "max_claims"}),
        answer(409, {"code": "waitlist_paused", "detail": "Paused."}),
    ],
    ids=["max_claims", "paused"],
)
def test_until_empty_continues_while_nobody_can_be_claimed(
    fake: FakeService, none_now: Answer
) -> None:
    """When the waitlist's `max_claims` is reached or the waitlist is paused, `work --until-empty`
    waits.

    It must not stop, because people may still be waiting (promise P3).
    """
    claim = {"entry_id": "a" * 26, "customer_id": "ada", "claim_token": "0" * 40}
    fake.script = [
        answer(200, {"lease_seconds": 300}),
        none_now,
        answer(200, {"claims": [claim], "limit": None}),
        answer(200, {}),
        answer(200, {"claims": [], "limit": None}),
    ]
    words = ["work", "bakery", "--until-empty", "--poll", "0.1", "--", "true"]
    result = Typed(fake.url)(*words)
    assert (result.exit_code, fake.script) == (0, [])
    assert "1 completed" in result.stderr


def test_the_delay_of_a_released_person_grows_with_each_failure(fake: FakeService) -> None:
    """If the program fails, the person cannot be claimed for a while.

    The delay grows with each failure and each expired claim, up to an hour. `--retry-after 0` turns
    it off.
    """
    claim = {"entry_id": "a" * 26, "customer_id": "ada", "claim_token": "0" * 40, "attempts": 1}
    words = ["work", "bakery", "--max", "2"]
    for after, bounds in ((100, [(160, 240), (320, 480)]), (3600, [(2880, 4320)] * 2), (0, [])):
        fake.requests.clear()
        fake.script = [answer(200, {"lease_seconds": 300})]
        fake.script += [answer(200, {"claims": [claim]}), answer(200, {})] * 2
        assert Typed(fake.url)(*words, "--retry-after", str(after), "--", "false").exit_code == 1
        bodies = [json.loads(body) for _, path, _, body in fake.requests if "release" in path]
        delays = sorted(body["delay_seconds"] for body in bodies if "delay_seconds" in body)
        assert len(delays) == len(bounds)
        for delay, (low, high) in zip(delays, bounds, strict=True):
            assert low <= delay <= high
