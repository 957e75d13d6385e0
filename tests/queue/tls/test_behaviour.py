"""Runs the private function's behaviour suite over TLS, as a Redis user that has only the
documented permissions.
"""

from tests.queue.behaviour import suite

globals().update(suite())
