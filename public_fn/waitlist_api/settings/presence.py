"""Define the `admission.presence` setting, which decides when a customer counts as away."""

from typing import Annotated

from waitlist_api.settings.declared import Setting, Settings
from waitlist_shared.limits import MAX_PRESENCE_SECONDS, MIN_PRESENCE_SECONDS


class Presence(Settings, frozen=True, kw_only=True):
    """When a customer counts as away.

    Customers poll the service while their page is open. A customer who has stopped polling counts
    as away, and their entry gets no offers until they poll again.

    The entry keeps its position in the queue. The service stores polls only for entries near the
    head of the queue. A customer without a stored poll counts as present.
    """

    seconds: Annotated[
        int,
        Setting(
            "A customer is away if, when their turn comes, their last poll was more than this "
            "number of seconds ago. A browser may let a hidden page poll only once a minute, so "
            "choose at least 120 if people wait in a browser.",
            label="Away after",
            ge=MIN_PRESENCE_SECONDS,
            le=MAX_PRESENCE_SECONDS,
        ),
    ]
