"""Define the `admission.presence` setting, which decides when a customer counts as away."""

from typing import Annotated

from waitlist_api.settings.declared import Setting, Settings
from waitlist_shared.limits import MAX_PRESENCE_SECONDS, MIN_PRESENCE_SECONDS


class Presence(Settings, frozen=True, kw_only=True):
    """The rules for when a customer counts as away, which means that the customer has stopped
    polling.

    The entry of a customer who is away keeps its position in the queue, but offers pass it over
    until the customer polls again.

    The time of a poll is stored only if the entry is near the head of the queue. If no poll of a
    customer is stored, the customer counts as present.
    """

    seconds: Annotated[
        int,
        Setting(
            "A customer is away if the last poll was more than this number of seconds ago when the "
            "customer's turn comes. A browser may let a hidden page poll only once a minute, so "
            "choose at least 120 if people wait in a browser.",
            label="Away after",
            ge=MIN_PRESENCE_SECONDS,
            le=MAX_PRESENCE_SECONDS,
        ),
    ]
