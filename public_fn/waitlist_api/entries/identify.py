"""Identify guests by the `customer_id` that they send, or by their email address or telephone
number.
"""

import base64
import hmac
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.entries.addresses import UNREACHABLE, Address, normalise_address
from waitlist_api.errors import FieldError, InvalidFields
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.identity import IdentityRules
from waitlist_api.settings.sms import sms_countries, takes_sms
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared.ids import entry_id_of

CUSTOMER_ID = "body.customer_id"
NO_IDENTITY = "this waitlist has no identity setting: find people by their customer id"
NO_SMS = (
    "this waitlist has to send an SMS to this number, but it sends SMS only to {types} numbers in "
    "these countries: {countries}"
)
NO_CUSTOMER_ID = "leave customer_id out: this waitlist identifies customers by profile.{field}"


class Person(Struct, frozen=True):
    """A guest, and the address that identifies them."""

    # The customer id, which is either a digest of the address or the id that the guest sent.
    customer_id: str
    domain: str = ""
    # The telephone number in E.164 format.
    number: str = ""
    # How many minutes the guest has to verify the address, or 0 if it does not have to be verified.
    verify_minutes: int = 0
    takes_messages: bool = True


class Identities(Struct, frozen=True):
    """Identifies guests by the customer id that they send, or by a keyed digest of their
    address.
    """

    tokens: EntryTokens
    waitlist_cache: WaitlistCache

    def identify(
        self, waitlist_id: str, customer_id: str | None, profile: dict[str, Any]
    ) -> Person:
        """Return the person who signs up.

        Raise InvalidFields if the address is invalid or cannot be verified.
        """
        try:
            waitlist = self.waitlist_cache.find(waitlist_id)
            return self._guest(waitlist, customer_id, profile)
        except InvalidFields:
            # The data may seem invalid only because the cached settings are outdated. Read the
            # current settings and try again.
            waitlist = self.waitlist_cache.look_up(waitlist_id)
            return self._guest(waitlist, customer_id, profile)

    def profile_identifier(self, waitlist_id: str) -> Callable[[dict[str, Any]], str]:
        """Return a function that computes the customer id from the address in a profile."""
        rules = self.waitlist_cache.look_up(waitlist_id).settings.identity
        return lambda profile: self._person(waitlist_id, rules, None, profile).customer_id

    def find_customer_id(self, waitlist_id: str, profile: dict[str, Any]) -> str | None:
        """Return the customer id for the address in a profile, or None if the profile has no valid
        address.
        """
        rules = self.waitlist_cache.find(waitlist_id).settings.identity
        if rules is None:
            return None
        with suppress(InvalidFields):
            return self._person(waitlist_id, rules, None, profile).customer_id
        return None

    def identify_by_address(
        self, waitlist_id: str, rules: IdentityRules, profile: dict[str, Any]
    ) -> Person:
        """Return the person whose address is in the profile.

        Raise InvalidFields if the profile has no valid address.
        """
        return self._person(waitlist_id, rules, None, profile)

    def find_entry_id(self, waitlist_id: str, sent: dict[str, Any]) -> str:
        """Return the entry id for an address, whether or not the entry exists."""
        rules = self.waitlist_cache.look_up(waitlist_id).settings.identity
        if rules is None:
            raise InvalidFields(FieldError(f"body.{next(iter(sent), 'email')}", NO_IDENTITY))
        field = f"body.{rules.field}"
        if sent.keys() != {rules.field}:
            raise InvalidFields(FieldError(field, f"send only the field {rules.field}"))
        address = _address(rules, sent[rules.field], field)
        return entry_id_of(waitlist_id, self._digest(waitlist_id, rules, address))

    def _guest(
        self, waitlist: WaitlistRecord, customer_id: str | None, profile: dict[str, Any]
    ) -> Person:
        rules = waitlist.settings.identity
        person = self._person(waitlist.waitlist_id, rules, customer_id, profile)
        if rules is not None and person.verify_minutes:
            check_reach(waitlist.settings, person, f"body.profile.{rules.field}", "verify")
        return person

    def _person(
        self,
        waitlist_id: str,
        rules: IdentityRules | None,
        customer_id: str | None,
        profile: dict[str, Any],
    ) -> Person:
        if rules is None:
            if customer_id is None:
                raise InvalidFields(FieldError(CUSTOMER_ID, "is required"))
            return Person(customer_id)
        if customer_id is not None:
            raise InvalidFields(FieldError(CUSTOMER_ID, NO_CUSTOMER_ID.format(field=rules.field)))
        address = _address(rules, profile.get(rules.field), f"body.profile.{rules.field}")
        minutes = rules.verify_minutes if rules.verifies else 0
        digest = self._digest(waitlist_id, rules, address)
        number = address.text if rules.field == "phone" else ""
        return Person(digest, address.domain, number, minutes, address.takes_messages)

    def _digest(self, waitlist_id: str, rules: IdentityRules, address: Address) -> str:
        key = self.tokens.identity_key(waitlist_id)
        mac = hmac.digest(key, f"{rules.field}\0{address.text}".encode(), "sha256")
        return f"{rules.field}-{base64.b32encode(mac).decode().lower()[:32]}"


def check_reach(settings: WaitlistSettings, person: Person, field: str, *kinds: str) -> None:
    """Raise InvalidFields if the waitlist cannot send messages to the person.

    `field` is the request field that the error names.
    """
    if not person.takes_messages:
        raise InvalidFields(FieldError(field, UNREACHABLE))
    rules = settings.messages
    if not person.number or rules is None or not {*kinds} & {*rules.kinds}:
        return
    if not takes_sms(person.number, rules, settings.identity):
        countries = ", ".join(sms_countries(rules, settings.identity)) or "none yet"
        types = " or ".join(rules.sms_number_types).replace("_", " ")
        raise InvalidFields(FieldError(field, NO_SMS.format(types=types, countries=countries)))


def _address(rules: IdentityRules, value: Any, field: str) -> Address:
    """Parse the address in a request field. Raise InvalidFields if the address is invalid."""
    try:
        return normalise_address(rules, value)
    except ValueError as refusal:
        raise InvalidFields(FieldError(field, str(refusal))) from None
