import fakeredis
import pytest

from tests.support.line import Line
from waitlist_queue.connections import deadline


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    """A waitlist on a Redis of its own, in this process."""
    # This Redis runs scripts in Python: on a busy machine a long one takes more than a call may.
    monkeypatch.setattr(deadline, "call_seconds", 60.0)
    return Line(fakeredis.FakeRedis(server=fakeredis.FakeServer(), decode_responses=True))
