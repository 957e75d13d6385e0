"""The limits that must be the same in the public and private functions."""

MAX_BATCH = 500
MAX_RESTORE_MANY = 50
MAX_CLAIM = 100
MAX_ADMIT = 100
MAX_LEASE_SECONDS, DEFAULT_LEASE_SECONDS = 12 * 3600, 300
MAX_DELAY_SECONDS = 12 * 3600
# The maximum number of characters in the name of a place to which a customer is called.
MAX_CALL_LENGTH = 60
# The longest time for which an entry may be passed over after a declined offer.
MAX_PAUSE_SECONDS = 30 * 24 * 3600
# The maximum number of offers that a waitlist may let a customer decline without losing their
# place.
MAX_DECLINES = 100
# The limits for the fields of an admission policy.
MAX_RATE = 1_000_000
MAX_SCHEDULE = 50
# The maximum number of scheduled times in one message to the private function.
MAX_INSTANTS = 1_000
# The maximum number of periods in a message that says when offers may be made.
MAX_HOURS = 3
MIN_OFFER_SECONDS = 10
MAX_OFFER_SECONDS, DEFAULT_OFFER_SECONDS = 14 * 24 * 3600, 600
MIN_PASS_SECONDS = 60
MIN_PRESENCE_SECONDS, MAX_PRESENCE_SECONDS = 30, 3600
MAX_PASS_SECONDS = 7 * 24 * 3600
MAX_ATTEMPTS, DEFAULT_MAX_ATTEMPTS = 100, 5
MAX_NOT_READY_REASONS = 8
MAX_PAGE = 100
# The limits for a waitlist's segments. Entries with the same values for some attributes form a
# segment. An entry belongs to at most MAX_COMBINATIONS segments.
MAX_SEGMENTS = 16
MAX_SEGMENT_ATTRIBUTES = 8
MAX_COMBINATIONS = 64
# The maximum number of filters in one claim.
MAX_FILTERS = 8
MAX_PRIORITY = 255
MAX_PLACES = 1_000_000_000
MAX_CAPACITY = 1_000_000_000
MIN_RANK = -(2**40)
MAX_RANK = 2**53 - 1
MAX_TICKET = 2**45 - 2**40 - 1  # a larger ticket would reach the ranks of the next priority

# How long the service remembers clients' idempotency keys.
ONCE_SECONDS = 24 * 3600
# How long Redis remembers the idempotency keys that the service creates. The service creates a key
# if the client sent none, because the service may repeat its own requests to Redis.
INTERNAL_ONCE_SECONDS = 60
