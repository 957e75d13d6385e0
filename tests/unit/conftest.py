import fakeredis
import pytest

from tests.support.line import Line


@pytest.fixture(scope="session")
def fake_server() -> fakeredis.FakeServer:
    return fakeredis.FakeServer()


@pytest.fixture
def line(fake_server: fakeredis.FakeServer) -> Line:
    """A waitlist on an empty Redis in this process; its scripts stay loaded from test to test."""
    client = fakeredis.FakeRedis(server=fake_server, decode_responses=True)
    client.flushall()
    return Line(client)
