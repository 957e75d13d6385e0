"""Unsubscribing: the person of a mail ends the messages of a stay, and keeps the place."""

from collections.abc import Callable

from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.records.recipients import Recipients

# The whole body that a mail program sends (RFC 8058).
ONE_CLICK = "List-Unsubscribe=One-Click"


def unsubscribe_path(waitlist_id: str, code: str) -> str:
    """Return the path in a mail's header `List-Unsubscribe`."""
    return f"/v1/waitlists/{waitlist_id}/unsubscribe/{code}"


class Unsubscriptions(Struct, frozen=True):
    """Ends messages by codes. `keys` returns the keys of the codes, which few requests need."""

    keys: Callable[[], EntryTokens]
    recipients: Recipients

    def check(self, waitlist_id: str, code: str) -> None:
        """Raise CodeRefused for a code that the service has not made for this waitlist."""
        self.keys().check_unsubscribe_code(waitlist_id, code)

    def end(self, waitlist_id: str, code: str) -> None:
        """End the messages of the code's stay; no change to another stay. Raises CodeRefused."""
        of = self.keys().check_unsubscribe_code(waitlist_id, code)
        self.recipients.turn_off(waitlist_id, of.entry_id, of.stay or 0)
