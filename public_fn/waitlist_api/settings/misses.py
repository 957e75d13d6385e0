"""Define the `admission.misses` setting, which limits how many offers a customer may miss."""

from typing import Annotated

from waitlist_api.settings.declared import Setting, Settings
from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_ATTEMPTS


class MissRules(Settings, frozen=True, kw_only=True):
    """What happens to an entry whose customer has left too many offers unused."""

    at_most: Annotated[
        int,
        Setting(
            "The number of unused offers after which the entry leaves or is parked, as chosen in "
            "`then`. After earlier unused offers, `no_show` decides what happens to the entry. "
            "Expired claims count as unused offers.",
            label="Number of unused offers",
            ge=1,
            le=MAX_ATTEMPTS,
        ),
    ]
    then: Annotated[
        c.AfterMisses,
        Setting(
            "What happens to the entry. With `leave`, it leaves the waitlist. With `park`, it is "
            "set aside (parked) until an operator returns it to the queue.",
            label="After that many unused offers",
            choices={"leave": "Leave the list", "park": "Are parked until an operator acts"},
        ),
    ] = "leave"
