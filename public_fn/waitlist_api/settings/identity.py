"""Define the `identity` setting, which names the profile field that identifies a guest."""

from typing import Annotated, Literal

from waitlist_api.settings.declared import DISTINCT, Setting, Settings
from waitlist_api.settings.texts import Country

IdentityField = Literal["email", "phone"]
Verify = Literal["off", "before_offer"]
PlusAddresses = Literal["same", "different"]
DOMAIN = r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]"


class IdentityRules(Settings, frozen=True, kw_only=True):
    """The profile field that identifies a guest.

    Customers with accounts are always identified by the `sub` claim in their token.
    """

    field: Annotated[
        IdentityField,
        Setting(
            "The kind of address that identifies a guest. A signup must contain this field in its "
            "`profile`. It must not contain a `customer_id`, because the service computes the "
            "`customer_id` from the address. Different spellings of the same address produce the "
            "same `customer_id`.",
            label="A guest is identified by",
            choices={
                "off": "A customer id, which your app chooses or the page creates for each browser",
                "email": "The email address",
                "phone": "The telephone number",
            },
        ),
    ]
    # docs/decisions/0062 explains `before_offer`.
    verify: Annotated[
        Verify,
        Setting(
            "Whether guests must verify their address. With `before_offer`, each signup returns "
            "status `202`, and a link is sent to the address. The entry is not ready until the "
            "customer opens the link. With `off`, a second signup with the same address is refused "
            "with the `already_on_list` error, so anyone can find out whether an address is on the "
            "list.",
            label="Guests must verify their address",
            choices={"off": "No", "before_offer": "Yes, before they can be offered a place"},
        ),
    ] = "off"
    verify_minutes: Annotated[
        int,
        Setting(
            "How long a guest has to verify the address, in minutes. After that, the entry leaves "
            "the waitlist.",
            label="Minutes to verify the address",
            ge=1,
            le=30 * 24 * 60,
        ),
    ] = 1440
    plus_addresses: Annotated[
        PlusAddresses,
        Setting(
            "Whether addresses such as `ada+news@example.com` and `ada@example.com` belong to the "
            "same person. With `same`, the service treats them as one address, and ignores dots in "
            "Gmail addresses. With `different`, each address belongs to a different person.",
            label="ada+news@example.com is",
            choices={
                "same": "The same person as ada@example.com",
                "different": "A different person",
            },
        ),
    ] = "same"
    region: Annotated[
        Country | None,
        Setting(
            "The default country for telephone numbers, as a two-letter code (ISO 3166).",
            null="that each number must start with `+` and a country code",
            label="Country of numbers without a + sign",
            examples=["DE"],
        ),
    ] = None
    blocked_domains: Annotated[
        tuple[Annotated[str, Setting(pattern=f"^{DOMAIN}$", max_length=253)], ...],
        Setting(
            "Nobody can sign up with an email address in these domains. Subdomains are blocked "
            "too. Write the domains in lower-case ASCII.",
            label="Refused email domains",
            max_length=200,
            schema=DISTINCT,
            examples=[["mailinator.com"]],
        ),
    ] = ()

    @property
    def verifies(self) -> bool:
        """Whether customers must verify their addresses."""
        return self.verify == "before_offer"

    def blocks(self, domain: str) -> bool:
        """Return whether addresses in this domain are refused.

        The domain must be in lower-case ASCII.
        """
        return any(f".{domain}".endswith(f".{blocked}") for blocked in self.blocked_domains)
