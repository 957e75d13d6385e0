"""The counters of a waitlist, with the names that the private function uses."""

# The counters of offers on a waitlist that has not made any offer yet.
NO_OFFERS = {"entered": 0, "declined": 0, "no_shows": 0}
