"""Runs the behaviour suite of the private function on a single Redis server and on a Redis
cluster.
"""

from tests.queue.behaviour import suite

globals().update(suite())
