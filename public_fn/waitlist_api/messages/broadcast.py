"""Sends an operator's message to some or all people on a waitlist.

A `messaged` event is added to each recipient's history, and this event triggers the message.
Maintenance continues a broadcast that was interrupted
(docs/decisions/0090-a-message-to-some-or-all.md).
"""

import hashlib
import json
import logging
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from waitlist_api.clock import IsTimeUp, NowMillis
from waitlist_api.entries.archive import Archive
from waitlist_api.entries.destination import Destination, find_destination
from waitlist_api.entries.queries import EntryQueries
from waitlist_api.errors import FieldError, InvalidFields, NoMessages
from waitlist_api.parallel import run_all
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.broadcasts import (
    Broadcast,
    BroadcastRecords,
    BroadcastStatus,
    messaged,
)
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.ledger import Commit, EntryChanged, Ledger
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.messages import OwnText
from waitlist_api.settings.stack import Stack
from waitlist_api.settings.texts import Language
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError
from waitlist_shared.limits import MAX_PAGE

logger = logging.getLogger(__name__)
# The longest time that an operator's request spends sending the broadcast. Maintenance then sends
# it to the remaining people.
REQUEST_MILLIS = 8_000
EVERYBODY: tuple[BroadcastStatus, ...] = ("waiting", "offered", "parked")
NO_MESSAGES = "the waitlist sends no messages, so set its `messages` setting first"


class BroadcastCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to write to several people."""

    waitlist_id: str
    by: str
    text: Mapping[Language, OwnText]
    entries: tuple[str, ...] = ()
    status: BroadcastStatus | None = None
    filter: Mapping[str, str] = {}
    idempotency_key: str = ""

    @property
    def body(self) -> str:
        """A digest of the operator's request. A repeated request has the same digest."""
        asked = to_builtins(replace(self, by="", idempotency_key=""))
        return _digest(json.dumps(asked, sort_keys=True))


