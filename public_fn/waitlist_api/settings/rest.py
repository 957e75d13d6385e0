"""The `rest` setting of a list: how customers may let others pass for a time."""

from typing import Any, Self

import msgspec

from waitlist_shared.decoding import warm_decoders

DAY_MILLIS = 86_400_000


class RestRules(msgspec.Struct, frozen=True, kw_only=True):
    """A rest ends within `max_days`; a customer may begin one so many `times` in a stay."""

    max_days: int
    times: int

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read what `text` returned."""
        return msgspec.json.decode(text, type=cls)

    @property
    def text(self) -> str:
        """JSON for the record; equal rules have equal texts."""
        return msgspec.json.encode(self).decode()

    @property
    def fields(self) -> dict[str, Any]:
        """The rules as callers see them."""
        return msgspec.structs.asdict(self)


warm_decoders(RestRules)
