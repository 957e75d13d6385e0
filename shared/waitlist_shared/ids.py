"""The patterns of all ids, and the functions that create them."""

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping

WAITLIST_ID = r"[a-z0-9][a-z0-9-]{0,62}"
ENTRY_ID = r"[a-z2-7]{26}"
JOIN_ID = r"[0-9a-f]{8}"
SEGMENT_ID = r"[a-z2-7]{16}"
CUSTOMER_ID = r"[!-~]{1,256}"
INVITATION_ID = r"[0-9a-f]{16}"
# The token of an offer that belongs to an invitation begins with this mark. Other tokens are
# random, so they almost never begin with it (docs/decisions/0087-an-offer-knows-its-invitation.md).
INVITATION_MARK = "1417a7ed"


def entry_id_of(waitlist_id: str, customer_id: str) -> str:
    """Return the id of a customer's entry on a waitlist.

    The id is a digest of the waitlist's id and the customer's id, so all of a customer's signups on
    the waitlist get the same entry id.
    """
    digest = hashlib.sha256(f"{waitlist_id}\0{customer_id}".encode()).digest()
    return base64.b32encode(digest)[:26].decode().lower()


def segment_id_of(waitlist_id: str, segment: Mapping[str, str]) -> str:
    """Return the id of a segment, which is a set of attribute values such as `language: es`."""
    # JSON puts quotes around names and values, so two different segments never have the same text.
    canonical = json.dumps([waitlist_id, sorted(segment.items())], separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).digest()
    return base64.b32encode(digest)[:16].decode().lower()


def new_join_id() -> str:
    """Return a random id for a new signup."""
    return secrets.token_hex(4)


def pass_id_of(entry_id: str, ticket: int, admitted_millis: int) -> str:
    """Return the id of an admitted customer's pass.

    The id is a digest of the arguments, so the service can recompute it and does not store it.
    """
    digest = hashlib.sha256(f"{entry_id}\0{ticket}\0{admitted_millis}".encode()).digest()
    return base64.b32encode(digest)[:26].decode().lower()


def new_epoch() -> str:
    """Return a random id for a queue that is created or rebuilt in Redis."""
    return secrets.token_hex(4)


def new_invitation_id(now_millis: int) -> str:
    """Return an id for a new invitation.

    Ids sort in the order in which their invitations were created.
    """
    return f"{now_millis:011x}{secrets.token_hex(3)[:5]}"


def token_of_invitation(invitation_id: str, token: str) -> str:
    """Return the token of an offer that belongs to an invitation.

    The token consists of INVITATION_MARK, the invitation's id, and the end of the random `token`.
    """
    start = f"{INVITATION_MARK}{invitation_id}"
    return start + token[len(start) :]


def invitation_of(token: str) -> str:
    """Return the id of an offer's invitation, or an empty string if the offer belongs to no
    invitation.
    """
    if not token.startswith(INVITATION_MARK):
        return ""
    return token[len(INVITATION_MARK) :][:16]
