"""Derives entry ids from customer ids, so that no URL contains a customer id.

Also suggests the ids of new waitlists.
"""

import base64
import hashlib
import re

from anyascii import anyascii

from waitlist_cli.errors import WrongUsage

ENTRY_ID = re.compile(r"[a-z2-7]{26}")
WAITLIST_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
LONGEST_WAITLIST_ID = 63


def entry_id_of(waitlist_id: str, customer_id: str) -> str:
    """Return a customer's entry id on a waitlist. The service computes the same id."""
    digest = hashlib.sha256(f"{waitlist_id}\0{customer_id}".encode()).digest()
    return base64.b32encode(digest)[:26].decode().lower()


def checked_waitlist_id(text: str) -> str:
    """Return the waitlist id. Raises WrongUsage if the id is not valid."""
    if not WAITLIST_ID.fullmatch(text):
        raise WrongUsage(
            f"{text!r} is not a waitlist id. Use up to 63 lower-case letters, digits and hyphens."
        )
    return text


def suggest_waitlist_id(name: str) -> str:
    """Suggest a waitlist id for a name. For example, "Praxis Dr. Weiß" becomes "praxis-dr-weiss".

    Return "" if the name has no letters or digits.
    """
    words = re.findall("[a-z0-9]+", anyascii(name).lower())
    return "-".join(words)[:LONGEST_WAITLIST_ID].strip("-")


def chosen_entry_id(waitlist_id: str, entry: str | None, customer: str | None) -> str:
    """Return the entry id that the operator gave, or derive it from a customer id.

    Raises WrongUsage unless the operator gave exactly one valid id.
    """
    if (entry is None) == (customer is None):
        raise WrongUsage("Name one person, either by their entry id or with --customer ID.")
    if customer is not None:
        try:
            return entry_id_of(waitlist_id, customer)
        except UnicodeEncodeError as error:
            raise WrongUsage(f"--customer {customer!r} cannot be encoded as UTF-8.") from error
    if not ENTRY_ID.fullmatch(entry or ""):
        raise WrongUsage(
            f"{entry!r} is not an entry id, which has 26 characters of a-z and 2-7. If it is a "
            f"customer id, use --customer {entry}"
        )
    return entry or ""
