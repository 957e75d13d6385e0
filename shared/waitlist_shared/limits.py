"""The limits that the public and the private function must agree on."""

MAX_BATCH = 500
MAX_RESTORE_MANY = 50
MAX_CLAIM = 100
MAX_ADMIT = 100
MAX_LEASE_SECONDS = 12 * 3600
MAX_DELAY_SECONDS = 12 * 3600
# The limits for the fields of an admission policy.
MAX_RATE = 1_000_000
MAX_SCHEDULE = 50
# The maximum number of schedule times in one message.
MAX_INSTANTS = 1_000
# The maximum number of opening periods in one message: the current or next period, and the two
# periods after it.
MAX_HOURS = 3
MIN_OFFER_SECONDS = 10
MAX_OFFER_SECONDS = 12 * 3600
MIN_PASS_SECONDS = 60
MAX_PASS_SECONDS = 7 * 24 * 3600
MAX_ATTEMPTS = 100
MAX_NOT_READY_REASONS = 8
MAX_PAGE = 100
# A waitlist declares each segment as a list of attribute names. An entry then belongs to one
# segment for each combination of its values for these attributes.
MAX_SEGMENTS = 16
MAX_SEGMENT_ATTRIBUTES = 8
MAX_COMBINATIONS = 64
# The maximum number of filters in one claim. The filters are in order of preference.
MAX_FILTERS = 8
MAX_PRIORITY = 255
MAX_PLACES = 1_000_000_000
MAX_CAPACITY = 1_000_000_000
MIN_RANK = -(2**40)
MAX_RANK = 2**53 - 1
MAX_TICKET = 2**45 - 2**40 - 1  # a larger ticket would reach the ranks of the next priority

# How long the service remembers a client's Idempotency-Key. The service also creates keys for its
# own retries. It remembers these keys for a shorter time.
ONCE_SECONDS = 24 * 3600
INTERNAL_ONCE_SECONDS = 60

# How long Redis remembers how many imported rows have the same `joined_at`. If an interrupted
# import is repeated after this time, some of its rows may be placed between rows from the first
# attempt that have the same `joined_at`.
SHARED_MILLISECOND_SECONDS = 24 * 3600

# How long Redis keeps a tombstone, which marks a signup that has ended. The tombstone must outlive
# every message about the signup that is still in flight at that moment.
TOMBSTONE_SECONDS = 15 * 60
