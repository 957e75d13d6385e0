"""Fixtures for the acceptance tests: a deployment of the whole service, and a function that creates
a waitlist.
"""

from typing import Any

import pytest

from tests.service.acceptance.terms import LEASE_SECONDS, MAX_ATTEMPTS, Waitlist
from tests.support.admissions import Admissions
from tests.support.redis_servers import Server
from tests.support.tables import new_table
from tests.support.world import RedisClock, World


@pytest.fixture
def world(valkey: Server) -> World:
    """A deployment without waitlists. The clocks stand still until a test advances them."""
    return World.on(new_table(), valkey.client, redis_clock=RedisClock.standing())


@pytest.fixture
def waitlist(world: World) -> Waitlist:
    def make(*names: str, **settings: Any) -> Admissions:
        people = Admissions(world)
        defaults = {"lease_seconds": LEASE_SECONDS, "max_attempts": MAX_ATTEMPTS}
        answer = people.configure(**{**defaults, **settings})
        assert answer.status == 201, answer.text
        people.all_sign_up(*names)
        return people

    return make
