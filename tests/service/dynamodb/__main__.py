"""Runs the tests that use a table, with AWS's DynamoDB Local in place of the in-memory table.

`make test-dynamodb` runs this program. The program's arguments are passed to pytest in place of the
usual ones.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from tests.service.dynamodb.server import Unavailable, running
from tests.support.dynamodb import URL_VARIABLE

SUITES = [
    "tests/service/dynamodb",
    "tests/service/contract",
    "tests/service/api",
    "tests/service/acceptance",
]
# The modules that create a table. Unit tests that import none of them are left out.
WITH_A_TABLE = ("tests.support.tables", "tests.support.dynamodb", "tests.support.world")
PARALLEL = ["--numprocesses", "auto", "--dist", "worksteal"]
# Ctrl-C sends SIGINT, while CI and `kill` send SIGTERM. The Java process must end in both cases.
ENDING = (signal.SIGINT, signal.SIGTERM)
MOST_SECONDS = 30 * 60.0
GRACE_SECONDS = 30.0


def main() -> int:
    arguments = sys.argv[1:] or [*PARALLEL, *SUITES, *_units_with_a_table()]
    for one in ENDING:
        signal.signal(one, _end)
    try:
        with running() as server:
            print(f"DynamoDB Local {server.version}: {server.url}", flush=True)
            return _run_tests(arguments, server.url)
    except Unavailable as error:
        print(error, file=sys.stderr)
        return 1


def _units_with_a_table() -> list[str]:
    files = sorted(Path("tests/unit").glob("test_*.py"))
    texts = {str(file): file.read_text(encoding="utf-8") for file in files}
    return [name for name, text in texts.items() if any(one in text for one in WITH_A_TABLE)]


def _run_tests(arguments: Sequence[str], url: str) -> int:
    tests = subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments], env=os.environ | {URL_VARIABLE: url}
    )
    try:
        return tests.wait(MOST_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"The tests did not end within {MOST_SECONDS / 60:.0f} minutes.", file=sys.stderr)
        tests.send_signal(signal.SIGINT)
        return 1
    except SystemExit as end:
        # If somebody has pressed Ctrl-C in the terminal, pytest has received the signal too.
        if end.code != _status(signal.SIGINT):
            tests.send_signal(signal.SIGINT)
        raise
    finally:
        _wait_or_kill(tests)


def _wait_or_kill(tests: subprocess.Popen[bytes]) -> None:
    try:
        tests.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        tests.kill()
        tests.wait()


def _end(number: int, _: FrameType | None) -> None:
    """Raise SystemExit, so that the Java process is stopped before the Python process ends."""
    for one in ENDING:
        signal.signal(one, lambda *_: None)
    raise SystemExit(_status(number))


def _status(number: int) -> int:
    """Return the exit status that a shell reports after a signal."""
    return 128 + number


if __name__ == "__main__":
    raise SystemExit(main())
