"""Fixtures that more than one folder of tests uses: the servers, and loggers as they were."""

import gc
import logging
import os
import signal
from collections.abc import Generator, Iterator
from functools import cache
from itertools import chain
from typing import Any, get_args

import botocore.session
import pytest
from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver
from aws_lambda_powertools.event_handler.openapi import dependant
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.queue.behaviour", "tests.support")

from tests.support.redis_servers import (  # noqa: E402
    Cluster,
    Server,
    running_cluster,
    running_server,
)
from tests.support.waits import virtual_waits  # noqa: E402

# Reading AWS' models of a service takes longer than most tests: each process reads them once.
botocore.session.create_loader = cache(botocore.session.create_loader)
_get_dependant = dependant.get_dependant
_dependants: dict[Any, Any] = {}


def _dependant_of(*, path: str, call: Any, responses: Any = None, **more: Any) -> Any:
    """Return Powertools' models of a route, which are the same in each `Api` of a process."""
    if responses or more:
        return _get_dependant(path=path, call=call, responses=responses, **more)
    # The parameter that names an entry differs between guests and accounts, with the same text.
    parameters = chain(*(get_args(one) or (one,) for one in call.__annotations__.values()))
    key = (path, call.__code__, *map(id, parameters))
    if key not in _dependants:
        _dependants[key] = _get_dependant(path=path, call=call)
    return _dependants[key]


dependant.get_dependant = _dependant_of
# Powertools compiles the rule of each route for each `Api`.
ApiGatewayResolver._compile_regex = staticmethod(cache(ApiGatewayResolver._compile_regex))  # type: ignore[method-assign]
# A busy machine is no failure: examples have no deadline, and may take long to make.
settings.register_profile("waitlist", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("waitlist")

MOST_WORKERS = 4
WORKER_BYTES = 2 << 30  # a worker grows to 0.7 GB, and starts servers and services


def pytest_configure() -> None:
    """Let processes that tests start end by signals that the caller ignores, as below `nohup`.

    An ignored signal stays ignored in a new process, and one with a handler does not.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_xdist_auto_num_workers() -> int:
    """Run two workers a processor, because a test often waits for a server, and at most four.

    A machine with less than 8 GB of memory gets fewer. `PYTEST_XDIST_AUTO_NUM_WORKERS` overrides
    the number.
    """
    if wanted := os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return int(wanted)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(2 * (os.cpu_count() or 1), MOST_WORKERS, memory // WORKER_BYTES))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep modules and tests out of garbage collections: they live as long as the process."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def _loggers_as_they_were() -> Iterator[None]:
    """Take back the level that a handler's first call sets for its whole process."""
    yield
    for name in ("waitlist_api", "waitlist_queue"):
        logger = logging.getLogger(name)
        # A new level empties the caches of all loggers.
        if logger.level != logging.NOTSET:
            logger.setLevel(logging.NOTSET)


@pytest.fixture(scope="session", autouse=True)
def _waits_that_do_not_depend_on_the_machine() -> Iterator[None]:
    """Only a server that a test keeps from answering makes the private function wait too long."""
    with virtual_waits():
        yield


@pytest.fixture(scope="session")
def valkey_session() -> Iterator[Server]:
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def cluster_session() -> Iterator[Cluster]:
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture
def valkey(valkey_session: Server) -> Server:
    """An embedded server, empty; its scripts stay loaded from test to test."""
    valkey_session.client.flushall()
    return valkey_session


@pytest.fixture
def cluster(cluster_session: Cluster) -> Cluster:
    """A cluster of three servers, empty."""
    for node in cluster_session.nodes:
        node.client.flushall()
    return cluster_session
