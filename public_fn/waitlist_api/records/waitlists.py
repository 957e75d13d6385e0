"""Read and write waitlist records, which contain the settings and the state of maintenance."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, Self

from msgspec import Struct
from msgspec.json import Decoder, encode
from msgspec.structs import asdict

from waitlist_api.records.checkpoint import NO_CHECKPOINT, Checkpoint
from waitlist_api.records.rebuild_progress import RebuildProgress
from waitlist_api.records.segments import Segments
from waitlist_api.records.table import ConditionFailed, Item, Table
from waitlist_api.settings.notice import Notice
from waitlist_api.settings.waitlist import WaitlistSettings, pass_seconds_of, schedule_of

SETTINGS = Decoder(WaitlistSettings)
NOTICE = Decoder(Notice)
CATALOG = "CATALOG"
ALIVE = "attribute_exists(#pk) AND attribute_not_exists(#deleting)"

SegmentsState = Literal["ready", "building"]


class ConfirmWalk(Struct, frozen=True, kw_only=True):
    """The progress of the search for customers who must be asked if they are still waiting.

    A search can take several maintenance runs. If `after` is set, the next run continues the search
    after this rank. If `after` is None, the search is complete, and a new search begins at
    `next_millis`.
    """

    after: int | None = None
    next_millis: int = 0
    earliest_millis: int = 0

    @classmethod
    def from_item(cls, item: Item) -> Self:
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})


class WaitlistRecord(Struct, frozen=True, kw_only=True):
    """A waitlist's record, with its settings and the state of maintenance.

    All times are in milliseconds since 1970. A value of 0 means that the time is not set.
    """

    waitlist_id: str
    settings: WaitlistSettings
    version: int
    created_millis: int
    updated_millis: int
    deleting: bool = False
    checkpoint: Checkpoint = NO_CHECKPOINT
    rebuild: RebuildProgress | None = None
    # The settings version in which the segments last changed.
    segments_version: int = 0
    # `building` until Redis has indexed all entries by the new segments.
    segments_state: SegmentsState = "ready"
    # The settings version in which the schedule last changed.
    schedule_version: int = 0
    # When the current schedule took effect.
    schedule_since: int = 0
    # Scheduled slots up to this time may already have been sent to Redis. After a rebuild, they
    # must not be sent again.
    scheduled_until: int = 0
    # Redis has added the scheduled slots up to this time.
    counted_until: int = 0
    # An upper bound for the number of scheduled slots that Redis has added but not used yet.
    counted_slots: int = 0
    # The longest validity of any of the waitlist's passes, in seconds. Passes that were signed
    # under earlier settings are included.
    longest_pass_seconds: int = 0
    confirm_walk: ConfirmWalk = ConfirmWalk()
    # The waitlist's latest notice. Customers no longer see it once it has expired.
    notice: Notice | None = None

    def notice_at(self, now_millis: int) -> Notice | None:
        """Return the waitlist's notice, or None if customers see no notice at this time."""
        notice = self.notice
        return notice if notice is not None and notice.is_shown_at(now_millis) else None

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
        if "notice" in known:
            known["notice"] = NOTICE.decode(item["notice"])
        known["settings"] = SETTINGS.decode(item["settings"])
        return cls(**known)


class VersionChanged(Exception):
    """Raised if another request has changed the waitlist's settings."""


