"""The `confirm` setting of a list: whether customers are asked if they still wait."""

from typing import Any, Literal

import msgspec

from waitlist_api.settings.rest import DAY_MILLIS
from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

Unanswered = Literal["park", "leave", "to_back"]


class ConfirmRules(StoredSettings, frozen=True, kw_only=True):
    """A customer is asked `every_days`, and has `answer_days` to answer, after which comes `then`.

    They are reminded so many days before the deadline. Customers are asked since `since_millis`,
    which is not shown: a question from before a pause of the setting ends nothing.
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
        """The rules as callers see them."""
        fields = msgspec.structs.asdict(self) | {"reminders_days": list(self.reminders_days)}
        del fields["since_millis"]
        return fields


warm_decoders(ConfirmRules)
