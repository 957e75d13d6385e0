"""The counters of a waitlist, as the private function returns them."""

# If a waitlist has made no offers, its counters have these values.
NO_OFFERS = {"entered": 0, "declined": 0, "no_shows": 0}
