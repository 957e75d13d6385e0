"""Fixtures for all folders of tests.

They start the Redis servers, and reset the loggers after each test.
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

from tests.support.shards import use_few_shards  # noqa: E402

use_few_shards()

from tests.support.journal import read_at_most  # noqa: E402
from tests.support.redis_servers import (  # noqa: E402
    Cluster,
    Server,
    running_cluster,
    running_server,
)
from tests.support.threads import InOrder  # noqa: E402
from tests.support.waits import virtual_waits  # noqa: E402

# botocore's description of an AWS service takes longer to read than most tests take to run. Cache
# it, so that each process reads it once.
botocore.session.create_loader = cache(botocore.session.create_loader)
# Tests must not fail because the machine is busy. Therefore, Hypothesis may take as long as it
# needs to generate and run an example.
settings.register_profile("waitlist", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("waitlist")

MOST_WORKERS = 4
WORKER_BYTES = 2 << 30  # A worker uses up to 0.7 GB, and starts servers and services.


def pytest_configure() -> None:
    """Make sure that tests can stop the processes they start, even under `nohup`.

    A program started by `nohup` ignores some signals, and its child processes would inherit this.
    Child processes do not inherit signal handlers, so install a handler for each ignored signal.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_xdist_auto_num_workers() -> int:
    """Return the number of parallel test workers: two for each processor, and at most four.

    Two are useful, because a test often waits for a server. Machines with less than 8 GB of memory
    get fewer workers. The environment variable `PYTEST_XDIST_AUTO_NUM_WORKERS` overrides the
    number.
    """
    if wanted := os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return int(wanted)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(2 * (os.cpu_count() or 1), MOST_WORKERS, memory // WORKER_BYTES))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude modules and tests from garbage collection, because they exist until the process
    ends.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def _reset_loggers() -> Iterator[None]:
    """Reset the log levels after each test.

    The first call of a Lambda handler sets the log level of the whole process.
    """
    yield
    for name in ("waitlist_api", "waitlist_queue"):
        logger = logging.getLogger(name)
        # Setting a log level empties the caches of all loggers. Do this only if the level has
        # changed.
        if logger.level != logging.NOTSET:
            logger.setLevel(logging.NOTSET)


@pytest.fixture(scope="session", autouse=True)
def _use_virtual_waits() -> Iterator[None]:
    """Let the private function wait for Redis in simulated time.

    A slow machine then causes no timeouts.
    """
    with virtual_waits():
        yield


@pytest.fixture(scope="session", autouse=True)
def _run_in_order() -> Iterator[None]:
    """Let the public function process many items one after the other instead of in threads.

    In most tests, DynamoDB and Lambda answer within the same process, and threads would double the
    duration. The service that `make run` starts uses real threads.
    """
    with patch("waitlist_api.parallel.ThreadPoolExecutor", InOrder):
        yield


@pytest.fixture(scope="session", autouse=True)
def _read_little_of_the_journal() -> Iterator[None]:
    """After an interruption, let maintenance read only two hours of the journal, instead of a day.

    A day of the journal has 23,040 partitions. Tests that simulate several days would spend most of
    their time reading empty partitions.
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
    """Return an embedded Redis server without data. Its loaded scripts are kept between tests."""
    valkey_session.client.flushall()
    return valkey_session


@pytest.fixture
def cluster(cluster_session: Cluster) -> Cluster:
    """Return a Redis cluster of three servers without data."""
    for node in cluster_session.nodes:
        node.client.flushall()
    return cluster_session
