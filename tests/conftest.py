"""Fixtures for all tests.

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

# botocore takes longer to read an AWS service's description than most tests take to run. With this
# cache, each process reads a description only once.
botocore.session.create_loader = cache(botocore.session.create_loader)
# On a busy machine, Hypothesis may take a long time to generate and run an example. This must not
# fail a test.
settings.register_profile("waitlist", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("waitlist")

MOST_WORKERS = 4
WORKER_BYTES = 2 << 30  # A worker uses up to 0.7 GB, and starts servers and services.
# The tests that mostly wait for servers and services.
WAITING = ("tests/reliability/chaos/", "tests/reliability/load/", "tests/e2e/fuzz/")


def pytest_configure() -> None:
    """Let the tests stop the programs that they start.

    Under `nohup`, a process ignores some signals, and so do its child processes. If the tests
    handle these signals, their child processes can be stopped.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_xdist_auto_num_workers() -> int:
    """Each processor can run two test workers, because tests often wait for a server."""
    if wanted := os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return int(wanted)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(2 * (os.cpu_count() or 1), MOST_WORKERS, memory // WORKER_BYTES))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests are never freed, so the garbage collector does not have to check them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        # Reference counting frees many of the objects that a test creates, so the garbage collector
        # can look for reference cycles less often.
        gc.set_threshold(10_000)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests that mostly wait first. Meanwhile, the other workers run the other tests."""
    items.sort(key=lambda item: not item.nodeid.startswith(WAITING))


def pytest_sessionfinish() -> None:
    """pytest ends with five full garbage collections. With so many objects, they would take more
    than half a minute of processor time, so do one, and hide the remaining objects from the others.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _reset_loggers() -> Iterator[None]:
    """The first call to a Lambda handler sets the log level of the whole process. The next test
    must start with the usual level.
    """
    yield
    for name in ("waitlist_api", "waitlist_queue"):
        logger = logging.getLogger(name)
        # Set a log level only if it has changed, because setting it clears the caches of all
        # loggers.
        if logger.level != logging.NOTSET:
            logger.setLevel(logging.NOTSET)


@pytest.fixture(scope="session", autouse=True)
def _use_virtual_waits() -> Iterator[None]:
    """The private function's timeout for Redis uses a simulated clock, so a slow machine cannot
    trigger it.
    """
    with virtual_waits():
        yield


@pytest.fixture(scope="session", autouse=True)
def _run_in_order() -> Iterator[None]:
    """Run parallel tasks one after the other.

    In most tests, DynamoDB and Lambda are simulated in the same process, so threads would only make
    the tests slower. The service that `make run` starts uses real threads.
    """
    with patch("waitlist_api.parallel.ThreadPoolExecutor", InOrder):
        yield


@pytest.fixture(scope="session", autouse=True)
def _read_little_of_the_journal() -> Iterator[None]:
    """After an interruption, maintenance normally reads a whole day of the journal. In tests it
    reads only two hours, because tests that simulate several days would otherwise take too long.
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
    valkey_session.client.flushall()
    return valkey_session


@pytest.fixture
def cluster(cluster_session: Cluster) -> Cluster:
    for node in cluster_session.nodes:
        node.client.flushall()
    return cluster_session
