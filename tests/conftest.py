"""Fixtures that several folders of tests use: the Redis servers, and loggers that are reset after
each test.
"""

import gc
import logging
import os
import signal
from collections.abc import Generator, Iterator
from functools import cache
from unittest.mock import patch

import botocore.session
import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.queue.behaviour", "tests.support")

from tests.support.journal import read_at_most  # noqa: E402
from tests.support.redis_servers import (  # noqa: E402
    Cluster,
    Server,
    running_cluster,
    running_server,
)
from tests.support.threads import InOrder  # noqa: E402
from tests.support.waits import virtual_waits  # noqa: E402

# Reading the description of an AWS service takes longer than most tests. Cache it, so that each
# process reads each description only once.
botocore.session.create_loader = cache(botocore.session.create_loader)
# A busy machine must not fail a test. Therefore, Hypothesis has no deadline for an example, and
# examples may take long to generate.
settings.register_profile("waitlist", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("waitlist")

MOST_WORKERS = 4
WORKER_BYTES = 2 << 30  # A worker uses up to 0.7 GB, and starts servers and services.


def pytest_configure() -> None:
    """Let signals end the processes that tests start, even if the caller ignores these signals, for
    example under `nohup`. A new process inherits an ignored signal, but does not inherit a signal
    handler.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_xdist_auto_num_workers() -> int:
    """Return the number of test workers. There are two workers for each processor, because tests
    often wait for a server, but at most four workers.

    Machines with less than 8 GB of memory get fewer workers. `PYTEST_XDIST_AUTO_NUM_WORKERS`
    overrides the number.
    """
    if wanted := os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return int(wanted)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(2 * (os.cpu_count() or 1), MOST_WORKERS, memory // WORKER_BYTES))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude modules and tests from garbage collection, because they live as long as the
    process.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def _reset_loggers() -> Iterator[None]:
    """Reset the log levels after each test. A handler sets the log level of the whole process when
    it is first called.
    """
    yield
    for name in ("waitlist_api", "waitlist_queue"):
        logger = logging.getLogger(name)
        # Change the level only if necessary, because setting a level empties the caches of all
        # loggers.
        if logger.level != logging.NOTSET:
            logger.setLevel(logging.NOTSET)


@pytest.fixture(scope="session", autouse=True)
def _use_virtual_waits() -> Iterator[None]:
    """Let the private function wait for Redis in virtual time, so that a slow machine causes no
    timeouts.
    """
    with virtual_waits():
        yield


@pytest.fixture(scope="session", autouse=True)
def _run_in_order() -> Iterator[None]:
    """Let the public function process many items one after the other.

    In most tests, DynamoDB and Lambda answer within this process. Threads would double the duration
    of these tests. The services that `make run` starts have real threads.
    """
    with patch("waitlist_api.parallel.ThreadPoolExecutor", InOrder):
        yield


@pytest.fixture(scope="session", autouse=True)
def _read_little_of_the_journal() -> Iterator[None]:
    """Let maintenance read at most two hours of the journal after an interruption, instead of a
    day.

    The journal of a day has 23,040 partitions. Tests that let days pass would spend most of their
    time on reading empty partitions.
    """
    with read_at_most(minutes=120):
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
    """Return an embedded Redis server that contains no data. Scripts stay loaded between tests."""
    valkey_session.client.flushall()
    return valkey_session


@pytest.fixture
def cluster(cluster_session: Cluster) -> Cluster:
    """Return a Redis cluster of three servers that contains no data."""
    for node in cluster_session.nodes:
        node.client.flushall()
    return cluster_session
