"""The settings of the waitlists in these tests."""

from collections.abc import Callable

from tests.support.admissions import Admissions

LEASE_SECONDS = 60
MAX_ATTEMPTS = 3
# The type of the function that creates a waitlist. It takes the customers' names in the order of
# their signups, and the settings as keyword arguments.
Waitlist = Callable[..., Admissions]
