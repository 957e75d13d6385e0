import fakeredis
import pytest

from tests.support.line import Line


@pytest.fixture
def line() -> Line:
    """A waitlist on a Redis of its own, in this process."""
    return Line(fakeredis.FakeRedis(server=fakeredis.FakeServer(), decode_responses=True))
