"""Entry ids are made of the customer's, so that no address ever holds a customer's id."""

import base64
import hashlib
import re

from waitlist_cli.errors import WrongUsage

ENTRY_ID = re.compile(r"[a-z2-7]{26}")
WAITLIST_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def entry_id_of(waitlist_id: str, customer_id: str) -> str:
    """Return the id that the service gives a customer's entry in a waitlist."""
    digest = hashlib.sha256(f"{waitlist_id}\0{customer_id}".encode()).digest()
    return base64.b32encode(digest)[:26].decode().lower()


def checked_waitlist_id(text: str) -> str:
    """Return a waitlist's id; raises WrongUsage for what cannot be one."""
    if not WAITLIST_ID.fullmatch(text):
        raise WrongUsage(
            f"{text!r} is no waitlist id: up to 63 lower-case letters, digits and hyphens."
        )
    return text


def chosen_entry_id(waitlist_id: str, entry: str | None, customer: str | None) -> str:
    """Return the id of the entry that was named, by itself or by its customer."""
    if (entry is None) == (customer is None):
        raise WrongUsage("Name one person: an entry id, or --customer ID.")
    if customer is not None:
        try:
            return entry_id_of(waitlist_id, customer)
        except UnicodeEncodeError as error:
            raise WrongUsage(f"--customer {customer!r} is no text in UTF-8.") from error
    if not ENTRY_ID.fullmatch(entry or ""):
        raise WrongUsage(
            f"{entry!r} is no entry id (26 of a-z and 2-7). For a customer's id: --customer {entry}"
        )
    return entry or ""
