"""The behaviour suite of the private function over TLS.

Its Redis user has only the documented rights.
"""

from tests.queue.behaviour import suite

globals().update(suite())
