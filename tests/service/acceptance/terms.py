"""The settings that all waitlists of these tests share."""

from collections.abc import Callable

from tests.support.admissions import Admissions

LEASE_SECONDS = 60
MAX_ATTEMPTS = 3
# A function that creates the waitlist. It takes the names of the customers in the order of their
# signups, and settings as keyword arguments.
Waitlist = Callable[..., Admissions]
