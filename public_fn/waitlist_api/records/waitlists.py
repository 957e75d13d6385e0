"""The records of waitlists: settings, leases, checkpoint, progress of a rebuild."""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any, Literal, Self

from msgspec import Struct
from msgspec.structs import asdict, replace

from waitlist_api.clock import millis_of
from waitlist_api.records.checkpoint import NO_CHECKPOINT, Checkpoint
from waitlist_api.records.rebuild_progress import RebuildProgress
from waitlist_api.records.segments import Segments
from waitlist_api.records.table import ConditionFailed, Item, Table
from waitlist_api.settings.admission import AdmissionPolicy, OfferHours, Scheduled
from waitlist_api.settings.bot_check import WhenDown
from waitlist_api.settings.confirm import ConfirmRules
from waitlist_api.settings.identity import IdentityRules
from waitlist_api.settings.messages import MessageRules
from waitlist_api.settings.page import PageSettings
from waitlist_api.settings.rest import RestRules

CATALOG = "CATALOG"
ALIVE = "attribute_exists(#pk) AND attribute_not_exists(#deleting)"

SegmentsState = Literal["ready", "building"]
Rejoin = Literal["never", "after_leaving", "always"]
# Of a profile and attributes, unless the list says otherwise.
MAX_GUEST_BYTES = 2048


class WaitlistSettings(Struct, frozen=True, kw_only=True):
    """The settings of an operator.

    `capacity` and `max_claims` None mean no limit, `retention_days` None that ended stays are kept
    for ever.
    `rejoin` is the end of a stay after which the same customer may sign up again.
    `max_guest_bytes` limits profile and attributes of a signup, not of imports and edits. Each of
    the `segments` is a sorted list of attribute names. Signups are taken from the time `opens_at`
    on, and until `closes_at`: ISO 8601 in UTC. Without an `admission` policy only operators
    admit; without a `page` the customer's page shows the name alone; without `rest` no customer may
    rest; without `identity` callers state the id of a customer; without `confirm` no customer is
    asked whether they still wait; without `messages` none are sent, and no customer is told in
    advance. `bot_check_down` is what happens to new guests while the provider of the stack's bot
    check does not answer.
    """

    name: str
    open: bool = True
    paused: bool = False
    capacity: int | None = None
    rejoin: Rejoin = "after_leaving"
    lease_seconds: int = 300
    max_attempts: int = 5
    max_claims: int | None = None
    hide_counts: bool = False
    max_guest_bytes: int = MAX_GUEST_BYTES
    retention_days: int | None = None
    segments: tuple[tuple[str, ...], ...] = ()
    admission: AdmissionPolicy | None = None
    page: PageSettings | None = None
    rest: RestRules | None = None
    confirm: ConfirmRules | None = None
    identity: IdentityRules | None = None
    messages: MessageRules | None = None
    opens_at: str | None = None
    closes_at: str | None = None
    bot_check_down: WhenDown = "refuse"

    @property
    def opens_millis(self) -> int | None:
        return _millis_of(self.opens_at)

    @property
    def closes_millis(self) -> int | None:
        return _millis_of(self.closes_at)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        known = {name: item[name] for name in cls.__struct_fields__ if name in item}
        known["segments"] = tuple(map(tuple, json.loads(known.get("segments", "[]"))))
        if known.get("admission"):
            known["admission"] = AdmissionPolicy.from_text(known["admission"])
        if known.get("page"):
            known["page"] = PageSettings.from_text(known["page"])
        if known.get("rest"):
            known["rest"] = RestRules.from_text(known["rest"])
        if known.get("identity"):
            known["identity"] = IdentityRules.from_text(known["identity"])
        if known.get("confirm"):
            known["confirm"] = ConfirmRules.from_text(known["confirm"])
        if known.get("messages"):
            known["messages"] = MessageRules.from_text(known["messages"])
        if "rejoin" not in known and "allow_rejoin" in item:
            # An earlier version stored this flag, which also allowed to rejoin after an admission.
            known["rejoin"] = "always" if item["allow_rejoin"] else "never"
        return cls(**known)

    def to_item(self) -> Item:
        """Return the attributes of an item; what has parts as text, for conditions."""
        segments = json.dumps(self.segments, separators=(",", ":"))
        admission = self.admission.text if self.admission else None
        page = self.page.json if self.page else None
        rest = self.rest.text if self.rest else None
        texts = {"segments": segments, "admission": admission, "page": page, "rest": rest}
        texts["identity"] = self.identity.text if self.identity else None
        texts["confirm"] = self.confirm.text if self.confirm else None
        texts["messages"] = self.messages.text if self.messages else None
        return {**asdict(self), **texts}

    def asking_since(self, before: "WaitlistSettings | None", now_millis: int) -> Self:
        """Return the settings with the time since which customers are asked without a pause."""
        if self.confirm is None:
            return self
        since = now_millis
        if before is not None and before.confirm is not None:
            since = before.confirm.since_millis
        return replace(self, confirm=replace(self.confirm, since_millis=since))


