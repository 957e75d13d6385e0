"""A waitlist with segments, and a check that Redis and DynamoDB agree about them."""

from collections.abc import Iterator
from typing import Any

from tests.support.admissions import Admissions
from tests.support.world import World
from waitlist_api.entries.signup_step import SignupCommand
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.table import decode
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_queue import keys
from waitlist_shared import contracts as c
from waitlist_shared.ids import segment_id_of

BY_LANGUAGE = ("language",)
BY_GENDER = ("gender",)
BY_BOTH = ("gender", "language")
# The beginning of a problem's text if Redis and DynamoDB disagree about the segments.
DIFFERENT_STATES = "the states of the segments in DynamoDB and Redis are"


class Segmented(Admissions):
    def declare(self, *segments: tuple[str, ...], **settings: Any) -> WaitlistRecord:
        wanted = WaitlistSettings(name="Bakery", segments=segments, **settings)
        record, _ = self.world.services.waitlists.put(self.waitlist_id, wanted)
        return record

    def arrive(self, name: str, **attributes: Any) -> None:
        command = SignupCommand(
            waitlist_id=self.waitlist_id,
            customer_id=name,
            attributes=attributes,
            idempotency_key=f"signup-{name}",
        )
        assert self.world.services.signups.sign_up(command).is_new, name
        self.id_of(name)

    def elsewhere(self) -> "Segmented":
        """Return a view of the same waitlist through a second instance of the service."""
        world = World.on(
            self.world.dynamodb,
            self.world.redis,
            clock=self.world.clock,
            redis_clock=self.world.redis_clock,
        )
        return Segmented(world, self.waitlist_id, self.names, self.tokens)

    def config(self) -> WaitlistRecord:
        found = self.world.services.waitlist_records.get(self.waitlist_id)
        assert found
        return found

    def states(self) -> tuple[str, str]:
        stats: c.StatsResult = self.world.services.queue.send(c.Stats(waitlist_id=self.waitlist_id))
        return self.config().segments_state, stats.segments_state

    def within(self, **segment: str) -> list[str]:
        return self._named(f"{segment_id_of(self.waitlist_id, segment)}:")

    def claim_within(self, count: int = 1, **segment: str) -> list[str]:
        claimed: c.ClaimResult = self.world.services.queue.send(
            c.Claim(
                waitlist_id=self.waitlist_id,
                count=count,
                segment=segment_id_of(self.waitlist_id, segment),
                segments_version=self.config().segments_version,
            )
        )
        return [self.names[entry.entry_id] for entry in claimed.entries]

    def _named(self, prefix: str) -> list[str]:
        members = [member for member in self._index() if member.startswith(prefix)]
        return [self.names[member.rpartition(":")[2]] for member in members]

    def _index(self) -> list[str]:
        found: list[str] = self.world.redis.zrange(keys.segments(self.waitlist_id), 0, -1)
        return found

    def _tags(self) -> dict[str, tuple[frozenset[str], int]]:
        tags = {}
        for entry_id, text in self.world.redis.hgetall(keys.tags(self.waitlist_id)).items():
            *segments, version = text.split(",")
            tags[entry_id] = (frozenset(segments), int(version))
        return tags

    def records(self) -> Iterator[EntryRecord]:
        for item in self.world.dynamodb.scan(TableName="waitlist-test")["Items"]:
            plain = decode(item)
            if plain["sk"] == "RECORD" and plain["waitlist_id"] == self.waitlist_id:
                yield EntryRecord.from_item(plain)

    def contradictions(self) -> list[str]:
        segments = self.config().segments
        index: list[str] = []
        tags: dict[str, tuple[frozenset[str], int]] = {}
        for record in self.records():
            if not segments.declared or record.status not in PRESENT:
                continue
            theirs = segments.find(record.attributes)
            tags[record.entry_id] = frozenset(theirs), int(record.attributes_version)
            if record.status == "waiting":
                rank = int(record.rank or 0)
                index += [f"{segment}:{rank:016d}:{record.entry_id}" for segment in theirs]
        wrong = []
        if self._tags() != tags:
            wrong.append(f"Redis has the segments {self._tags()}, but DynamoDB has {tags}")
        if self._index() != sorted(index):
            wrong.append(f"Redis has the index {self._index()}, but DynamoDB has {sorted(index)}")
        if self.states() != ("ready", "ready"):
            wrong.append(f"{DIFFERENT_STATES} {self.states()}")
        return wrong
