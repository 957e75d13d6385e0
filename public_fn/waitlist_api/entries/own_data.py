"""Own data: customers change fields of their profile, and whether they get messages."""

from contextlib import suppress
from typing import Any, Literal

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.address_change import AddressChanges
from waitlist_api.entries.edit import text_of
from waitlist_api.entries.edit_steps import HAS_LEFT, EditSteps
from waitlist_api.entries.guest_data import check_own_data, kept_profile, names_shown
from waitlist_api.entries.identify import Identities, check_reach
from waitlist_api.entries.own_changes import count_change
from waitlist_api.errors import FieldError, InvalidFields
from waitlist_api.merge_patch import merged
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.decisions import CUSTOMER
from waitlist_api.records.edits import Edits
from waitlist_api.records.entries import EntryChanged
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistSettings
from waitlist_shared.errors import NotWaiting
from waitlist_shared.ids import entry_id_of

Messages = Literal["on", "off"]
NO_MESSAGES = "this waitlist sends no messages: leave it out"


class OwnDataCommand(Struct, frozen=True, kw_only=True):
    """A merge patch of a customer's profile, and whether they get messages; None: as it is.

    `stay` is the ticket that an entry token proves.
    """

    waitlist_id: str
    entry_id: str
    stay: int | None
    patch: dict[str, Any]
    messages: Messages | None = None


class OwnDataView(Struct, frozen=True):
    """What the customer sees of the profile; `messages` is None on a list that sends none.

    With `is_asked` a new address is to be verified.
    """

    profile: dict[str, Any]
    messages: Messages | None
    is_asked: bool = False


class OwnData(Struct, frozen=True):
    """Changes data of customers by themselves. Attributes, by which claims filter, stay."""

    waitlist_cache: WaitlistCache
    steps: EditSteps
    edits: Edits
    addresses: AddressChanges
    recipients: Recipients
    now_millis: NowMillis

    def change(self, command: OwnDataCommand, identities: Identities | None = None) -> OwnDataView:
        """Write the changes, and return what the customer sees.

        No change of what is so already. A new address stays out of the profile until it is
        verified; without `identities` customers have accounts, and any address is as good. Raises
        InvalidFields for a field that the list does not ask for, one that it requires, too much
        data, and `messages` that it has not; TooManyChanges, also for new addresses.
        """
        # The form of a moment ago may have other fields.
        settings = self.waitlist_cache.look_up(command.waitlist_id).settings
        if command.messages is not None and settings.messages is None:
            raise InvalidFields(FieldError("body.messages", NO_MESSAGES))
        change = _Change(command, settings, identities)
        record = retry_on_conflict(lambda: self._recorded(change))
        messages = self._switched(command, record)
        shown = names_shown(settings, command.patch)
        return OwnDataView(
            {name: value for name, value in record.profile.items() if name in shown},
            None if settings.messages is None else messages,
            is_asked=change.new_address(record) is not None,
        )

    def _switched(self, command: OwnDataCommand, record: EntryRecord) -> Messages:
        """Return whether the customer gets messages, after the change that they ask for."""
        now: Messages = "off" if record.messages else "on"
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

    def _recorded(self, change: "_Change") -> EntryRecord | None:
        """Return the record with the patch; None if another request changed it first."""
        command, settings = change.command, change.settings
        key = (command.waitlist_id, command.entry_id)
        record = self.steps.present(key, command.stay)
        if record is None:
            return None
        profile = merged(record.profile, command.patch)
        new = change.new_address(record)
        domain = "" if new is None else new.domain
        check_own_data(settings, record.profile, profile, record.attributes, command.patch, domain)
        try:
            if new is not None:
                record = self.addresses.ask(record, new.entry_id, new.text)
                profile = merged(profile, {new.field: record.profile.get(new.field)})
            elif change.names_address:
                record = self.addresses.withdraw(record)
            profile = kept_profile(settings, profile)
            if text_of(profile) == text_of(record.profile):
                return record
            until_millis = count_change(record, self.now_millis())
            self.steps.readdress(record, profile)
            event = HistoryEvent(
                stamp=self.steps.mark(record),
                event="edited",
                by=CUSTOMER,
                detail={"changed": ["profile"]},
            )
            return self.edits.record(
                key, None, profile, event, self.now_millis(), record, until_millis
            )
        except EntryChanged:
            return None


class _NewAddress(Struct, frozen=True):
    """An address as its customer spells it, in a field of the profile."""

    field: str
    text: str
    entry_id: str
    domain: str


class _Change(Struct, frozen=True):
    """A request, and the list's rules."""

    command: OwnDataCommand
    settings: WaitlistSettings
    identities: Identities | None

    @property
    def names_address(self) -> bool:
        """Whether the request has the address by which the list knows the customer."""
        rules = self.settings.identity
        return (
            self.identities is not None and rules is not None and rules.field in self.command.patch
        )

    def new_address(self, record: EntryRecord) -> _NewAddress | None:
        """Return the address of the request, if it is another one; raise InvalidFields."""
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
