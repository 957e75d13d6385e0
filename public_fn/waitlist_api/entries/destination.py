"""Choose the address that a person's messages are sent to."""

from collections.abc import Collection, Mapping
from typing import Any, Literal

from msgspec import Struct

from waitlist_api.entries.addresses import addresses_for_messages
from waitlist_api.settings.identity import IdentityField
from waitlist_api.settings.messages import CHANNEL_OF, Channel, MessageRules
from waitlist_api.settings.sms import takes_sms
from waitlist_api.settings.waitlist import WaitlistSettings

# The reason why there is no address to which a person's messages can be sent.
Unreached = Literal["no_address", "number_not_allowed"]


class Destination(Struct, frozen=True):
    """An address that messages are sent to, and the profile field that contains it."""

    field: IdentityField
    address: str

    @property
    def channel(self) -> Channel:
        """How messages are sent to this address."""
        return CHANNEL_OF[self.field]


def find_destination(
    profile: Mapping[str, Any],
    settings: WaitlistSettings,
    rules: MessageRules,
    channels: Collection[str],
) -> Destination | Unreached:
    """Return the address that a person's messages are sent to, or the reason why none are sent.

    `rules` are the message settings that apply, and `channels` are the channels that the stack
    supports.
    """
    for field, address in addresses_for_messages(profile, settings):
        if CHANNEL_OF[field] not in channels:
            continue
        if field == "phone" and not takes_sms(address, rules, settings.identity):
            return "number_not_allowed"
        return Destination(field, address)
    return "no_address"
