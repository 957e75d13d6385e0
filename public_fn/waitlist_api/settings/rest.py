"""Define the `rest` setting, which limits how long customers may let others pass."""

from typing import Any

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

DAY_MILLIS = 86_400_000


class RestRules(StoredSettings, frozen=True, kw_only=True):
    """The limits for customers who let others pass.

    A customer may do this `times` times after each signup, for at most `max_days` days.
    """

    max_days: int
    times: int

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as the API returns them."""
        return msgspec.structs.asdict(self)


warm_decoders(RestRules)
