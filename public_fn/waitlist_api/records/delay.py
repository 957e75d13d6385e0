"""Store in the record how long an entry is delayed and how many times its customer has declined."""

from msgspec.structs import replace

from waitlist_api.records.entry import EntryRecord, no_longer_near
from waitlist_shared import contracts as c

# Maps each decision that can delay an entry to the reason that clients see in `not_ready`.
REASONS: dict[c.Verb, c.DelayReason] = {"released": "delayed", "declined": "declined"}


def with_delay(decision: c.Decision, record: EntryRecord) -> EntryRecord:
    """Return a copy of the record with a decision's delay and number of declines.

    Decisions can be applied twice or out of order, so an earlier delay never replaces a later one,
    and the number of declines never decreases.
    """
    hold = record.hold
    if decision.verb in REASONS and decision.until_millis > (hold.delayed_until_millis or 0):
        record = no_longer_near(record)
        reason, until_millis = REASONS[decision.verb], decision.until_millis
        hold = replace(hold, delay_reason=reason, delayed_until_millis=until_millis)
    hold = replace(hold, declines=max(hold.declines, decision.declines))
    return replace(record, hold=hold)
