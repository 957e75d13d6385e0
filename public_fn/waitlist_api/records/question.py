"""Check whether a customer was asked to confirm that they still wait, and has not answered.

The record may say that the customer did not answer in time. The process that wrote this may have
crashed before it removed the entry from the queue. In the meantime, the question may have become
void, and then the entry must stay in the queue.
"""

from waitlist_api.records.entry import EntryRecord
from waitlist_api.settings.confirm import ConfirmRules


def was_taken_since(record: EntryRecord) -> bool:
    """Return whether the entry was claimed or offered after its customer was asked."""
    return record.asked_token != record.claim_token


def may_end_wait(record: EntryRecord, rules: ConfirmRules | None) -> bool:
    """Return whether the entry may lose its place if the customer does not answer.

    The recorded question is void if the setting `confirm` was turned off after the customer was
    asked. It is also void if the entry was claimed or offered after that, because the customer
    could not answer during that time.
    """
    if rules is None or record.confirm_by_millis is None:
        return False
    is_of_setting = (record.asked_millis or 0) >= rules.since_millis
    return is_of_setting and not was_taken_since(record)


def is_open(record: EntryRecord, rules: ConfirmRules, now_millis: int) -> bool:
    """Return whether the customer can still answer the recorded question.

    They can answer until the deadline. After the deadline, they can answer as long as the entry may
    still lose its place.
    """
    deadline = record.confirm_by_millis
    return deadline is not None and (now_millis < deadline or may_end_wait(record, rules))


def is_unanswered(record: EntryRecord, rules: ConfirmRules | None) -> bool:
    """Return whether the customer did not answer in time and the question is not void."""
    return record.unanswered and may_end_wait(record, rules)
