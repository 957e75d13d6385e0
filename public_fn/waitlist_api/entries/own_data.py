"""Own data: customers change the fields of their profile that the form asks for."""

from typing import Any

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.addresses import address_of
from waitlist_api.entries.edit_steps import EditSteps
from waitlist_api.entries.guest_data import check_own_data, kept_profile, names_shown
from waitlist_api.errors import FieldError, InvalidFields
from waitlist_api.merge_patch import merged
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.decisions import CUSTOMER
from waitlist_api.records.edits import Edits
from waitlist_api.records.entries import EntryChanged
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistSettings

WHO = "this address says who the customer is: leave it out"


class OwnDataCommand(Struct, frozen=True, kw_only=True):
    """A merge patch of a customer's profile; `stay` is the ticket that an entry token proves."""

    waitlist_id: str
    entry_id: str
    stay: int | None
    patch: dict[str, Any]


class OwnData(Struct, frozen=True):
    """Changes profiles by their customers. Attributes, by which claims filter, stay."""

    waitlist_cache: WaitlistCache
    steps: EditSteps
    edits: Edits
    now_millis: NowMillis

    def change(self, command: OwnDataCommand) -> dict[str, Any]:
        """Write the patch, and return what the customer sees of the profile.

        No change if the profile is so already. Raises InvalidFields for a field that the list does
        not ask for, one that it requires, too much data, and for another address.
        """
        # The form of a moment ago may have other fields.
        settings = self.waitlist_cache.look_up(command.waitlist_id).settings
        record = retry_on_conflict(lambda: self._recorded(command, settings))
        shown = names_shown(settings, command.patch)
        return {name: value for name, value in record.profile.items() if name in shown}

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
