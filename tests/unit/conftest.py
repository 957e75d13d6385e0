import fakeredis
import pytest

from tests.support.line import Line
from waitlist_queue.connections import deadline


@pytest.fixture(scope="session")
def fake_server() -> fakeredis.FakeServer:
    return fakeredis.FakeServer()


@pytest.fixture
def line(fake_server: fakeredis.FakeServer, monkeypatch: pytest.MonkeyPatch) -> Line:
    """A waitlist on an empty Redis in this process; its scripts stay loaded from test to test."""
    # This Redis runs scripts in Python: on a busy machine a long one takes more than a call may.
    monkeypatch.setattr(deadline, "call_seconds", 60.0)
    client = fakeredis.FakeRedis(server=fake_server, decode_responses=True)
    client.flushall()
    return Line(client)
