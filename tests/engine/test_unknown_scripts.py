"""A server that does not know a script yet gets it whole, on the connection that it said so on."""

from tests.support.line import Line, accepted
from tests.support.redis_servers import Server
from waitlist_queue.config import Config
from waitlist_queue.connections import connect


def test_a_script_that_must_be_sent_whole_takes_no_second_connection(valkey: Server) -> None:
    """P9: a crowd's first calls would need twice as many as it has, and there is a limit."""
    config = Config(redis_url=valkey.url, redis_cluster=False, log_level="INFO")
    line = Line(valkey.client, connect=lambda: connect(config))
    valkey.client.script_flush()
    before = connections_made(valkey)
    accepted(line.init())
    accepted(line.signup("ann"))
    assert connections_made(valkey) == before + 1


def connections_made(server: Server) -> int:
    return int(server.client.info("stats")["total_connections_received"])
