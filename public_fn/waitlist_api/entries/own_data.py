"""Let customers change their profile, and turn messages on or off."""

from contextlib import suppress
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis
from waitlist_api.entries.address_change import AddressChanges
from waitlist_api.entries.destination import Destination, find_destination
from waitlist_api.entries.edit import text_of
from waitlist_api.entries.edit_steps import HAS_LEFT, EditSteps
from waitlist_api.entries.guest_data import check_own_data, profile_to_store, visible_names
from waitlist_api.entries.identify import Identities, check_reach
from waitlist_api.entries.own_changes import count_change
from waitlist_api.errors import FieldError, InvalidFields
from waitlist_api.merge_patch import apply_merge_patch
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.decisions import CUSTOMER
from waitlist_api.records.edits import edit
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.ledger import EntryChanged, Ledger
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.identity import IdentityField
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared.errors import NotWaiting
from waitlist_shared.ids import entry_id_of

Messages = Literal["on", "off"]
NO_MESSAGES = "this waitlist sends no messages: leave this field out"


class OwnDataCommand(Struct, frozen=True, kw_only=True):
    """A customer's request to change their own data."""

    waitlist_id: str
    entry_id: str
    stay: int | None
    # A JSON merge patch for the profile.
    patch: dict[str, Any]
    # Whether the customer wants messages, or None to leave their choice unchanged.
    messages: Messages | None = None
    # The channels on which the stack sends messages.
    channels: frozenset[str] = frozenset()


class OwnDataView(Struct, frozen=True):
    """A customer's own data."""

    profile: dict[str, Any]
    # Whether the customer wants messages, or None if the waitlist sends none.
    messages: Messages | None
    # The profile field whose address receives the customer's messages, or None if the customer gets
    # no messages.
    messages_to: IdentityField | None = None
    # True if the customer must verify a new address before it takes effect.
    is_asked: bool = False


class OwnData(Struct, frozen=True):
    """Changes profiles and message choices for customers.

    Customers cannot change attributes, because operators use attributes to filter claims.
    """

    waitlist_cache: WaitlistCache
    steps: EditSteps
    ledger: Ledger
    addresses: AddressChanges
    recipients: Recipients
    now_millis: NowMillis

    def change(self, command: OwnDataCommand, identities: Identities | None = None) -> OwnDataView:
        """Write the changes, and return the data that the customer may see.

        A new address that identifies the customer takes effect only after it has been verified.
        """
        # Read the current settings, because the form may have changed since the settings were
        # cached.
        settings = self.waitlist_cache.look_up(command.waitlist_id).settings
        if command.messages is not None and settings.messages is None:
            raise InvalidFields(FieldError("body.messages", NO_MESSAGES))
        change = _Change(command, settings, identities)
        record = retry_on_conflict(lambda: self._record(change))
        messages = self._switch_messages(command, record)
        shown = visible_names(settings, command.patch)
        return OwnDataView(
            {name: value for name, value in record.profile.items() if name in shown},
            None if settings.messages is None else messages,
            _field_for_messages(record, settings, command.channels),
            is_asked=change.new_address(record) is not None,
        )

    def _switch_messages(self, command: OwnDataCommand, record: EntryRecord) -> Messages:
        """Turn messages on or off if the customer asks. Return whether they are on."""
        now: Messages = "off" if record.contact.messages else "on"
        if command.messages in (None, now):
            return now
        stay = (*record.key, record.ticket or 0)
        if now == "on":
            is_done = self.recipients.turn_off(*stay)
        else:
            is_done = self.recipients.turn_on(*stay, count_change(record, self.now_millis()))
        if not is_done:
            raise NotWaiting(HAS_LEFT)
        return "off" if now == "on" else "on"

    def _record(self, change: "_Change") -> EntryRecord | None:
        """Apply the request's merge patch to the profile, and return the changed record.

        Return None if another request changed the record first.
        """
        command, settings = change.command, change.settings
        key = (command.waitlist_id, command.entry_id)
        record = self.steps.present(key, command.stay)
        if record is None:
            return None
        profile = apply_merge_patch(record.profile, command.patch)
        new = change.new_address(record)
        domain = "" if new is None else new.domain
        check_own_data(settings, record.profile, profile, record.attributes, command.patch, domain)
        try:
            if new is not None:
                record = self.addresses.ask(record, new.entry_id, new.text)
                profile = apply_merge_patch(profile, {new.field: record.profile.get(new.field)})
            elif change.names_address:
                record = self.addresses.withdraw(record)
            profile = profile_to_store(settings, profile)
            if text_of(profile) == text_of(record.profile):
                return record
            until_millis = count_change(record, self.now_millis())
            changes = replace(record.changes, until_millis=until_millis)
            counted = replace(record, changes=changes)
            self.steps.readdress(record, profile)
            event = HistoryEvent(
                stamp=self.steps.mark(record),
                event="edited",
                by=CUSTOMER,
                detail={"changed": ["profile"]},
            )
            now_millis = self.now_millis()
            decided = edit(counted, event, now_millis, profile=profile)
            return self.ledger.commit(record, decided, now_millis)
        except EntryChanged:
            return None


def _field_for_messages(
    record: EntryRecord, settings: WaitlistSettings, channels: frozenset[str]
) -> IdentityField | None:
    """Return the name of the profile field whose address receives the customer's messages, or None
    if the customer gets no messages.
    """
    rules = settings.messages
    if rules is None or record.contact.unreachable:
        return None
    found = find_destination(record.profile, settings, rules, channels)
    return found.field if isinstance(found, Destination) else None


class _NewAddress(Struct, frozen=True):
    """A new address for an entry. `text` is the address as the customer wrote it."""

    field: str
    text: str
    entry_id: str
    domain: str


class _Change(Struct, frozen=True):
    """A customer's request to change their own data, and the settings that apply to it."""

    command: OwnDataCommand
    settings: WaitlistSettings
    identities: Identities | None

    @property
    def names_address(self) -> bool:
        """True if the request contains the profile field that identifies the customer."""
        rules = self.settings.identity
        return (
            self.identities is not None and rules is not None and rules.field in self.command.patch
        )

    def new_address(self, record: EntryRecord) -> _NewAddress | None:
        """Return the requested address if it differs from the recorded one, and otherwise None."""
        rules, waitlist_id = self.settings.identity, self.command.waitlist_id
        if self.identities is None or rules is None or not self.names_address:
            return None
        sent = self.command.patch
        if sent[rules.field] == record.profile.get(rules.field):
            return None
        person = self.identities.identify_by_address(waitlist_id, rules, sent)
        with suppress(InvalidFields):
            if self.identities.identify_by_address(waitlist_id, rules, record.profile) == person:
                return None
        path = f"body.profile.{rules.field}"
        check_reach(self.settings, person, path, "verify", "address")
        entry_id = entry_id_of(waitlist_id, person.customer_id)
        return _NewAddress(rules.field, sent[rules.field], entry_id, person.domain)
