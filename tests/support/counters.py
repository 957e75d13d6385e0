"""A waitlist's counters, under the names that the private function uses."""

# The offer counters of a waitlist that has not made any offers yet.
NO_OFFERS = {"entered": 0, "declined": 0, "no_shows": 0}
