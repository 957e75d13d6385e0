"""Define the `identity` setting, which names the profile field that identifies a guest."""

from typing import Any, Literal

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

IdentityField = Literal["email", "phone"]
Verify = Literal["off", "before_offer"]
PlusAddresses = Literal["same", "different"]


class IdentityRules(StoredSettings, frozen=True, kw_only=True):
    """The rules for identifying guests.

    If `verify` is `before_offer`, customers must verify their address before they get an offer
    (docs/decisions/0062).
    """

    field: IdentityField
    verify: Verify = "off"
    verify_minutes: int = 1440
    plus_addresses: PlusAddresses = "same"
    region: str | None = None
    blocked_domains: tuple[str, ...] = ()

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as the API returns them."""
        shown: dict[str, Any] = msgspec.json.decode(self.text)
        return shown

    @property
    def verifies(self) -> bool:
        """Whether customers must verify their addresses."""
        return self.verify == "before_offer"

    def blocks(self, domain: str) -> bool:
        """Return whether addresses with this domain are refused.

        The domain must be in ASCII and lower case.
        """
        return any(f".{domain}".endswith(f".{blocked}") for blocked in self.blocked_domains)


warm_decoders(IdentityRules)
