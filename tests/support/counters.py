"""The counters of a waitlist, as the private function returns them."""

# The counters of a waitlist on which no offer has been made.
NO_OFFERS = {"entered": 0, "declined": 0, "no_shows": 0}
