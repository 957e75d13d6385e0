import fakeredis
import pytest

from tests.support.line import Line


@pytest.fixture(scope="session")
def fake_server() -> fakeredis.FakeServer:
    return fakeredis.FakeServer()


@pytest.fixture
def line(fake_server: fakeredis.FakeServer) -> Line:
    """All tests share one fakeredis server, so the Lua scripts are loaded only once."""
    client = fakeredis.FakeRedis(server=fake_server, decode_responses=True)
    client.flushall()
    return Line(client)
