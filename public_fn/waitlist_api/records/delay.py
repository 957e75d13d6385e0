"""Keep what a decision of Redis says about delays and declines in the record of an entry."""

from msgspec.structs import replace

from waitlist_api.records.entry import EntryRecord, no_longer_near
from waitlist_shared import contracts as c

# Why an entry is not ready after these decisions, if it must wait.
REASONS: dict[c.Verb, c.DelayReason] = {"released": "delayed", "declined": "declined"}


def with_delay(decision: c.Decision, record: EntryRecord) -> EntryRecord:
    """Return the record with the delay and the number of declines of a decision.

    A later delay and a higher number in the record are kept, so a decision can be noted twice, and
    after a newer decision.
    """
    hold = record.hold
    if decision.verb in REASONS and decision.until_millis > (hold.delayed_until_millis or 0):
        record = no_longer_near(record)
        reason, until_millis = REASONS[decision.verb], decision.until_millis
        hold = replace(hold, delay_reason=reason, delayed_until_millis=until_millis)
    hold = replace(hold, declines=max(hold.declines, decision.declines))
    return replace(record, hold=hold)
