"""Turn off messages when a customer unsubscribes. The entry keeps its place in the queue."""

from collections.abc import Callable

from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.records.recipients import Recipients

# The request body that email clients send for a one-click unsubscribe (RFC 8058).
ONE_CLICK = "List-Unsubscribe=One-Click"


def unsubscribe_path(waitlist_id: str, code: str) -> str:
    """Return the path of the URL in the `List-Unsubscribe` header of an email."""
    return f"/v1/waitlists/{waitlist_id}/unsubscribe/{code}"


class Unsubscriptions(Struct, frozen=True):
    """Turns off messages when customers follow an unsubscribe link."""

    keys: Callable[[], EntryTokens]
    recipients: Recipients

    def check(self, waitlist_id: str, code: str) -> None:
        """Raise CodeRefused if the code does not belong to this waitlist."""
        self.keys().check_unsubscribe_code(waitlist_id, code)

    def end(self, waitlist_id: str, code: str) -> None:
        """Turn off messages for the signup that the unsubscribe code names.

        If the same customer signs up again later, they receive messages again.
        """
        claims = self.keys().check_unsubscribe_code(waitlist_id, code)
        self.recipients.turn_off(waitlist_id, claims.entry_id, claims.stay or 0)
