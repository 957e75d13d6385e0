"""The `identity` setting of a list: the field of the profile that says who a guest is."""

from typing import Any, Literal

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

IdentityField = Literal["email", "phone"]
Verify = Literal["off", "before_offer"]
PlusAddresses = Literal["same", "different"]


class IdentityRules(StoredSettings, frozen=True, kw_only=True):
    """How a list tells people apart (decision 60).

    With `verify` "before_offer" no entry is taken before its person has proved, within
    `verify_minutes`, to have the address (decision 62); "off" checks nothing.

    `region` is the country, by its two letters, of numbers that do not begin with `+`. Signups with
    an address of the `blocked_domains`, or below them, are refused.
    """

    field: IdentityField
    verify: Verify = "off"
    verify_minutes: int = 1440
    plus_addresses: PlusAddresses = "same"
    region: str | None = None
    blocked_domains: tuple[str, ...] = ()

    @property
    def fields(self) -> dict[str, Any]:
        """The rules as callers see them."""
        shown: dict[str, Any] = msgspec.json.decode(self.text)
        return shown

    @property
    def verifies(self) -> bool:
        """Return whether signups are to be verified."""
        return self.verify == "before_offer"

    def blocks(self, domain: str) -> bool:
        """Return whether addresses of a domain, in ASCII and lower case, are refused."""
        return any(f".{domain}".endswith(f".{one}") for one in self.blocked_domains)


warm_decoders(IdentityRules)
