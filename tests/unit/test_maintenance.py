"""Maintenance knows how much time Lambda leaves it, and stops long work before that time runs
out.
"""

from collections.abc import Callable, Iterator

import pytest

from waitlist_api.handlers import maintenance

LEFT_MILLIS = 300_000
ALIAS = "arn:aws:lambda:us-east-1:123456789012:function:waitlist-maintenance:live"
EVERYTHING = "everything"
Asked = list[tuple[str, str, int]]


class Context:
    invoked_function_arn = ALIAS
    aws_request_id = "00000000-0000-0000-0000-000000000000"

    def get_remaining_time_in_millis(self) -> int:
        return LEFT_MILLIS


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    asked: Asked = []

    class Runner:
        def __init__(self, function_arn: str) -> None:
            self._function_arn = function_arn

        def run_one(self, waitlist_id: str, left_millis: Callable[[], int]) -> None:
            asked.append((self._function_arn, waitlist_id, left_millis()))

        def run_all(self, left_millis: Callable[[], int]) -> None:
            self.run_one(EVERYTHING, left_millis)

    monkeypatch.setattr(maintenance, "runner", Runner)
    monkeypatch.setenv("TABLE_NAME", "table")
    monkeypatch.setenv("PRIVATE_FUNCTION_NAME", "private")
    maintenance.run_log.cache_clear()
    yield asked
    maintenance.run_log.cache_clear()


@pytest.mark.parametrize(
    ("event", "whom"),
    [({"waitlist_id": "bakery"}, "bakery"), ({"source": "aws.events"}, EVERYTHING)],
)
def test_a_run_gets_its_remaining_time_and_its_own_alias(
    asked: Asked, event: dict[str, str], whom: str
) -> None:
    """A maintenance run knows how much time is left.

    When time runs short, it stops rebuilding and invokes itself through the same Lambda alias
    (promise P3).
    """
    maintenance.lambda_handler(event, Context())
    assert asked == [(ALIAS, whom, LEFT_MILLIS)]
