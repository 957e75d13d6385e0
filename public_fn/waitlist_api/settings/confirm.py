"""Define the `confirm` setting of a waitlist: whether customers are asked if they still wait."""

from typing import Any, Literal

import msgspec

from waitlist_api.settings.rest import DAY_MILLIS
from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

Unanswered = Literal["park", "leave", "to_back"]


class ConfirmRules(StoredSettings, frozen=True, kw_only=True):
    """The rules for asking customers whether they still wait.

    Every `every_days` days a customer is asked, and has `answer_days` days to answer. Reminders are
    due `reminders_days` days before the deadline. `then` is what happens to the entry if the
    customer does not answer.

    `since_millis` is the time since which the setting has been active without a pause. Questions
    that were asked earlier do not end a wait. Callers do not see this field.
    """

    every_days: int
    answer_days: int
    reminders_days: tuple[int, ...] = ()
    then: Unanswered = "park"
    since_millis: int = 0

    @property
    def every_millis(self) -> int:
        return self.every_days * DAY_MILLIS

    @property
    def answer_millis(self) -> int:
        return self.answer_days * DAY_MILLIS

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as callers see them."""
        fields = msgspec.structs.asdict(self) | {"reminders_days": list(self.reminders_days)}
        del fields["since_millis"]
        return fields


warm_decoders(ConfirmRules)
