"""Asks a Redis server which commands the user in docs/operate/policies/redis-user.acl may run."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import NoPermissionError, ResponseError

from tests.queue.tls.servers import USER, Place
from tests.support.line import Line, accepted
from tests.support.redis_access import ACCESS
from waitlist_queue.connections import connect

GRANTED = {rule.removeprefix("+") for rule in ACCESS.split() if rule.startswith("+")}
# The commands that Redis allows every user, because a client may need them before it logs in.
OF_EVERYBODY = {"auth", "hello", "quit", "reset"}
OWN_KEY, ANOTHERS_KEY = "wl:{bakery}:meta", "cart:7"


@pytest.fixture
def user(server: Place) -> Iterator[Any]:
    client = Redis.from_url(server.nodes[0].url(), decode_responses=True, protocol=2)
    yield client
    client.close()


@contextmanager
def without(place: Place, command: str) -> Iterator[None]:
    place.on_each("ACL", "SETUSER", USER, f"-{command}")
    try:
        yield
    finally:
        place.on_each("ACL", "SETUSER", USER, f"+{command}")


def new_line(place: Place) -> Line:
    return Line(None, connect=lambda: connect(place.config()))


def test_of_all_commands_the_user_may_run_those_on_the_list(server: Place) -> None:
    admin = server.nodes[0].client
    names = [str(name).lower() for name in admin.execute_command("COMMAND LIST")]
    arities = {str(info[0]): int(info[1]) for info in admin.execute_command("COMMAND INFO", *names)}

    def is_allowed(name: str) -> bool:
        words = name.split("|")
        # ACL DRYRUN checks the number of arguments and then the permission. It does not check what
        # the arguments mean.
        filling = [OWN_KEY] * (abs(arities[name]) - len(words))
        return bool(admin.execute_command("ACL", "DRYRUN", USER, *words, *filling) == "OK")

    # A command with subcommands, such as CONFIG, cannot be called without one. COMMAND is the only
    # exception.
    empty = {name.split("|")[0] for name in names if "|" in name} - {"command"}
    allowed = {name for name in names if name not in empty and is_allowed(name)}
    assert len(names) > 300
    assert allowed == GRANTED | OF_EVERYBODY | {one for one in names if one.startswith("command|")}


@pytest.mark.parametrize(
    "command",
    [
        ("FLUSHALL",),
        ("KEYS", "*"),
        ("SCAN", "0"),
        ("CONFIG", "GET", "*"),
        ("CONFIG", "SET", "maxmemory", "1"),
        ("ACL", "LIST"),
        ("ACL", "SETUSER", USER, "+@all"),
        ("MONITOR",),
        ("CLIENT", "LIST"),
        ("CLUSTER", "NODES"),
        ("SCRIPT", "FLUSH"),
        ("SHUTDOWN", "NOSAVE"),
        ("DEL", OWN_KEY),
        ("RENAME", OWN_KEY, "wl:{bakery}:queue"),
        ("PUBLISH", "wl:news", "all"),
        ("SUBSCRIBE", "wl:news"),
        ("SET", ANOTHERS_KEY, "1"),
        ("GET", ANOTHERS_KEY),
        ("UNLINK", ANOTHERS_KEY),
        ("EVAL", "return redis.call('GET', KEYS[1])", 1, ANOTHERS_KEY),
    ],
    ids=lambda command: " ".join(map(str, command)),
)
def test_a_command_that_is_not_on_the_list_is_refused(
    user: Any, server: Place, command: tuple[Any, ...]
) -> None:
    """P8"""
    admin = server.nodes[0].client
    admin.set(ANOTHERS_KEY, "another's")
    admin.hset(OWN_KEY, "state", "warm")
    with pytest.raises(NoPermissionError):
        user.execute_command(*command)
    assert (admin.get(ANOTHERS_KEY), admin.hget(OWN_KEY, "state")) == ("another's", "warm")


@pytest.mark.parametrize(
    "call",
    [
        f"redis.call('SET', '{ANOTHERS_KEY}', 'mine')",
        f"redis.call('GET', '{ANOTHERS_KEY}')",
        f"redis.call('DEL', '{OWN_KEY}')",
        "redis.call('FLUSHALL')",
        "redis.call('CONFIG', 'GET', '*')",
    ],
)
def test_a_script_may_do_no_more_than_its_user(user: Any, server: Place, call: str) -> None:
    """P8"""
    admin = server.nodes[0].client
    admin.set(ANOTHERS_KEY, "another's")
    admin.hset(OWN_KEY, "state", "warm")
    with pytest.raises(ResponseError, match=r"executing the script can|not allowed from"):
        user.execute_command("EVAL", f"return {call}", 1, OWN_KEY)
    assert (admin.get(ANOTHERS_KEY), admin.hget(OWN_KEY, "state")) == ("another's", "warm")


def test_connecting_asks_for_nothing_that_is_refused(place: Place) -> None:
    """When the client connects, it sends no command that Redis refuses, so the first script is not
    delayed (promise P9).
    """

    def refusals() -> list[int]:
        return [node.client.info("stats")["total_error_replies"] for node in place.nodes]

    accepted(new_line(place).init())  # load the script
    before = refusals()
    accepted(new_line(place).init())
    assert refusals() == before


@pytest.mark.parametrize("command", ["info", "eval", "evalsha", "ping"])
def test_the_log_has_the_missing_right_and_the_remedy(
    place: Place, command: str, caplog: pytest.LogCaptureFixture
) -> None:
    line = new_line(place)
    # Make Redis lose the script, so that the client has to send the source with EVAL.
    place.on_each("SCRIPT", "FLUSH")
    with without(place, command):
        answers = [line.handle({"v": 1, "op": "ping"}), line.init()]
    refused = [answer for answer in answers if not answer["ok"]]
    assert refused
    assert {answer["code"] for answer in refused} == {"queue_unavailable"}
    assert f"no permissions to run the '{command}' command" in caplog.text
    assert "give the Redis user the permissions in docs/operate/policies" in caplog.text
    assert not [record for record in caplog.records if record.exc_info], "no traceback"


@pytest.mark.parametrize("command", ["cluster|slots", "command"])
def test_a_cluster_is_not_found_without_these_rights(
    cluster: Place, command: str, caplog: pytest.LogCaptureFixture
) -> None:
    line = new_line(cluster)
    with without(cluster, command):
        assert line.init()["code"] == "queue_unavailable"
    assert "give the Redis user the permissions in docs/operate/policies" in caplog.text
    accepted(line.init())


def test_a_script_that_misses_a_right_is_a_defect_and_the_log_has_the_remedy(
    line: Line, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """The caller must not retry, because the script may have stopped halfway."""
    line.init()
    with without(place, "zadd"), caplog.at_level(logging.ERROR):
        assert line.signup("ann")["code"] == "internal_error"
    assert "give the Redis user the permissions in docs/operate/policies" in caplog.text
    place.on_each("ACL", "LOG", "RESET")


def test_a_slot_that_is_just_moving_is_an_outage_and_no_lack_of_rights(
    cluster: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """While a hash slot moves to a new node, the client must send the ASKING command to that node.
    The Redis user is allowed to do so (promise P3).
    """
    line = new_line(cluster)
    slot = cluster.nodes[0].client.cluster("KEYSLOT", "wl:{bakery-opening}:meta")
    source, target, _ = sorted(cluster.nodes, key=lambda node: slot not in slots_of(node))
    source_id, target_id = (node.client.cluster("MYID") for node in (source, target))
    target.client.cluster("SETSLOT", slot, "IMPORTING", source_id)
    source.client.cluster("SETSLOT", slot, "MIGRATING", target_id)
    try:
        assert line.init()["code"] == "queue_unavailable"
        asked = "ASKING" in commands_run_by(target)
    finally:
        for node in (source, target):
            node.client.cluster("SETSLOT", slot, "STABLE")
    accepted(line.init())
    assert asked
    assert cluster.on_each("ACL", "LOG") == [[], [], []]


def commands_run_by(node: Any) -> set[str]:
    stats = node.client.info("commandstats")
    return {name.removeprefix("cmdstat_").upper() for name in stats}


def slots_of(node: Any) -> range:
    for first, last, primary, *_ in node.client.execute_command("CLUSTER", "SLOTS"):
        if primary[1] == node.port:
            return range(first, last + 1)
    raise AssertionError("a node without slots")
