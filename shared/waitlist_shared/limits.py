"""The limits that the public and the private function must agree on."""

MAX_BATCH = 500
MAX_RESTORE_MANY = 50
MAX_CLAIM = 100
MAX_ADMIT = 100
MAX_LEASE_SECONDS = 12 * 3600
MAX_DELAY_SECONDS = 12 * 3600
# Limits of an admission policy.
MAX_RATE = 1_000_000
MAX_SCHEDULE = 50
# The most instants of a schedule that one message may have.
MAX_INSTANTS = 1_000
# The most opening hours of a policy that one message may have: the current hours, the next ones,
# and the ones after them.
MAX_HOURS = 3
MIN_OFFER_SECONDS = 10
MAX_OFFER_SECONDS = 12 * 3600
MIN_PASS_SECONDS = 60
MAX_PASS_SECONDS = 7 * 24 * 3600
MAX_ATTEMPTS = 100
MAX_NOT_READY_REASONS = 8
MAX_PAGE = 100
# A waitlist declares its segments as lists of attribute names. Each entry is indexed under all
# combinations of its attribute values.
MAX_SEGMENTS = 16
MAX_SEGMENT_ATTRIBUTES = 8
MAX_COMBINATIONS = 64
# The most filters of one claim, which are given in order of preference.
MAX_FILTERS = 8
MAX_PRIORITY = 255
MAX_PLACES = 1_000_000_000
MAX_CAPACITY = 1_000_000_000
MIN_RANK = -(2**40)
MAX_RANK = 2**53 - 1
MAX_TICKET = 2**45 - 2**40 - 1  # a larger ticket would reach the ranks of the next priority

# How long the service remembers a client's Idempotency-Key. A key that the service created for its
# own retries only has to outlive these retries.
ONCE_SECONDS = 24 * 3600
INTERNAL_ONCE_SECONDS = 60

# How long Redis counts the imported rows that share one `joined_at`. If an interrupted import is
# repeated later than this, some of its rows may be placed between rows with the same `joined_at`
# that the first attempt placed.
SHARED_MILLISECOND_SECONDS = 24 * 3600

# How long a tombstone is kept. It must outlive every message about the stay that may still be in
# flight when the stay ends.
TOMBSTONE_SECONDS = 15 * 60
