"""Define the `confirm` setting: a waitlist asks its customers whether they are still waiting."""

from typing import Any, Literal

import msgspec

from waitlist_api.settings.rest import DAY_MILLIS
from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

Unanswered = Literal["park", "leave", "to_back"]


class ConfirmRules(StoredSettings, frozen=True, kw_only=True):
    """The rules for asking customers whether they are still waiting.

    A customer is asked every `every_days` days, and must answer within `answer_days` days.
    """

    every_days: int
    answer_days: int
    # Reminders are sent this many days before the deadline.
    reminders_days: tuple[int, ...] = ()
    # What happens to the entry if the customer does not answer.
    then: Unanswered = "park"
    # When the setting was turned on. If a customer was asked before that time, a missing answer
    # has no consequences. The API does not return this field.
    since_millis: int = 0

    @property
    def every_millis(self) -> int:
        return self.every_days * DAY_MILLIS

    @property
    def answer_millis(self) -> int:
        return self.answer_days * DAY_MILLIS

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as the API returns them."""
        fields = msgspec.structs.asdict(self) | {"reminders_days": list(self.reminders_days)}
        del fields["since_millis"]
        return fields


warm_decoders(ConfirmRules)
