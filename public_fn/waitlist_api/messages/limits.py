"""Limits how many messages an address receives, and how many messages are sent per day.

The limits exist because anyone can enter a stranger's address (docs/decisions/0078).
"""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.entries.addresses import normalise_address
from waitlist_api.messages.compose import Message
from waitlist_api.messages.kinds import EntryEvent, Kind
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.message_limits import (
    DAY_MILLIS,
    Allowance,
    Budgets,
    Pause,
    Spending,
    Taken,
    Targets,
)
from waitlist_api.settings.identity import IdentityRules
from waitlist_api.settings.messages import MessageRules
from waitlist_api.settings.sms import count_sms_parts

HOUR_MILLIS = 3_600_000
# The number of messages that an address may receive in quick succession, which is enough for a
# family that shares a phone number.
AT_ONCE = 5
ASKED = Allowance("asked", AT_ONCE, DAY_MILLIS)
CAME_OR_WENT = Allowance("came_or_went", AT_ONCE, DAY_MILLIS)

LimitReason = Literal["too_many", "over_budget"]
# How long a message waits before the next attempt if a daily budget is used up. An operator may
# raise the budget at any time, so the message does not wait until the next day.
BUDGET_PAUSE_SECONDS = 900


class LimitReached(Exception):
    """Raised when a limit prevents a message from being sent now.

    The message is retried after `pause_seconds`, or dropped if `pause_seconds` is None.
    """

    def __init__(self, reason: LimitReason, pause_seconds: int | None) -> None:
        super().__init__(reason)
        self.reason: LimitReason = reason
        self.pause_seconds = pause_seconds


class Limits(Struct, frozen=True, kw_only=True):
    """Counts messages before they are sent, and refuses messages that exceed a limit.

    `has_accounts` is false if the customers are guests.
    """

    targets: Targets
    budgets: Budgets
    tokens: EntryTokens
    mails_per_day: int
    sms_parts_per_day: int
    has_accounts: bool = False

    def take(
        self,
        kind: Kind,
        record: EntryRecord,
        event: EntryEvent,
        message: Message,
        rules: MessageRules,
        now_millis: int,
    ) -> Callable[[], None]:
        """Count a message that is about to be sent.

        Return a function that undoes the count. Raise LimitReached if a limit does not allow the
        message now.
        """
        allowance = choose_allowance(kind, record, event, has_accounts=self.has_accounts)
        is_dropped = allowance in (ASKED, CAME_OR_WENT)
        taken: Taken | None = None
        if allowance is not None:
            digest = self.tokens.target_digest(_target(message))
            found = self.targets.take(digest, allowance, now_millis)
            if isinstance(found, Pause):
                pause_seconds = (found.until_millis - now_millis) // 1000 + 1
                raise LimitReached("too_many", None if is_dropped else pause_seconds)
            taken = found
        by_anyone = allowance is not None
        spending = self._spending(
            record.waitlist_id, message, rules, now_millis, by_anyone=by_anyone
        )

        def give_back() -> None:
            self.budgets.give_back(spending)
            if taken is not None:
                self.targets.give_back(taken)

        if not self.budgets.take(spending):
            if taken is not None:
                self.targets.give_back(taken)
            raise LimitReached("over_budget", None if is_dropped else BUDGET_PAUSE_SECONDS)
        return give_back

    def _spending(
        self,
        waitlist_id: str,
        message: Message,
        rules: MessageRules,
        now_millis: int,
        *,
        by_anyone: bool,
    ) -> Spending:
        is_mail = message.channel == "mail"
        return Spending(
            waitlist_id=waitlist_id,
            unit="mails" if is_mail else "parts",
            amount=1 if is_mail else count_sms_parts(message.text.strip()),
            of_stack=self.mails_per_day if is_mail else self.sms_parts_per_day,
            of_list=rules.mails_per_day if is_mail else rules.sms_parts_per_day,
            by_anyone=by_anyone,
            millis=now_millis,
        )


def choose_allowance(
    kind: Kind, record: EntryRecord, event: EntryEvent, *, has_accounts: bool
) -> Allowance | None:
    """Return the limit that applies to a message, or None if no limit applies to it."""
    if kind.is_requested:
        return ASKED
    if _is_proven(record, has_accounts=has_accounts):
        return None
    if kind.name in ("joined", "left"):
        return CAME_OR_WENT
    if event.by == "operator" and not kind.is_written:
        return None
    return Allowance(kind.name, AT_ONCE, HOUR_MILLIS)


def _is_proven(record: EntryRecord, *, has_accounts: bool) -> bool:
    """Return whether the customer has verified the address, or an operator has entered it."""
    # An account does not prove that the address is the customer's own, because the customer may
    # have entered somebody else's.
    is_entered = not record.joined.by_guest and not has_accounts
    return record.verification.verified or record.has_moved or is_entered


def _target(message: Message) -> str:
    """Return a key for an email address or phone number.

    Different spellings that reach the same mailbox or phone have the same key.
    """
    field: Literal["email", "phone"] = "email" if message.channel == "mail" else "phone"
    return f"{field}:{normalise_address(IdentityRules(field=field), message.to).text}"
