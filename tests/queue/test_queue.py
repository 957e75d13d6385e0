"""The behaviour suite of the private function on real engines: one server and one cluster."""

from tests.queue.behaviour import suite

globals().update(suite())