class ConfirmWalk(Struct, frozen=True, kw_only=True):
    """How far maintenance has looked through the waiting entries for questions that are due.

    The next page is behind the rank `after`; None begins again, at `next_millis`. In this walk no
    entry was found for which anything is due before `earliest_millis`.
    """

    after: int | None = None
    next_millis: int = 0
    earliest_millis: int = 0

    @classmethod
    def from_item(cls, item: Item) -> Self:
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})


class WaitlistRecord(Struct, frozen=True, kw_only=True):
    """A waitlist: its settings, their version, and the notes of maintenance.

    `checkpoint` is the last seen state of its order in Redis, `rebuild` the progress of a running
    rebuild. `segments_version` is the version in which the segments last changed, 0 without
    segments; `segments_state` is `building` until all entries are in theirs. No pass that an
    admission has begun lasts longer than `longest_pass_seconds`.

    `schedule_version` is the version in which the schedule last changed, 0 without a schedule; the
    schedule counts from `schedule_since` on. Instants up to `scheduled_until` are counted or about
    to be, so a rebuilt order never counts them again. Instants up to `counted_until` are certainly
    counted, and at most `counted_slots` of their slots are left. All three times are in
    milliseconds since 1970.
    """

    waitlist_id: str
    settings: WaitlistSettings
    version: int
    created_millis: int
    updated_millis: int
    deleting: bool = False
    checkpoint: Checkpoint = NO_CHECKPOINT
    rebuild: RebuildProgress | None = None
    segments_version: int = 0
    segments_state: SegmentsState = "ready"
    schedule_version: int = 0
    schedule_since: int = 0
    scheduled_until: int = 0
    counted_until: int = 0
    counted_slots: int = 0
    longest_pass_seconds: int = 0
    confirm_walk: ConfirmWalk = ConfirmWalk()

    @property
    def segments(self) -> Segments:
        return Segments(self.waitlist_id, self.settings.segments, self.segments_version)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        known = {name: item[name] for name in cls.__struct_fields__ if name in item}
        known["checkpoint"] = Checkpoint.from_item(item.get("watch", {}))
        if "rebuild" in known:
            known["rebuild"] = RebuildProgress.from_item(known["rebuild"])
        if "confirm_walk" in known:
            known["confirm_walk"] = ConfirmWalk.from_item(known["confirm_walk"])
        return cls(**known, settings=WaitlistSettings.from_item(item))


class VersionChanged(Exception):
    """The settings have another version than the one that was to be replaced."""


