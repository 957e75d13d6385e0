"""Define the `confirm` setting, which makes a waitlist ask customers whether they are still
waiting.
"""

from collections.abc import Iterator
from typing import Annotated

from waitlist_api.settings.declared import DISTINCT, Setting, Settings
from waitlist_api.settings.rest import DAY_MILLIS
from waitlist_shared import contracts as c

MAX_DAYS = 3650


def _descending(days: list[int]) -> list[int]:
    return sorted(set(days), reverse=True)


class ConfirmRules(Settings, frozen=True, kw_only=True):
    """Settings for regularly asking customers whether they are still waiting."""

    every_days: Annotated[
        int,
        Setting(
            "How often to ask customers whether they are still waiting, in days. A customer is "
            "asked this many days after they sign up, and then this many days after the last "
            "question or the last confirmation, whichever is later.",
            label="Ask whether they are still waiting, every … days",
            ge=1,
            le=MAX_DAYS,
        ),
    ]
    answer_days: Annotated[
        int,
        Setting(
            "The number of days that customers have to `confirm`, which must not exceed "
            "`every_days`.",
            label="Days to answer",
            ge=1,
            le=MAX_DAYS,
        ),
    ] = 14
    reminders_days: Annotated[
        tuple[Annotated[int, Setting(ge=1, le=MAX_DAYS)], ...],
        Setting(
            "When to send reminders (the `reminded` event), each as a number of days before the "
            "deadline. Each number must be less than `answer_days`.",
            label="Reminders, in days before the deadline",
            max_length=8,
            schema=DISTINCT,
            check=_descending,
            examples=[[7, 1]],
        ),
    ] = ()
    then: Annotated[
        c.Unanswered,
        Setting(
            "What happens to an entry if its customer does not answer. `park` sets the entry aside "
            "until an operator brings it back with `redrive`. `leave` removes the entry from the "
            "waitlist. `to_back` moves it to the end of the queue.",
            label="If they do not answer",
            choices={
                "park": "The entry is parked",
                "leave": "The entry leaves the list",
                "to_back": "The entry goes to the end of the queue",
            },
        ),
    ] = "park"
    # When an operator turned on this setting. If a customer does not answer a question that was
    # asked before this time, nothing happens to their entry.
    since_millis: Annotated[int, Setting(is_internal=True)] = 0

    @property
    def every_millis(self) -> int:
        return self.every_days * DAY_MILLIS

    @property
    def answer_millis(self) -> int:
        return self.answer_days * DAY_MILLIS

    def problems(self) -> Iterator[tuple[str, str]]:
        # The messages contain the value, because the request may lack it and use the default.
        if self.answer_days > self.every_days:
            yield "", f"must not have an answer_days ({self.answer_days}) greater than every_days"
        if any(days >= self.answer_days for days in self.reminders_days):
            yield (
                "",
                f"must have reminders_days that are all less than answer_days ({self.answer_days})",
            )
