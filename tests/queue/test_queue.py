"""Runs the tests in the `behaviour` folder on a single Redis server and on a Redis cluster."""

from tests.queue.behaviour import suite

globals().update(suite())
