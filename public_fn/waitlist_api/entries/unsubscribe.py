"""Turn off the messages of a stay when its customer unsubscribes. The entry keeps its place."""

from collections.abc import Callable

from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.records.recipients import Recipients

# The complete request body of a one-click unsubscription, as mail programs send it (RFC 8058).
ONE_CLICK = "List-Unsubscribe=One-Click"


def unsubscribe_path(waitlist_id: str, code: str) -> str:
    """Return the path of the URL in the `List-Unsubscribe` header of a mail."""
    return f"/v1/waitlists/{waitlist_id}/unsubscribe/{code}"


class Unsubscriptions(Struct, frozen=True):
    """Turns off messages by unsubscribe codes.

    `keys` loads the keys that sign the codes. It is a function because few requests need the keys.
    """

    keys: Callable[[], EntryTokens]
    recipients: Recipients

    def check(self, waitlist_id: str, code: str) -> None:
        """Raise CodeRefused if the service has not issued this code for this waitlist."""
        self.keys().check_unsubscribe_code(waitlist_id, code)

    def end(self, waitlist_id: str, code: str) -> None:
        """Turn off the messages of the stay that the code names. Other stays are unaffected.

        CodeRefused is raised if the code is not valid for this waitlist.
        """
        claims = self.keys().check_unsubscribe_code(waitlist_id, code)
        self.recipients.turn_off(waitlist_id, claims.entry_id, claims.stay or 0)
