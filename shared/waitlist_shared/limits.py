"""Every limit that both functions must agree on."""

MAX_BATCH = 500
MAX_FILL = 50
MAX_CLAIM = 100
MAX_ADMIT = 100
MAX_LEASE_SECONDS = 12 * 3600
MAX_DELAY_SECONDS = 12 * 3600
# Of an admission policy.
MAX_RATE = 1_000_000
MAX_SCHEDULE = 50
# Instants of a schedule in one message.
MAX_INSTANTS = 1_000
# Hours of a policy in one message: today's, the next ones, and those after them.
MAX_HOURS = 3
MIN_OFFER_SECONDS = 10
MAX_OFFER_SECONDS = 12 * 3600
MIN_PASS_SECONDS = 60
MAX_PASS_SECONDS = 7 * 24 * 3600
MAX_ATTEMPTS = 100
MAX_NOT_READY_REASONS = 8
MAX_PAGE = 100
# Declared by a waitlist: lists of attribute names; each entry is indexed under all combinations
# of its values.
MAX_SEGMENTS = 16
MAX_SEGMENT_ATTRIBUTES = 8
MAX_COMBINATIONS = 64
# Of one claim, in order of preference.
MAX_FILTERS = 8
MAX_PRIORITY = 255
MAX_PLACES = 1_000_000_000
MAX_CAPACITY = 1_000_000_000
MIN_RANK = -(2**40)
MAX_RANK = 2**53 - 1
MAX_TICKET = 2**45 - 2**40 - 1  # more would run into the next priority's ranks

# A client's Idempotency-Key is remembered this long; one that the service made for its own
# retries only has to outlive those.
ONCE_SECONDS = 24 * 3600
INTERNAL_ONCE_SECONDS = 60

# An import that is cut off is repeated within this time, or its rows of one millisecond may come in
# between those that it had placed.
CROWDS_SECONDS = 24 * 3600

# A tombstone must outlive every message that could still be under way when an entry leaves.
TOMBSTONE_SECONDS = 15 * 60
