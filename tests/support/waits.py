"""Lets the private function wait for Redis in virtual time, which passes only during such a wait.

A connection waits as long as the server needs, so a test does not fail on a busy machine.

To keep a server from answering, a test passes the server's port to `silent`. A wait for this server
ends at once, and the virtual clock advances by the whole timeout.

`waited_seconds` is how long a call would spend waiting, however fast the machine is.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

# The timeout for servers that do answer. It is long, because the machine may be busy.
PATIENT_SECONDS = 120.0
# How long a test really waits for a silent server, in seconds.
SILENT_SECONDS = 0.05


class _Clock(threading.local):
    """Counts how many seconds each thread has waited for Redis."""

    seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


_clock = _Clock()
_silent_ports: set[int] = set()


def waited_seconds() -> float:
    return _clock.seconds


@contextmanager
def silent(*ports: int) -> Iterator[None]:
    """Pretend that no server answers on these ports."""
    _silent_ports.update(ports)
    try:
        yield
    finally:
        _silent_ports.difference_update(ports)


class _Waiting(socket.socket):
    """A socket that ignores the timeout and waits for its server as long as necessary."""

    _given_seconds: float | None = None
    _port: int | None = None

    def settimeout(self, value: float | None) -> None:
        self._given_seconds = value
        super().settimeout(value)

    def gettimeout(self) -> float | None:
        return self._given_seconds

    def connect(self, address: Any) -> None:
        self._port = address[1]
        self._wait(super().connect, address)

    def recv(self, *arguments: Any) -> Any:
        return self._wait(super().recv, *arguments)

    def recv_into(self, *arguments: Any) -> Any:
        return self._wait(super().recv_into, *arguments)

    def _wait(self, act: Callable[..., Any], *arguments: Any) -> Any:
        is_silent = self._port in _silent_ports
        assert not is_silent or self._given_seconds is not None, "this wait would never end"
        # With a timeout of 0, a read from the socket returns immediately.
        if self._given_seconds:
            super().settimeout(SILENT_SECONDS if is_silent else PATIENT_SECONDS)
        try:
            return act(*arguments)
        except TimeoutError:
            _clock.sleep(self._given_seconds or 0)
            raise


class _WaitingTls(_Waiting, ssl.SSLSocket):
    """A TLS socket that waits for its server during the handshake too."""

    def do_handshake(self, block: bool = False) -> None:
        self._port = self.getpeername()[1]
        self._wait(super().do_handshake, block)


class _Sockets:
    """Replaces the `socket` module with sockets that wait in virtual time."""

    socket = _Waiting

    def __getattr__(self, name: str) -> Any:
        return getattr(socket, name)


@contextmanager
def virtual_waits() -> Iterator[None]:
    """Let the private function wait for Redis in virtual time."""
    with (
        patch("redis.connection.socket", _Sockets()),
        patch.object(ssl.SSLContext, "sslsocket_class", _WaitingTls),
        patch("waitlist_queue.deadline.time", _clock),
    ):
        yield