class WaitlistRecords(Struct, frozen=True):
    """Waitlists by id."""

    table: Table

    def get(self, waitlist_id: str) -> WaitlistRecord | None:
        """Read a waitlist, consistently; also one that is being deleted."""
        item = self.table.get(_key(waitlist_id))
        return WaitlistRecord.from_item(item) if item else None

    def create(self, waitlist_id: str, settings: WaitlistSettings, now_millis: int) -> bool:
        """Write a new waitlist; return False if the id exists."""
        item = {
            **_key(waitlist_id),
            **settings.to_item(),
            "waitlist_id": waitlist_id,
            "version": 1,
            "segments_version": 1 if settings.segments else 0,
            "segments_state": "ready",
            **_begun_schedule(settings, 1, now_millis),
            "longest_pass_seconds": pass_seconds_of(settings),
            "created_millis": now_millis,
            "updated_millis": now_millis,
        }
        try:
            self.table.transact(
                [
                    self.table.put_write(item, "attribute_not_exists(#pk)"),
                    self.table.put_write({"pk": CATALOG, "sk": waitlist_id}),
                ]
            )
        except ConditionFailed:
            return False
        return True

    def replace(
        self, before: WaitlistRecord, settings: WaitlistSettings, now_millis: int
    ) -> WaitlistRecord | None:
        """Replace all settings of a waitlist; None if it is deleted or being deleted.

        Raise VersionChanged if the settings are no longer those of `before`. Changed segments are
        `building`. A changed schedule counts from now on.
        """
        version = before.version + 1
        values = {
            **settings.to_item(),
            "version": version,
            "updated_millis": now_millis,
            "longest_pass_seconds": max(before.longest_pass_seconds, pass_seconds_of(settings)),
        }
        if settings.segments != before.settings.segments:
            values["segments_version"] = version if settings.segments else 0
            values["segments_state"] = "building" if settings.segments else "ready"
        if schedule_of(settings) != schedule_of(before.settings):
            values |= _begun_schedule(settings, version, now_millis)
        try:
            item = self.table.update(
                _key(before.waitlist_id),
                "SET " + ", ".join(f"#{name} = :{name}" for name in values),
                f"{ALIVE} AND #version = :before",
                values | {"before": before.version},
            )
        except ConditionFailed as failed:
            if failed.item is None or "deleting" in failed.item:
                return None
            raise VersionChanged from failed
        return WaitlistRecord.from_item(item)

    def note_segments(self, segments: Segments, state: SegmentsState) -> None:
        """Store the state of segments, unless their declaration has changed."""
        with suppress(ConditionFailed):
            self.table.update(
                _key(segments.waitlist_id),
                "SET #segments_state = :state",
                "#segments_version = :version",
                {"state": state, "version": segments.version},
            )

    def note_scheduled(self, waitlist: WaitlistRecord, until_millis: int) -> bool:
        """Store that instants up to a time are about to be counted, before Redis counts them.

        Return False if another run has stored that time or a later one, or if the schedule has
        changed.
        """
        return self._note(
            waitlist,
            "SET #scheduled_until = :until",
            "#scheduled_until < :until",
            {"until": until_millis},
        )

    def note_counted(self, waitlist: WaitlistRecord, until_millis: int, slots: int) -> None:
        """Store that Redis has counted instants up to a time, and how many of their slots are left.

        Of one time the smallest number of slots stays.
        """
        self._note(
            waitlist,
            "SET #counted_until = :until, #counted_slots = :slots",
            "(#counted_until < :until OR (#counted_until = :until AND #counted_slots > :slots))",
            {"until": until_millis, "slots": slots},
        )

    def _note(self, waitlist: WaitlistRecord, update: str, condition: str, values: Item) -> bool:
        """Store a note about the schedule of a waitlist; return False if it is another one now."""
        try:
            self.table.update(
                _key(waitlist.waitlist_id),
                update,
                f"{ALIVE} AND #schedule_version = :schedule AND {condition}",
                values | {"schedule": waitlist.schedule_version},
            )
        except ConditionFailed:
            return False
        return True

    def note_confirm_walk(self, waitlist_id: str, walk: ConfirmWalk) -> None:
        """Store how far maintenance has looked for questions that are due."""
        with suppress(ConditionFailed):
            self.table.update(
                _key(waitlist_id), "SET #confirm_walk = :walk", ALIVE, {"walk": asdict(walk)}
            )

    def begin_delete(self, waitlist_id: str, now_millis: int, version: int | None = None) -> bool:
        """Mark a waitlist as being deleted; return False if it does not exist.

        With a `version` only with the settings of that version: raises VersionChanged for another.
        """
        alive, values = _alive(version)
        update = "SET #deleting = :true, #updated_millis = :now"
        values |= {"true": True, "now": now_millis}
        try:
            self.table.update(_key(waitlist_id), update, alive, values)
        except ConditionFailed as failed:
            if failed.item is None:
                return False
            if "deleting" not in failed.item:
                raise VersionChanged from failed
        return True

    def finish_delete(self, waitlist_id: str, owner: str) -> None:
        """Delete a waitlist whose entries are erased, if `owner` still has its lease."""
        condition = "#deleting = :true AND #lease_owner = :owner"
        values = {"true": True, "owner": owner}
        catalog_key = {"pk": CATALOG, "sk": waitlist_id}
        with suppress(ConditionFailed):
            self.table.transact(
                [
                    self.table.delete_write(_key(waitlist_id), condition, values),
                    self.table.delete_write(catalog_key),
                ]
            )

    def page(self, after: str | None, limit: int) -> tuple[list[WaitlistRecord], str | None]:
        """Return a page of waitlists by id, and the `after` of the next page or None."""
        start = {"pk": CATALOG, "sk": after} if after else None
        entries, last = self.table.query("#pk = :pk", {"pk": CATALOG}, start, Limit=limit)
        items = self.table.get_many([_key(entry["sk"]) for entry in entries])
        records = sorted(map(WaitlistRecord.from_item, items), key=lambda one: one.waitlist_id)
        return records, last["sk"] if last else None

    def all(self) -> Iterator[WaitlistRecord]:
        """Yield every waitlist, also those that are being deleted."""
        after: str | None = ""
        while after is not None:
            records, after = self.page(after or None, 100)
            yield from records

    def take_lease(
        self, waitlist: WaitlistRecord, owner: str, now_millis: int, until_millis: int
    ) -> WaitlistRecord | None:
        """Take the lease and return the waitlist, or None if another run has the lease.

        Also None if the waitlist was deleted and created again since it was read.
        """
        values: dict[str, Any] = {
            "owner": owner,
            "now": now_millis,
            "until": until_millis,
            "created": waitlist.created_millis,
        }
        try:
            item = self.table.update(
                _key(waitlist.waitlist_id),
                "SET #lease_owner = :owner, #lease_until = :until",
                "#created_millis = :created AND (attribute_not_exists(#lease_until)"
                " OR #lease_until < :now OR #lease_owner = :owner)",
                values,
            )
        except ConditionFailed:
            return None
        return WaitlistRecord.from_item(item)

    def renew_lease(
        self,
        waitlist_id: str,
        owner: str,
        until_millis: int,
        rebuild: RebuildProgress | None = None,
    ) -> bool:
        """Extend a lease; return False if another run has it, or the waitlist is deleted.

        Stores the progress of a rebuild in the same write, so only the lease's owner can.
        """
        values: dict[str, Any] = {"owner": owner, "until": until_millis}
        update = "SET #lease_until = :until"
        if rebuild is not None:
            update += ", #rebuild = :rebuild"
            values["rebuild"] = rebuild.to_item()
        try:
            self.table.update(_key(waitlist_id), update, "#lease_owner = :owner", values)
        except ConditionFailed:
            return False
        return True

    def release_lease(self, waitlist_id: str, owner: str, *, forget_rebuild: bool = False) -> None:
        """End a lease, unless another run has it."""
        update = "REMOVE #lease_owner, #lease_until"
        if forget_rebuild:
            update += ", #rebuild"
        with suppress(ConditionFailed):
            self.table.update(_key(waitlist_id), update, "#lease_owner = :owner", {"owner": owner})

    def forget_rebuild(self, waitlist: WaitlistRecord) -> None:
        """Delete the progress of a rebuild, unless it has changed."""
        if waitlist.rebuild is None:
            return
        with suppress(ConditionFailed):
            self.table.update(
                _key(waitlist.waitlist_id),
                "REMOVE #rebuild",
                "#rebuild = :rebuild",
                {"rebuild": waitlist.rebuild.to_item()},
            )

    def write_checkpoint(self, waitlist_id: str, checkpoint: Checkpoint) -> None:
        """Store the checkpoint."""
        with suppress(ConditionFailed):
            self.table.update(
                _key(waitlist_id),
                "SET #watch = :watch",
                "attribute_exists(#pk)",
                {"watch": checkpoint.to_item()},
            )


