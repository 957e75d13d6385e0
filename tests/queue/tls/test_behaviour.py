"""Runs the behaviour suite of the private function over TLS, with a Redis user that has only the
documented permissions.
"""

from tests.queue.behaviour import suite

globals().update(suite())
