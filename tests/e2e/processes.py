"""Starts and stops `make run` as a user would.

The tests check that no child process keeps running afterwards.
"""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 180
STOP_SECONDS = 30
RUN_SECONDS = 300
LAST_LINE = "Stop: Ctrl-C"


def environment(**more: str) -> dict[str, str]:
    """Return the environment variables for the service. Port 0 makes the operating system choose a
    free port.
    """
    parts = (ROOT, ROOT / "public_fn", ROOT / "private_fn", ROOT / "shared", ROOT / "cli")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name
        not in ("REDIS_URL", "REDIS_CLUSTER", "AWS_ENDPOINT_URL_DYNAMODB", "LOG_LEVEL", "KEEP")
        and not name.startswith(("JWT_", "CORS_"))
    }
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, parts)), "PORT": "0", **more}


def run_module(module: str, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=environment(**environ),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=RUN_SECONDS,
        check=False,
    )


class Service:
    """The constructor starts `python -m tools.local`, and returns when the service is ready."""

    def __init__(self, **environ: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tools.local"],
            cwd=ROOT,
            env=environment(**environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._errors: list[str] = []
        self._readers = [
            threading.Thread(target=self._read_output),
            threading.Thread(target=self._read_errors),
        ]
        for reader in self._readers:
            reader.start()
        self.banner = self._read_banner()
        self.url = self.found(r"^Ready in .*: (http\S+)$")
        self.port = int(self.url.rpartition(":")[2])

    def found(self, pattern: str) -> str:
        match = re.search(pattern, self.banner, re.MULTILINE)
        assert match, self.banner
        return match[1]

    @property
    def errors(self) -> str:
        return "".join(self._errors)

    def stop(self, signal_number: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(signal_number)
        code = self.process.wait(STOP_SECONDS)
        for reader in self._readers:
            reader.join(STOP_SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._errors.append(line)

    def _read_banner(self) -> str:
        text = ""
        try:
            while LAST_LINE not in text:
                line = self._lines.get(timeout=START_SECONDS)
                if line is None:
                    raise AssertionError(f"the process ended: {text}{self.errors}")
                text += line
        except BaseException:
            self.process.kill()
            raise
        return text


@contextmanager
def running_service(**environ: str) -> Iterator[Service]:
    """At the end, the service must stop with exit code 0 and leave no child processes."""
    service = Service(**environ)
    try:
        yield service
    finally:
        descendants = find_descendants(service.process.pid)
        code = service.stop() if service.process.poll() is None else service.process.returncode
        left = find_survivors(descendants)
    assert (code, left) == (0, set()), service.errors


def find_descendants(pid: int) -> set[int]:
    parents = {child: parent for child, parent, _ in _processes()}
    return {child for child in parents if _descends(child, pid, parents)}


def find_survivors(pids: set[int]) -> set[int]:
    deadline = time.monotonic() + STOP_SECONDS
    wait_until(lambda: not (_alive() & pids) or time.monotonic() > deadline)
    return _alive() & pids


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        pause.wait(0.05)


def _descends(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    while (parent := parents.get(pid, 0)) > 1:
        if parent == ancestor:
            return True
        pid = parent
    return False


def _alive() -> set[int]:
    return {pid for pid, _, state in _processes() if not state.startswith("Z")}


def _processes() -> list[tuple[int, int, str]]:
    # On Linux, use /proc, because a minimal Linux system has no `ps`. macOS has no /proc, so use
    # `ps` there.
    return _from_proc() if Path("/proc/self/stat").exists() else _from_ps()


def _from_proc() -> list[tuple[int, int, str]]:
    rows = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text(errors="replace")
        except OSError:
            continue  # The process ended before its file was read.
        # In /proc/PID/stat, the process's state follows the last closing parenthesis. The process's
        # name comes before it and may contain parentheses, too.
        state, parent = text.rpartition(")")[2].split()[:2]
        rows.append((int(stat.parent.name), int(parent), state))
    return rows


def _from_ps() -> list[tuple[int, int, str]]:
    command = ["ps", "-axo", "pid=,ppid=,stat="]
    listing = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = (line.split() for line in listing.stdout.splitlines())
    return [(int(pid), int(parent), state) for pid, parent, state in rows]
