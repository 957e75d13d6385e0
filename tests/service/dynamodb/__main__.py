"""Run the tests of the record, the API and acceptance with AWS's DynamoDB Local.

`make test-dynamodb` runs this program. Its arguments are passed to pytest instead of the
default arguments.
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
# Only the unit tests that use a table are run. The other unit tests check Redis, settings and
# texts.
WITH_A_TABLE = ("tests.support.tables", "tests.support.dynamodb", "tests.support.world")
PARALLEL = ["--numprocesses", "auto", "--dist", "worksteal"]
# SIGINT comes from Ctrl-C, and SIGTERM from CI and `kill`. The Java process must end together with
# this process.
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
        # The terminal has already sent Ctrl-C to pytest.
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
    """Raise SystemExit, so that this process first ends the Java process.

    Further signals are ignored.
    """
    for one in ENDING:
        signal.signal(one, lambda *_: None)
    raise SystemExit(_status(number))


def _status(number: int) -> int:
    """Return the exit status that shells use for a process that was ended by this signal."""
    return 128 + number


if __name__ == "__main__":
    raise SystemExit(main())
