"""Starts programs, and stops them and their containers."""

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

READY_SECONDS = 120
STOP_SECONDS = 30
INVOKE_SECONDS = 180


class Failed(Exception):
    """A step failed. The user sees the message."""


class Address(Protocol):
    @property
    def host(self) -> str: ...

    @property
    def port(self) -> int: ...


@contextmanager
def background(
    command: Sequence[str], endpoint: Address, log: Path, environment: Mapping[str, str]
) -> Iterator[None]:
    """Run a server. The block begins once the server is listening, and the server stops when the
    block ends.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        # Start the process in its own session, so that Ctrl-C reaches only this program, which
        # stops the process.
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env=environment, start_new_session=True
        )
    try:
        _wait_until_ready(process, endpoint, log)
        yield
    finally:
        _stop(process)
        _remove_containers(log)


def output_of(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> str:
    """Return a program's standard output. Its standard error goes to the log."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as diagnostics:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=diagnostics,
            env=environment,
            text=True,
            start_new_session=True,
        )
    try:
        printed, _ = process.communicate(timeout=INVOKE_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{' '.join(command)} took more than {INVOKE_SECONDS} s. See {log}") from error
    finally:
        _stop(process)
        _remove_containers(log)
    if process.returncode != 0:
        raise Failed(f"{' '.join(command)} exited with {process.returncode}:\n{_tail(log)}")
    return printed


def _wait_until_ready(process: subprocess.Popen[bytes], endpoint: Address, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection((endpoint.host, endpoint.port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise Failed(f"{process.args!r} is not listening:\n{_tail(log)}")


def _stop(process: "subprocess.Popen[bytes] | subprocess.Popen[str]") -> None:
    # After SIGINT, SAM removes its containers.
    for stop_signal, seconds in ((signal.SIGINT, STOP_SECONDS), (signal.SIGKILL, 5)):
        if process.poll() is not None:
            return
        os.killpg(process.pid, stop_signal)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue


def _remove_containers(log: Path) -> None:
    """If SAM is killed, it leaves its containers behind."""
    ids = re.findall(r"SAM_CONTAINER_ID: ([0-9a-f]{64})", log.read_text(errors="replace"))
    if ids:
        subprocess.run(["docker", "rm", "--force", *ids], capture_output=True, check=False)


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-15:])
