import json
import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import psutil
import pytest

from tests.e2e.processes import wait_until
from tools.local.function import (
    Function,
    FunctionSettings,
    FunctionStartError,
    ThrottledError,
)

MakeFunction = Callable[..., Function]
MANY = 32


@pytest.fixture
def make_function() -> Iterator[MakeFunction]:
    with ExitStack() as stack:

        def make(handler: str, **settings: Any) -> Function:
            environ = {**os.environ, "SETTING": "its own"}
            whole = FunctionSettings("fn", f"tests.unit.tools.handlers.{handler}", **settings)
            function = Function(whole, environ)
            stack.callback(function.stop)
            function.wait_until_ready()
            return function

        yield make


class Meeting:
    """A server that handlers in child processes connect to. Each handler waits until the test
    closes its connection.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=2 * MANY)
        self._listener.settimeout(60)
        self._guests: list[socket.socket] = []

    @property
    def event(self) -> bytes:
        return json.dumps({"port": self._listener.getsockname()[1]}).encode()

    def gather(self, count: int) -> None:
        while len(self._guests) < count:
            self._guests.append(self._listener.accept()[0])

    def end(self) -> None:
        for guest in self._guests:
            guest.close()
        self._guests.clear()

    def close(self) -> None:
        self.end()
        self._listener.close()


@pytest.fixture
def meeting() -> Iterator[Meeting]:
    meeting = Meeting()
    yield meeting
    meeting.close()


def test_a_handler_gets_the_event_and_a_context(make_function: MakeFunction) -> None:
    function = make_function("describe", timeout_seconds=7, memory_mb=256)
    answer = json.loads(function.invoke('{"name": "Zoë"}'.encode()).payload)
    assert answer["event"] == {"name": "Zoë"}
    assert (answer["function"], answer["memory"]) == ("fn", 256)
    assert answer["arn"] == "arn:aws:lambda:us-east-1:123456789012:function:fn"
    assert 0 < answer["remaining_ms"] <= 7000
    assert answer["setting"] == "its own"
    assert answer["pid"] != os.getpid()


def test_32_events_run_at_once_each_in_its_own_process(
    make_function: MakeFunction, meeting: Meeting
) -> None:
    function = make_function("meet", environments=MANY)
    with ThreadPoolExecutor(MANY) as pool:
        invocations = [pool.submit(function.invoke, meeting.event) for _ in range(MANY)]
        meeting.gather(MANY)
        meeting.end()
        pids = {invocation.result().payload for invocation in invocations}
    assert len(pids) == MANY


def test_an_event_is_throttled_if_no_environment_becomes_free_in_time(
    make_function: MakeFunction, meeting: Meeting
) -> None:
    function = make_function("meet", environments=1, queue_seconds=0.01)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(function.invoke, meeting.event)
        meeting.gather(1)
        with pytest.raises(ThrottledError):
            function.invoke(meeting.event)
        meeting.end()
        assert not first.result().failed


def test_events_beyond_the_reserved_concurrency_are_throttled(
    make_function: MakeFunction, meeting: Meeting
) -> None:
    function = make_function("meet", concurrency=1)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(function.invoke, meeting.event)
        meeting.gather(1)
        with pytest.raises(ThrottledError):
            function.invoke(meeting.event)
        meeting.end()
        assert not first.result().failed
        second = pool.submit(function.invoke, meeting.event)
        meeting.gather(1)
        meeting.end()
        assert not second.result().failed


def test_an_exception_is_described_and_the_environment_is_reused(
    make_function: MakeFunction,
) -> None:
    function = make_function("misbehave")
    pid = function.invoke(b'"behave"').payload
    invocation = function.invoke(b'"raise"')
    error = json.loads(invocation.payload)
    assert invocation.failed
    assert (error["errorType"], error["errorMessage"]) == ("ValueError", "no such luck")
    assert "handlers.py" in invocation.error_text()
    assert function.invoke(b'"not json"').failed
    assert function.invoke(b'"behave"').payload == pid


@pytest.mark.parametrize("how", ["exit", "die"])
def test_a_process_that_ends_fails_only_its_own_event(
    make_function: MakeFunction, how: str
) -> None:
    function = make_function("misbehave")
    invocation = function.invoke(json.dumps(how).encode())
    assert json.loads(invocation.payload)["errorType"] == "Runtime.ExitError"
    assert not function.invoke(b'"behave"').failed


def test_a_handler_that_takes_too_long_is_killed(
    make_function: MakeFunction, meeting: Meeting
) -> None:
    before = psutil.Process().children()
    function = make_function("meet", timeout_seconds=0.2)
    [program] = set(psutil.Process().children()) - {*before}
    [handler] = program.children()
    invocation = function.invoke(meeting.event)
    assert json.loads(invocation.payload)["errorType"] == "Sandbox.Timedout"
    # After the timeout, the handler's process must end, even if it has not connected to the test
    # yet.
    wait_until(lambda: not handler.is_running() or handler.status() == psutil.STATUS_ZOMBIE)


def test_a_handler_that_cannot_be_imported_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    function = Function(FunctionSettings("fn", "tests.unit.tools.handlers.missing"), os.environ)
    with pytest.raises(FunctionStartError, match=r"handlers\.missing"):
        function.wait_until_ready()
    function.stop()
    assert "has no attribute 'missing'" in capfd.readouterr().err


def test_a_start_that_takes_too_long_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.local.function.START_SECONDS", 0.001)
    function = Function(FunctionSettings("fn", "tests.unit.tools.handlers.describe"), os.environ)
    with pytest.raises(FunctionStartError, match="not ready after"):
        function.wait_until_ready()
    function.stop()
