"""The `identity` setting of a list: the field of the profile that says who a guest is."""

from typing import Any, Literal, Self

import msgspec

from waitlist_shared.decoding import warm_decoders

IdentityField = Literal["email", "phone"]
Verify = Literal["off"]
PlusAddresses = Literal["same", "different"]


class IdentityRules(msgspec.Struct, frozen=True, kw_only=True):
    """How a list tells people apart (decision 60).

    `region` is the country, by its two letters, of numbers that do not begin with `+`. Signups with
    an address of the `blocked_domains`, or below them, are refused.
    """

    field: IdentityField
    verify: Verify = "off"
    plus_addresses: PlusAddresses = "same"
    region: str | None = None
    blocked_domains: tuple[str, ...] = ()

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read what `text` returned."""
        return msgspec.json.decode(text, type=cls)

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Return the rules of validated fields of a request body."""
        return msgspec.convert(fields, cls)

    @property
    def text(self) -> str:
        """JSON for the record; equal rules have equal texts."""
        return msgspec.json.encode(self).decode()

    @property
    def fields(self) -> dict[str, Any]:
        """The rules as callers see them."""
        shown: dict[str, Any] = msgspec.json.decode(self.text)
        return shown

    def blocks(self, domain: str) -> bool:
        """Return whether addresses of a domain, in ASCII and lower case, are refused."""
        return any(f".{domain}".endswith(f".{one}") for one in self.blocked_domains)


warm_decoders(IdentityRules)
