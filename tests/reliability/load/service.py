"""Starts the service in separate processes, as `make run` does, and reads its output."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[3]
START_SECONDS = 60
STOP_SECONDS = 30
THROTTLED = "tools.local.lambda_endpoint throttled: "
# Matches errors in Python's usual log format and in the functions' JSON logs.
MISTAKE = re.compile(r'^(ERROR|CRITICAL|Traceback)|"level": ?"(ERROR|CRITICAL)"')
ELSEWHERE = ("REDIS_URL", "REDIS_CLUSTER", "AWS_ENDPOINT_URL_DYNAMODB")


class ServiceError(Exception): ...


class Service:
    def __init__(self, limits: Mapping[str, int]) -> None:
        """`limits` contains environment variables, which are explained in docs/app/local-run.md."""
        kept = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
        folders = (ROOT, ROOT / "public_fn", ROOT / "private_fn", ROOT / "shared")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.local"],
            cwd=ROOT,
            env={
                **kept,
                "PYTHONPATH": os.pathsep.join(map(str, folders)),
                "PORT": "0",
                **{name: str(limit) for name, limit in limits.items()},
                "LOG_LEVEL": "INFO",  # the log level of the line about each throttled call
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # so that Ctrl-C in the terminal reaches only the load test
        )
        self.throttled: list[float] = []
        self.mistakes: list[str] = []
        self.url = ""
        self._said: list[str] = []
        self._told = threading.Event()
        self._reader = threading.Thread(target=self._read, name="service-output")
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        if not self._told.wait(START_SECONDS) or not self.url:
            self._stop()
            raise ServiceError(f"The service did not start: {''.join(self._said)}")
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_SECONDS)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if THROTTLED in line:
                self.throttled.append(time.monotonic())
            elif MISTAKE.search(line):
                self.mistakes.append(line.strip())
            elif not self.url:
                self._said.append(line)
                self._find_url(line)
        self._told.set()

    def _find_url(self, line: str) -> None:
        if match := re.match(r"Ready in .*: (http\S+)$", line):
            self.url = match[1]
            self._told.set()
