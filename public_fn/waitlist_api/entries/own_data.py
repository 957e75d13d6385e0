"""Own data: customers change fields of their profile, and whether they get messages."""

from typing import Any, Literal

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.addresses import address_of
from waitlist_api.entries.edit_steps import HAS_LEFT, EditSteps
from waitlist_api.entries.guest_data import check_own_data, kept_profile, names_shown
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

Messages = Literal["on", "off"]
NO_MESSAGES = "this waitlist sends no messages: leave it out"
WHO = "this address says who the customer is: leave it out"


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
    """What the customer sees of the profile; `messages` is None on a list that sends none."""

    profile: dict[str, Any]
    messages: Messages | None


class OwnData(Struct, frozen=True):
    """Changes data of customers by themselves. Attributes, by which claims filter, stay."""

    waitlist_cache: WaitlistCache
    steps: EditSteps
    edits: Edits
    recipients: Recipients
    now_millis: NowMillis

    def change(self, command: OwnDataCommand) -> OwnDataView:
        """Write the changes, and return what the customer sees.

        No change of what is so already. Raises InvalidFields for a field that the list does not ask
        for, one that it requires, too much data, another address, and `messages` that it has not.
        """
        # The form of a moment ago may have other fields.
        settings = self.waitlist_cache.look_up(command.waitlist_id).settings
        if command.messages is not None and settings.messages is None:
            raise InvalidFields(FieldError("body.messages", NO_MESSAGES))
        record = retry_on_conflict(lambda: self._recorded(command, settings))
        messages = self._switched(command, record)
        shown = names_shown(settings, command.patch)
        profile = {name: value for name, value in record.profile.items() if name in shown}
        return OwnDataView(profile, None if settings.messages is None else messages)

    def _switched(self, command: OwnDataCommand, record: EntryRecord) -> Messages:
        """Return whether the customer gets messages, after the change that they ask for."""
        now: Messages = "off" if record.messages else "on"
        if command.messages in (None, now):
            return now
        turn = self.recipients.turn_off if now == "on" else self.recipients.turn_on
        if not turn(*record.key, record.ticket or 0):
            raise NotWaiting(HAS_LEFT)
        return "off" if now == "on" else "on"

    def _recorded(self, command: OwnDataCommand, settings: WaitlistSettings) -> EntryRecord | None:
        """Return the record with the patch; None if another request changed it first."""
        key = (command.waitlist_id, command.entry_id)
        record = self.steps.present(key, command.stay)
        if record is None:
            return None
        profile = merged(record.profile, command.patch)
        check_own_data(settings, record.profile, profile, record.attributes, command.patch)
        _check_same_person(settings, record.profile, profile)
        profile = kept_profile(settings, profile)
        if profile == record.profile:
            return record
        event = HistoryEvent(
            stamp=self.steps.mark(record),
            event="edited",
            by=CUSTOMER,
            detail={"changed": ["profile"]},
        )
        try:
            return self.edits.record(key, None, profile, event, self.now_millis(), record)
        except EntryChanged:
            return None


def _check_same_person(
    settings: WaitlistSettings, former: dict[str, Any], profile: dict[str, Any]
) -> None:
    """Raise InvalidFields if the address that says who the customer is would be another one."""
    rules = settings.identity
    if rules is None or former.get(rules.field) == profile.get(rules.field):
        return
    field = f"body.profile.{rules.field}"
    try:
        is_same = address_of(rules, profile.get(rules.field)) == address_of(
            rules, former.get(rules.field)
        )
    except ValueError as refusal:
        raise InvalidFields(FieldError(field, str(refusal))) from None
    if not is_same:
        raise InvalidFields(FieldError(field, WHO))
