"""`make test-dynamodb` ends the Java process that it started, even if a signal ends the run."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

# Replaces Java: writes its process id to a file, and listens on the given port.
JAVA = """\
#!{python}
import os, socket, sys
if "-version" in sys.argv:
    print("3.3.1")
    raise SystemExit
port = int(sys.argv[sys.argv.index("-port") + 1])
with open("pid", "w") as file:
    file.write(str(os.getpid()))
with socket.create_server(("127.0.0.1", port)) as server:
    while True:
        server.accept()
"""
NO_DEADLINE = """\
import pathlib
import time

def test_it_does_not_end():
    pathlib.Path("begun").touch()
    time.sleep(100)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_tests_and_java(number: signal.Signals, tmp_path: Path) -> None:
    with started(tmp_path, NO_DEADLINE) as target:
        wait_until((tmp_path / "begun").exists)
        # A terminal sends Ctrl-C to the whole group.
        os.killpg(target.pid, number) if number == signal.SIGINT else target.send_signal(number)
        assert target.wait(60) == 128 + number
        assert not is_running(java_of(tmp_path))


def test_java_ends_with_the_tests(tmp_path: Path) -> None:
    with started(tmp_path, "def test_it_is_good(): pass") as target:
        assert target.wait(60) == 0
        assert not is_running(java_of(tmp_path))


@contextmanager
def started(folder: Path, tests: str) -> Iterator[subprocess.Popen[bytes]]:
    java = folder / "java"
    java.write_text(JAVA.format(python=sys.executable))
    java.chmod(0o755)
    (folder / "DynamoDBLocal.jar").touch()
    (folder / "test_it.py").write_text(tests)
    repository = str(Path(__file__).parents[3])
    environment = os.environ | {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": repository,
        "DYNAMODB_LOCAL": str(folder),
    }
    target = subprocess.Popen(
        [sys.executable, "-m", "tests.service.dynamodb", "--rootdir", str(folder), "test_it.py"],
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    try:
        yield target
    finally:
        with suppress(ProcessLookupError):
            os.killpg(target.pid, signal.SIGKILL)
        target.wait()


def java_of(folder: Path) -> int:
    return int((folder / "pid").read_text())


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.05)
