"""Define the `rest` setting of a waitlist: how customers may let others pass for a while."""

from typing import Any

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

DAY_MILLIS = 86_400_000


class RestRules(StoredSettings, frozen=True, kw_only=True):
    """The limits for rests.

    A rest lasts at most `max_days` days, and a customer may rest `times` times during a stay.
    """

    max_days: int
    times: int

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as callers see them."""
        return msgspec.structs.asdict(self)


warm_decoders(RestRules)
