"""Define the `identity` setting of a waitlist: the profile field that identifies a guest."""

from typing import Any, Literal

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

IdentityField = Literal["email", "phone"]
Verify = Literal["off", "before_offer"]
PlusAddresses = Literal["same", "different"]


class IdentityRules(StoredSettings, frozen=True, kw_only=True):
    """The rules by which a waitlist identifies its guests (docs/decisions/0060).

    If `verify` is `before_offer`, customers get no offer until they have proved that the address is
    theirs. They have `verify_minutes` to do so (docs/decisions/0062). If `verify` is `off`,
    addresses are not verified.

    `region` is the two-letter country code for telephone numbers that do not begin with `+`.
    Signups are refused if the address belongs to a domain in `blocked_domains` or to a subdomain of
    such a domain.
    """

    field: IdentityField
    verify: Verify = "off"
    verify_minutes: int = 1440
    plus_addresses: PlusAddresses = "same"
    region: str | None = None
    blocked_domains: tuple[str, ...] = ()

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as callers see them."""
        shown: dict[str, Any] = msgspec.json.decode(self.text)
        return shown

    @property
    def verifies(self) -> bool:
        """Whether customers must verify their addresses."""
        return self.verify == "before_offer"

    def blocks(self, domain: str) -> bool:
        """Return whether addresses with this domain are refused.

        The domain must be given in ASCII and lower case.
        """
        return any(f".{domain}".endswith(f".{blocked}") for blocked in self.blocked_domains)


warm_decoders(IdentityRules)
