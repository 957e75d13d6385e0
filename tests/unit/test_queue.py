"""Runs the behaviour suite of the private function on fakeredis."""

from tests.queue.behaviour import suite

globals().update(suite(crowds=False))
