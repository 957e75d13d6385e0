"""Interpret the recorded question whether a customer still waits.

The record may say that the customer did not answer. This counts only while the question may still
end the wait. The process that wrote it may have died before it ended the wait, and the question may
have become void since then.
"""

from waitlist_api.records.entry import EntryRecord
from waitlist_api.settings.confirm import ConfirmRules


def was_taken_since(record: EntryRecord) -> bool:
    """Return whether the entry was claimed or offered since its customer was asked."""
    return record.asked_token != record.claim_token


def may_end_wait(record: EntryRecord, rules: ConfirmRules | None) -> bool:
    """Return whether the wait may end if the customer does not answer the recorded question.

    The question is void if the setting `confirm` is null, or was null at any time since the
    question was asked. The question is also void if the entry was claimed or offered since then,
    because the customer could not answer during that time.
    """
    if rules is None or record.confirm_by_millis is None:
        return False
    is_of_setting = (record.asked_millis or 0) >= rules.since_millis
    return is_of_setting and not was_taken_since(record)


def is_open(record: EntryRecord, rules: ConfirmRules, now_millis: int) -> bool:
    """Return whether a question is open.

    A question is open until its deadline. After the deadline, it is open while it may still end
    the wait.
    """
    deadline = record.confirm_by_millis
    return deadline is not None and (now_millis < deadline or may_end_wait(record, rules))


def is_unanswered(record: EntryRecord, rules: ConfirmRules | None) -> bool:
    """Return whether the customer did not answer and the question may still end the wait."""
    return record.unanswered and may_end_wait(record, rules)