class Broadcasts(Struct, frozen=True):
    """Sends messages to several people, and counts how many people a message would reach."""

    # The longest time that a maintenance run spends sending broadcasts that requests have left
    # incomplete.
    MAINTENANCE_MILLIS: ClassVar[int] = 10_000

    records: BroadcastRecords
    queries: EntryQueries
    archive: Archive
    entries: EntryRecords
    ledger: Ledger
    recovering_queue: RecoveringQueue
    waitlist_cache: WaitlistCache
    stack: Stack
    now_millis: NowMillis

    def send(self, command: BroadcastCommand) -> Broadcast:
        """Store a broadcast, and send it to the first recipients.

        If the request is repeated, nothing is sent again.
        """
        is_time_up = self._deadline()
        key = _digest(f"{command.by}\0{command.idempotency_key or secrets.token_hex(16)}")
        broadcast = self.records.find_by_key(command.waitlist_id, key, command.body)
        if broadcast is None:
            broadcast = self.records.create(self._begun(command), key, command.body)
        try:
            return self.run(broadcast, is_time_up)
        except WaitlistError as error:
            # The broadcast is already stored, so maintenance continues it.
            logger.warning("a broadcast was interrupted: %s", error.code)
            return self.records.find(broadcast.waitlist_id, broadcast.work_id) or broadcast

    def count(self, command: BroadcastCommand) -> Broadcast:
        """Return how many people a broadcast would reach, without sending or storing it.

        If time runs out before everybody is counted, the returned broadcast is still `running`.
        """
        is_time_up, broadcast = self._deadline(), self._begun(command)
        while broadcast.running and not is_time_up():
            broadcast, _ = self._read_page(broadcast)
        return broadcast

    def run(self, broadcast: Broadcast, is_time_up: IsTimeUp) -> Broadcast:
        """Send the broadcast to the remaining people, until the time is up.

        To send it to a person, add an event to the person's history. The event triggers the
        message.
        """
        while broadcast.running:
            after, recipients = self._read_page(broadcast)
            run_all(partial(self._write, broadcast), recipients)
            advanced = self.records.advance(broadcast, after)
            if advanced is None:
                # Another run has already stored the progress of this page, and continues with the
                # next page.
                return self.records.find(broadcast.waitlist_id, broadcast.work_id) or broadcast
            broadcast = advanced
            if is_time_up():
                break
        return broadcast

    def _deadline(self) -> IsTimeUp:
        began_millis = self.now_millis()
        return lambda: self.now_millis() - began_millis >= REQUEST_MILLIS

    def _begun(self, command: BroadcastCommand) -> Broadcast:
        """Return a new broadcast. Raise an error if the waitlist cannot send it."""
        settings = self.waitlist_cache.look_up(command.waitlist_id).settings
        if settings.messages is None:
            raise InvalidFields(FieldError("body.text", NO_MESSAGES))
        if not self.stack.reaches(settings):
            raise NoMessages
        drawn: c.DrawStampResult = self.recovering_queue.write(
            c.DrawStamp(waitlist_id=command.waitlist_id)
        )
        statuses = EVERYBODY if command.status is None else (command.status,)
        return Broadcast(
            waitlist_id=command.waitlist_id,
            stamp=drawn.stamp,
            created_millis=self.now_millis(),
            by=command.by,
            text=command.text,
            entries=command.entries,
            statuses=() if command.entries else statuses,
            filter=command.filter,
        )

    def _read_page(self, broadcast: Broadcast) -> tuple[Broadcast, list[EntryRecord]]:
        """Read the next page of people.

        Return the broadcast with its new progress, and the recipients on the page.
        """
        found, cursor = self._people(broadcast)
        step = broadcast.step + (cursor is None)
        settings = self.waitlist_cache.find(broadcast.waitlist_id).settings
        reached, skipped = Counter(broadcast.reached), Counter(broadcast.skipped)
        recipients = []
        for record in found:
            channel, reason = self._choose_channel(record, settings)
            if channel:
                recipients.append(record)
                reached[channel] += 1
            else:
                skipped[reason] += 1
        after = replace(
            broadcast,
            step=step,
            cursor=cursor,
            reached=dict(reached),
            skipped=dict(skipped),
            running=step < len(broadcast.statuses),
        )
        return after, recipients

    def _people(self, broadcast: Broadcast) -> tuple[list[EntryRecord], str | None]:
        """Return the people on the next page, and the cursor of the page after it."""
        waitlist_id, cursor = broadcast.waitlist_id, broadcast.cursor
        if broadcast.entries:
            named = self.entries.get_many(waitlist_id, broadcast.entries)
            return [one for one in named.values() if self._is_meant(broadcast, one)], None
        match broadcast.statuses[broadcast.step]:
            case "waiting":
                people, following = self.queries.page(waitlist_id, cursor, MAX_PAGE)
            case "offered":
                people, following = self.queries.list_off_queue(
                    waitlist_id, "held", cursor, MAX_PAGE
                )
            case "parked":
                people, following = self.queries.list_off_queue(
                    waitlist_id, "parked", cursor, MAX_PAGE
                )
            case "inside":
                people, following = self.archive.page(waitlist_id, "inside", None, cursor, MAX_PAGE)
        records = [one.record for one in people if one.record is not None]
        return [one for one in records if self._is_meant(broadcast, one)], following

    def _choose_channel(self, record: EntryRecord, settings: WaitlistSettings) -> tuple[str, str]:
        """Return the channel (email or SMS) that can reach this person.

        If there is none, return an empty string and the reason.
        """
        rules = settings.messages
        if rules is None or record.contact.messages:
            return "", "turned_off"
        if record.contact.unreachable:
            return "", "unreachable"
        if record.verification.until_millis is not None:
            return "", "unverified"
        found = find_destination(record.profile, settings, rules, self.stack.channels)
        return (found.channel, "") if isinstance(found, Destination) else ("", found)

    def _is_meant(self, broadcast: Broadcast, record: EntryRecord) -> bool:
        """Return whether this person should get the broadcast.

        People do not get it if they joined after it began, if they have left, or if their data is
        being erased.
        """
        is_there = record.status in PRESENT or record.inside_until(self.now_millis()) > 0
        is_earlier = (record.ticket or 0) < broadcast.stamp
        return is_there and is_earlier and not record.intent.erase and _matches(broadcast, record)

    def _write(self, broadcast: Broadcast, record: EntryRecord) -> None:
        """Write the event that triggers the message, unless the person has left in the meantime."""

        def decide(found: EntryRecord | None) -> Commit | None:
            if found is None or not self._is_meant(broadcast, found):
                return None
            return messaged(found, broadcast)

        try:
            self.ledger.decide(record, decide, self.now_millis())
        except EntryChanged:
            return


def _matches(broadcast: Broadcast, record: EntryRecord) -> bool:
    return all(
        value in _values(record.attributes.get(name)) for name, value in broadcast.filter.items()
    )


def _values(value: str | list[str] | None) -> Sequence[str]:
    if value is None:
        return ()
    return [value] if isinstance(value, str) else value


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