class WaitlistRecords(Struct, frozen=True):
    """Reads and writes waitlist records."""

    table: Table

    def get(self, waitlist_id: str) -> WaitlistRecord | None:
        """Return a waitlist, even if it is being deleted. The read is strongly consistent."""
        item = self.table.get(_key(waitlist_id))
        return WaitlistRecord.from_item(item) if item else None

    def create(self, waitlist_id: str, settings: WaitlistSettings, now_millis: int) -> bool:
        """Create a waitlist. Return False if the id is already in use."""
        item = {
            **_key(waitlist_id),
            "settings": _text(settings),
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
        """Replace all of a waitlist's settings, and return the new record.

        Raise VersionChanged if the settings have changed since `before` was read.
        """
        version = before.version + 1
        values = {
            "settings": _text(settings),
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
        """Store the state of the segments, unless they have changed in the meantime."""
        with suppress(ConditionFailed):
            self.table.update(
                _key(segments.waitlist_id),
                "SET #segments_state = :state",
                "#segments_version = :version",
                {"state": state, "version": segments.version},
            )

    def note_scheduled(self, waitlist: WaitlistRecord, until_millis: int) -> bool:
        """Record that the scheduled slots up to `until_millis` are about to be sent to Redis.

        Return False if another run has already recorded the same time or a later one.
        """
        return self._note(
            waitlist,
            "SET #scheduled_until = :until",
            "#scheduled_until < :until",
            {"until": until_millis},
        )

    def note_counted(self, waitlist: WaitlistRecord, until_millis: int, slots: int) -> None:
        """Record that Redis has added the scheduled slots up to `until_millis`. `slots` is the
        number of added slots that are still unused.
        """
        self._note(
            waitlist,
            "SET #counted_until = :until, #counted_slots = :slots",
            "(#counted_until < :until OR (#counted_until = :until AND #counted_slots > :slots))",
            {"until": until_millis, "slots": slots},
        )

    def _note(self, waitlist: WaitlistRecord, update: str, condition: str, values: Item) -> bool:
        """Store the time up to which scheduled slots have been sent to Redis or added by Redis.

        Return False if the condition fails, for example because the schedule has been replaced in
        the meantime.
        """
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
        """Store the progress of the search for customers who must confirm that they are still
        waiting.
        """
        with suppress(ConditionFailed):
            self.table.update(
                _key(waitlist_id), "SET #confirm_walk = :walk", ALIVE, {"walk": asdict(walk)}
            )

    def write_notice(self, waitlist_id: str, notice: Notice | None) -> bool:
        """Replace a waitlist's notice, or remove it if `notice` is None.

        Return False if the waitlist does not exist or is being deleted.
        """
        update, values = "REMOVE #notice", {}
        if notice is not None:
            update, values = "SET #notice = :notice", {"notice": encode(notice).decode()}
        try:
            self.table.update(_key(waitlist_id), update, ALIVE, values)
        except ConditionFailed:
            return False
        return True

    def begin_delete(self, waitlist_id: str, now_millis: int, version: int | None = None) -> bool:
        """Mark a waitlist as being deleted.

        Return False if the waitlist does not exist. Raise VersionChanged if the settings do not
        have the given version.
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
        """Delete a waitlist after all its entries have been erased.

        If another run has taken the lease on the waitlist, do nothing.
        """
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
        """Return a page of waitlists, sorted by id, and the cursor of the next page, which is None
        on the last page.
        """
        start = {"pk": CATALOG, "sk": after} if after else None
        entries, last = self.table.query("#pk = :pk", {"pk": CATALOG}, start, Limit=limit)
        items = self.table.get_many([_key(entry["sk"]) for entry in entries])
        records = sorted(
            map(WaitlistRecord.from_item, items), key=lambda record: record.waitlist_id
        )
        return records, last["sk"] if last else None

    def all(self) -> Iterator[WaitlistRecord]:
        """Yield all waitlists, including waitlists that are being deleted."""
        after: str | None = ""
        while after is not None:
            records, after = self.page(after or None, 100)
            yield from records

    def take_lease(
        self, waitlist: WaitlistRecord, owner: str, now_millis: int, until_millis: int
    ) -> WaitlistRecord | None:
        """Take the lease on a waitlist for a maintenance run, and return the waitlist's record.

        Return None if another run holds the lease, or if the waitlist was deleted after it was
        read.
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
        """Extend a lease. Return False if another run holds it or the waitlist was deleted."""
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
        """End a lease, unless another run has taken it."""
        update = "REMOVE #lease_owner, #lease_until"
        if forget_rebuild:
            update += ", #rebuild"
        with suppress(ConditionFailed):
            self.table.update(_key(waitlist_id), update, "#lease_owner = :owner", {"owner": owner})

    def forget_rebuild(self, waitlist: WaitlistRecord) -> None:
        """Delete a rebuild's progress, unless it has changed since it was read."""
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
        with suppress(ConditionFailed):
            self.table.update(
                _key(waitlist_id),
                "SET #watch = :watch",
                "attribute_exists(#pk)",
                {"watch": checkpoint.to_item()},
            )


def _text(settings: WaitlistSettings) -> str:
    """Return the settings as JSON. Equal settings always produce the same text."""
    return encode(settings).decode()


def _key(waitlist_id: str) -> dict[str, str]:
    return {"pk": f"WAITLIST#{waitlist_id}", "sk": "CONFIG"}


def _alive(version: int | None) -> tuple[str, Item]:
    """Return a condition that is true if the waitlist exists, is not being deleted, and has the
    given settings version.

    If `version` is None, any version is accepted.
    """
    if version is None:
        return ALIVE, {}
    return f"{ALIVE} AND #version = :version", {"version": version}


def _begun_schedule(settings: WaitlistSettings, version: int, now_millis: int) -> Item:
    """Return the attributes that a waitlist's record gets when its schedule begins now."""
    return {
        "schedule_version": version if schedule_of(settings) else 0,
        "schedule_since": now_millis,
        "scheduled_until": now_millis,
        "counted_until": 0,
        "counted_slots": 0,
    }
