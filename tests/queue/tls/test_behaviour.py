"""The behaviour suite of the private function runs over TLS, with a Redis user that has only the
documented rights.
"""

from tests.queue.behaviour import suite

globals().update(suite())
