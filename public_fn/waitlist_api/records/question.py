"""Check whether a customer has confirmed in time that they are still waiting."""

from waitlist_api.records.entry import EntryRecord
from waitlist_api.settings.confirm import ConfirmRules


def was_taken_since(record: EntryRecord) -> bool:
    """Return whether the entry was claimed or offered a slot after its customer was asked whether
    they are still waiting.
    """
    return record.question.token != record.hold.token


def may_end_wait(record: EntryRecord, rules: ConfirmRules | None) -> bool:
    """Return whether the customer can lose their place by not confirming that they are still
    waiting.
    """
    if rules is None or record.question.confirm_by_millis is None:
        return False
    is_of_setting = (record.question.asked_millis or 0) >= rules.since_millis
    return is_of_setting and not was_taken_since(record)


def is_open(record: EntryRecord, rules: ConfirmRules, now_millis: int) -> bool:
    """Return whether the customer can still confirm that they are waiting."""
    deadline = record.question.confirm_by_millis
    return deadline is not None and (now_millis < deadline or may_end_wait(record, rules))


def is_unanswered(record: EntryRecord, rules: ConfirmRules | None) -> bool:
    """Return whether the customer can lose their place because they did not confirm in time that
    they are still waiting.
    """
    return record.question.unanswered and may_end_wait(record, rules)
