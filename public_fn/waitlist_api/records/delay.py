"""Store in the record how long an entry is delayed and how often its customer has declined."""

from msgspec.structs import replace

from waitlist_api.records.entry import EntryRecord, no_longer_near
from waitlist_shared import contracts as c

# After these decisions, the entry may have to wait. This is the reason that is stored for the
# delay.
REASONS: dict[c.Verb, c.DelayReason] = {"released": "delayed", "declined": "declined"}


def with_delay(decision: c.Decision, record: EntryRecord) -> EntryRecord:
    """Return the record with the delay and the number of declines that the decision contains.

    If the record already has a later delay or a higher number, the record keeps this value. The
    function can therefore be called twice for the same decision, or after a newer decision.
    """
    hold = record.hold
    if decision.verb in REASONS and decision.until_millis > (hold.delayed_until_millis or 0):
        record = no_longer_near(record)
        reason, until_millis = REASONS[decision.verb], decision.until_millis
        hold = replace(hold, delay_reason=reason, delayed_until_millis=until_millis)
    hold = replace(hold, declines=max(hold.declines, decision.declines))
    return replace(record, hold=hold)
