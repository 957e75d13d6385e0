"""Limits of messages: how often one address gets them, and how many are sent on one day.

Anyone can type the address of a stranger. So some messages need an allowance of the address that
they go to: those that anyone can ask for, and those to an address whose person has not proved to
have it. The allowances hold for all stays and for all lists of the stack (docs/decisions/0078).
"""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.entries.addresses import address_of
from waitlist_api.messages.compose import Message
from waitlist_api.messages.kinds import Happening, Kind
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
from waitlist_api.settings.sms import sms_parts

HOUR_MILLIS = 3_600_000
# A family with one number, or a person who joins some lists at once, gets all of these directly.
AT_ONCE = 5
ASKED = Allowance("asked", AT_ONCE, DAY_MILLIS)
CAME_OR_WENT = Allowance("came_or_went", AT_ONCE, DAY_MILLIS)

Why = Literal["too_many", "over_budget"]
# A message that waits for a budget is tried again soon, because an operator may have raised it.
BUDGET_PAUSE_SECONDS = 900


class NotSent(Exception):
    """A limit does not let a message be sent now.

    Without `pause_seconds` the message is dropped: its person loses nothing, and can ask again.
    With `pause_seconds` it is to be tried again after that time, and is sent if it is still true.
    """

    def __init__(self, reason: Why, pause_seconds: int | None) -> None:
        super().__init__(reason)
        self.reason: Why = reason
        self.pause_seconds = pause_seconds


class Limits(Struct, frozen=True, kw_only=True):
    """Counts messages before they are sent. With `has_accounts` customers sign up by accounts."""

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
        happening: Happening,
        message: Message,
        rules: MessageRules,
        now_millis: int,
    ) -> Callable[[], None]:
        """Count a message, and return what takes it back if it could not be sent.

        Raise NotSent if a limit is reached.
        """
        allowance = allowance_of(kind, record, happening, has_accounts=self.has_accounts)
        is_dropped = allowance in (ASKED, CAME_OR_WENT)
        taken: Taken | None = None
        if allowance is not None:
            digest = self.tokens.target_digest(_target(message))
            found = self.targets.take(digest, allowance, now_millis)
            if isinstance(found, Pause):
                pause_seconds = (found.until_millis - now_millis) // 1000 + 1
                raise NotSent("too_many", None if is_dropped else pause_seconds)
            taken = found
        anyone = allowance is not None
        spending = self._spending(record.waitlist_id, message, rules, now_millis, anyone=anyone)

        def give_back() -> None:
            self.budgets.give_back(spending)
            if taken is not None:
                self.targets.give_back(taken)

        if not self.budgets.take(spending):
            if taken is not None:
                self.targets.give_back(taken)
            raise NotSent("over_budget", None if is_dropped else BUDGET_PAUSE_SECONDS)
        return give_back

    def _spending(
        self,
        waitlist_id: str,
        message: Message,
        rules: MessageRules,
        now_millis: int,
        *,
        anyone: bool,
    ) -> Spending:
        is_mail = message.channel == "mail"
        return Spending(
            waitlist_id=waitlist_id,
            unit="mails" if is_mail else "parts",
            amount=1 if is_mail else sms_parts(message.text.strip()),
            of_stack=self.mails_per_day if is_mail else self.sms_parts_per_day,
            of_list=rules.mails_per_day if is_mail else rules.sms_parts_per_day,
            anyone=anyone,
            millis=now_millis,
        )


def allowance_of(
    kind: Kind, record: EntryRecord, happening: Happening, *, has_accounts: bool
) -> Allowance | None:
    """Return the allowance that a message needs.

    None if no stranger can cause the message. Each kind of message about a person's turn has an
    allowance of its own, so that other messages never stop an offer. An offer that an operator
    makes needs no allowance.
    """
    if kind.is_asked:
        return ASKED
    if _is_proven(record, has_accounts=has_accounts):
        return None
    if kind.name in ("joined", "left"):
        return CAME_OR_WENT
    if happening.by == "operator":
        return None
    return Allowance(kind.name, AT_ONCE, HOUR_MILLIS)


def _is_proven(record: EntryRecord, *, has_accounts: bool) -> bool:
    """Return whether a person has proved to have the address, or an operator has entered it.

    An account proves who a customer is, and nothing about the address in the profile.
    """
    is_entered = not record.by_guest and not has_accounts
    return record.verified or record.has_moved or is_entered


def _target(message: Message) -> str:
    """Return the address of a message in one spelling, the same for all spellings of one mailbox.

    What follows a `+` is left out, because it comes into the same mailbox.
    """
    field: Literal["email", "phone"] = "email" if message.channel == "mail" else "phone"
    return f"{field}:{address_of(IdentityRules(field=field), message.to).text}"
