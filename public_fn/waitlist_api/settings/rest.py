"""The `rest` setting of a list: how customers may let others pass for a time."""

from typing import Any

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

DAY_MILLIS = 86_400_000


class RestRules(StoredSettings, frozen=True, kw_only=True):
    """A rest ends within `max_days`; a customer may begin one so many `times` in a stay."""

    max_days: int
    times: int

    @property
    def fields(self) -> dict[str, Any]:
        """The rules as callers see them."""
        return msgspec.structs.asdict(self)


warm_decoders(RestRules)
