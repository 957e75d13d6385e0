"""Tests a process that uses Redis and then forks, as the local service does to start its
functions.
"""

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

from tests.support.redis_servers import Server, await_that


def one(client: Any) -> int:
    return int(client.execute_command("EVAL", "return 1", 0))


def connections_to(server: Server) -> int:
    return int(server.client.info("clients")["connected_clients"])


def _ask_and_wait(client: Any, pipe: Connection) -> None:
    pipe.send(one(client))
    pipe.recv()


def test_a_forked_process_has_a_connection_of_its_own(valkey: Server, valkey_client: Any) -> None:
    """A forked process opens its own connection to Redis. If processes shared a connection, each
    could read the other's responses (promise P9).
    """
    assert one(valkey_client) == 1
    before = connections_to(valkey)
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=_ask_and_wait, args=(valkey_client, theirs), daemon=True
    )
    process.start()
    assert ours.recv() == 1
    assert connections_to(valkey) == before + 1
    ours.send("end")
    process.join()
    assert process.exitcode == 0
    assert one(valkey_client) == 1
    await_that(lambda: connections_to(valkey) == before)
