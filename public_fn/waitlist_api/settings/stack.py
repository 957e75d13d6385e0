"""The features of a stack that its waitlists' settings depend on."""

from msgspec import Struct

from waitlist_api.settings.identity import IdentityField
from waitlist_api.settings.messages import CHANNEL_OF
from waitlist_api.settings.waitlist import WaitlistSettings

# The kinds of messages that the service also sends if `messages.kinds` contains `verify`.
SENT_WITH_VERIFY = ("link", "address")
# The kinds of messages that tell customers that it is their turn.
TURN_KINDS = ("offered", "called")


class Stack(Struct, frozen=True, kw_only=True):
    """The features that the stack's parameters make available to its waitlists.

    `channels` contains `mail` if MailFrom is set, and `sms` if SmsFrom is set.
    """

    has_accounts: bool = False
    channels: frozenset[str] = frozenset()
    checks_bots: bool = False

    def sends_anything(self, settings: WaitlistSettings) -> bool:
        """Return whether a waitlist's customers get any messages."""
        kinds = () if settings.messages is None else settings.messages.kinds
        return any(self.sends(settings, kind) for kind in kinds)

    def sends(self, settings: WaitlistSettings, kind: str) -> bool:
        """Return whether a waitlist's customers get messages of this kind."""
        kinds = () if settings.messages is None else settings.messages.kinds
        is_chosen = kind in kinds or (kind in SENT_WITH_VERIFY and "verify" in kinds)
        return is_chosen and self.reaches(settings)

    def fields_told_of_turn(self, settings: WaitlistSettings) -> list[IdentityField]:
        """Return the names of the profile fields whose addresses get messages about the customer's
        turn.
        """
        if not any(self.sends(settings, kind) for kind in TURN_KINDS):
            return []
        field = settings.identity and settings.identity.field
        fields = (field,) if field else CHANNEL_OF
        return [name for name in fields if CHANNEL_OF[name] in self.channels]

    def reaches(self, settings: WaitlistSettings) -> bool:
        """Return whether the stack can send messages to this waitlist's addresses."""
        if settings.identity is None:
            return bool(self.channels)
        return CHANNEL_OF[settings.identity.field] in self.channels
