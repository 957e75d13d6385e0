"""Counters of a list as the private function returns them."""

# Those of a list without offers.
NO_OFFERS = {"entered": 0, "declined": 0, "no_shows": 0}
