"""The behaviour suite of the private function over TLS, as a user with no rights but its own."""

from tests.behaviour import suite

globals().update(suite())
