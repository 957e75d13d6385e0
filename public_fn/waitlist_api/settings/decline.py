"""Define the `admission.decline` setting.

It says what happens to an entry when its customer declines an offer.
"""

from typing import Annotated, Literal

from waitlist_api.settings.declared import Setting, Settings
from waitlist_shared.limits import MAX_DECLINES, MAX_PAUSE_SECONDS

AfterDecline = Literal["place", "back", "leave"]


class DeclineRules(Settings, frozen=True, kw_only=True):
    """What happens to an entry whose customer declines an offer."""

    to: Annotated[
        AfterDecline,
        Setting(
            "What happens to the entry. With `place`, it keeps its position but gets no offers "
            "for `pause_seconds`. With `back`, it moves to the end of the queue. With `leave`, it "
            "leaves the waitlist. A customer can choose `back` or `leave` each time they decline.",
            label="Customers who decline an offer",
            choices={
                "off": "Go to the end of the queue",
                "place": "Keep their place and are passed over for a while",
                "back": "Go to the end of the queue, as the setting says",
                "leave": "Leave the list",
            },
        ),
    ]
    pause_seconds: Annotated[
        int,
        Setting(
            "How long an entry that keeps its position gets no offers after a decline, in seconds.",
            label="Passed over for, in seconds",
            ge=0,
            le=MAX_PAUSE_SECONDS,
        ),
    ] = 3600
    at_most: Annotated[
        int,
        Setting(
            "How many offers a customer can decline after each signup without losing their "
            "position. Each further decline moves the entry to the end of the queue.",
            label="Declines that keep the place",
            ge=1,
            le=MAX_DECLINES,
        ),
    ] = 3
