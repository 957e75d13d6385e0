"""The counters of a waitlist, with the names that the private function uses."""

# The counters of offers, if no offer was made yet.
NO_OFFERS = {"entered": 0, "declined": 0, "no_shows": 0}