def pass_seconds_of(settings: WaitlistSettings) -> int:
    """Return how long a customer is inside after an admission; 0 without a policy."""
    return settings.admission.pass_seconds if settings.admission else 0


def frees_at_end(settings: WaitlistSettings) -> bool:
    """Return whether a customer's own exit leaves the room taken until the pass ends."""
    return settings.admission is not None and settings.admission.customer_exit == "frees_at_end"


def offer_hours_of(settings: WaitlistSettings) -> OfferHours | None:
    """Return the hours in which a list's policy offers; None without a policy, or at any time."""
    return settings.admission.offer_hours if settings.admission else None


def schedule_of(settings: WaitlistSettings) -> tuple[Scheduled, ...]:
    """Return the times at which places become due; empty without a policy."""
    return settings.admission.schedule if settings.admission else ()


def _millis_of(time: str | None) -> int | None:
    return None if time is None else max(0, millis_of(datetime.fromisoformat(time)))


def _key(waitlist_id: str) -> dict[str, str]:
    return {"pk": f"WAITLIST#{waitlist_id}", "sk": "CONFIG"}


def _alive(version: int | None) -> tuple[str, Item]:
    """Return the condition that a waitlist exists, with the settings of a version unless None."""
    if version is None:
        return ALIVE, {}
    return f"{ALIVE} AND #version = :version", {"version": version}


def _begun_schedule(settings: WaitlistSettings, version: int, now_millis: int) -> Item:
    """Return the fields of a schedule that begins: none of its instants is counted yet."""
    return {
        "schedule_version": version if schedule_of(settings) else 0,
        "schedule_since": now_millis,
        "scheduled_until": now_millis,
        "counted_until": 0,
        "counted_slots": 0,
    }
