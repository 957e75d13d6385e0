"""The patterns of ids, and how they are made."""

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


def entry_id_of(waitlist_id: str, customer_id: str) -> str:
    """Return the id of a customer's entry: opaque, and the same at every signup."""
    digest = hashlib.sha256(f"{waitlist_id}\0{customer_id}".encode()).digest()
    return base64.b32encode(digest)[:26].decode().lower()


def segment_id_of(waitlist_id: str, segment: Mapping[str, str]) -> str:
    """Return the id of a segment, such as language Spanish and gender F, whatever their order.

    JSON separates names from values, so that no two segments have one id.
    """
    canonical = json.dumps([waitlist_id, sorted(segment.items())], separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).digest()
    return base64.b32encode(digest)[:16].decode().lower()


def new_join_id() -> str:
    """Return an id for one stay: a customer who joins again gets another."""
    return secrets.token_hex(4)


def pass_id_of(entry_id: str, ticket: int, admitted_millis: int) -> str:
    """Return the id of the pass of one admission: of an entry, by the stay with a ticket, once.

    It has 130 bits, so that no two admissions share one, and needs no storage of its own.
    """
    digest = hashlib.sha256(f"{entry_id}\0{ticket}\0{admitted_millis}".encode()).digest()
    return base64.b32encode(digest)[:26].decode().lower()


def new_epoch() -> str:
    """Return an id for one epoch of a waitlist's order in Redis."""
    return secrets.token_hex(4)
