"""Fixtures for the API tests: an empty waitlist, and a waitlist with people."""

import pytest

from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import World


def new_list(**settings: object) -> People:
    people = People(World.on(new_table(), empty_redis()))
    assert people.configure(**settings).status == 201
    return people


@pytest.fixture
def people() -> People:
    return new_list()


@pytest.fixture(scope="module")
def stocked() -> People:
    """A waitlist on which Ada, Bob and Cyd are waiting.

    Tests must not change it, because they share it.
    """
    people = new_list()
    people.all_sign_up("ada", "bob", "cyd")
    return people
