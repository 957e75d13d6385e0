"""The `messages` setting of a list: of what its people are told."""

from typing import Any

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders


class MessageRules(StoredSettings, frozen=True, kw_only=True):
    """People are told of these `kinds`, and of no others.

    The first `near` entries that are ready are near.
    """

    kinds: tuple[str, ...]
    near: int = 3

    @property
    def fields(self) -> dict[str, Any]:
        """The rules as callers see them."""
        shown: dict[str, Any] = msgspec.json.decode(self.text)
        return shown


warm_decoders(MessageRules)
