"""The behaviour suite of the private function on fakeredis: no server, no time."""

from tests.queue.behaviour import suite

globals().update(suite(crowds=False))
