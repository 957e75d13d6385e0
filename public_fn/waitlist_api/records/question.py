"""The question whether a customer still waits: what the record notes, and when a note counts.

A note of the record counts only while the question may end the wait. The process that wrote the
note may have died before it ended the wait, and the question may have become void since.
"""

from waitlist_api.records.entry import EntryRecord
from waitlist_api.settings.confirm import ConfirmRules


def was_taken_since(record: EntryRecord) -> bool:
    """Return whether the entry was claimed or offered since its customer was asked."""
    return record.asked_token != record.claim_token


def may_end_wait(record: EntryRecord, rules: ConfirmRules | None) -> bool:
    """Return whether the wait may end if the customer does not answer the recorded question.

    It may not while `confirm` is null, nor if `confirm` was null for a time since the question. It
    may not either if the entry was claimed or offered since: the customer could not answer then.
    """
    if rules is None or record.confirm_by_millis is None:
        return False
    is_of_setting = (record.asked_millis or 0) >= rules.since_millis
    return is_of_setting and not was_taken_since(record)


def is_open(record: EntryRecord, rules: ConfirmRules, now_millis: int) -> bool:
    """Return whether the customer is asked already: there is time to answer, or silence counts."""
    deadline = record.confirm_by_millis
    return deadline is not None and (now_millis < deadline or may_end_wait(record, rules))


def is_unanswered(record: EntryRecord, rules: ConfirmRules | None) -> bool:
    """Return whether the record notes that no answer came, and the question may end the wait."""
    return record.unanswered and may_end_wait(record, rules)
