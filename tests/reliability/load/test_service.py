"""The service under load starts as by `make run`, or reports why it did not."""

import pytest

from tests.reliability.load.service import MISTAKE, Service, ServiceError


def test_a_service_that_cannot_start_says_why() -> None:
    with pytest.raises(ServiceError, match="PRIVATE_CONCURRENCY=0 must be a whole number"):
        Service(0).__enter__()


@pytest.mark.parametrize(
    "line",
    [
        "ERROR tools.local.front the public function failed: Sandbox.Timedout",
        "Traceback (most recent call last):",
        '{"level":"ERROR","location":"_broken:91","message":"unhandled exception"}',
        '{"level": "CRITICAL", "message": "worse"}',
    ],
)
def test_a_mistake_in_the_log_is_noticed(line: str) -> None:
    assert MISTAKE.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "INFO tools.local.lambda_endpoint throttled: waitlist-local-private",
        "WARNING waitlist_queue.store Redis does not answer: ERROR",
        '{"level":"INFO","message":"refused","code":"throttled"}',
    ],
)
def test_what_may_happen_is_no_mistake(line: str) -> None:
    assert not MISTAKE.search(line)
