from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.e2e.processes import running_service
from tests.reliability.chaos.traffic import Traffic

Serve = Callable[..., Traffic]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:

        def start(redis_url: str, **environ: str) -> Traffic:
            service = stack.enter_context(running_service(REDIS_URL=redis_url, **environ))
            traffic = Traffic(service.url)
            traffic.begin()
            return traffic

        yield start
