"""The counters of a waitlist, as the private function returns them."""

# The counters of a waitlist that has made no offers.
NO_OFFERS = {"entered": 0, "declined": 0, "no_shows": 0}
