"""The behaviour suite of the private function over TLS, as a user with no rights but its own."""

from tests.queue.behaviour import suite

globals().update(suite())
