"""What the waitlists of these tests have in common."""

from collections.abc import Callable

from tests.support.admissions import Admissions

LEASE_SECONDS = 60
MAX_ATTEMPTS = 3
# Makes the waitlist: names in order of arrival, settings by keyword.
Waitlist = Callable[..., Admissions]
