"""Store samples of each waitlist's counts.

DynamoDB deletes per-minute samples after two days and per-hour samples after four weeks.
"""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import asdict

from waitlist_api.clock import iso
from waitlist_api.records.table import Item, Table
from waitlist_shared.contracts import Counters

MINUTE_MILLIS, HOUR_MILLIS, DAY_MILLIS = 60_000, 3_600_000, 86_400_000
Every = Literal["minute", "hour"]
# A sample's sort key ends with the time of the sample, truncated to the minute or hour.
SHOWN: dict[Every, int] = {"minute": len("2026-03-01T09:30"), "hour": len("2026-03-01T09")}
KEPT_SECONDS: dict[Every, int] = {"minute": 2 * 86_400, "hour": 28 * 86_400}
KEPT_MINUTES_MILLIS = KEPT_SECONDS["minute"] * 1000
LAST = "~"
SOURCES = "SAMPLE#SOURCE#"
MESSAGES = "SAMPLE#MESSAGES"
CALL_NUMBERS = "SAMPLE#CALL_NUMBERS"


class Sample(Struct, frozen=True, kw_only=True):
    """A waitlist's counts at one point in time.

    Event counts, such as `joined`, are totals since the waitlist was created.
    """

    millis: int
    joined: int = 0
    admitted: int = 0
    left: int = 0
    entered: int = 0
    declined: int = 0
    no_shows: int = 0
    # The number of waiting entries, including entries that are not ready.
    waiting: int = 0
    not_ready: int = 0
    offered: int = 0
    parked: int = 0
    inside: int = 0
    # The version of the waitlist's settings.
    version: int = 0
    paused: bool = False

    @classmethod
    def counted(cls, millis: int, counters: Counters, **others: Any) -> "Sample":
        """Create a sample from the counters that Redis returned."""
        counts = asdict(counters)
        return cls(millis=millis, joined=counts.pop("signed_up"), **counts, **others)

    @property
    def ready(self) -> int:
        """The number of waiting entries that can be admitted now."""
        return self.waiting - self.not_ready

    @property
    def occupied(self) -> int:
        """The number of customers who are inside or have an open offer.

        The `max_inside` setting limits this number.
        """
        return self.inside + self.offered


class SampleRecords(Struct, frozen=True):
    """Reads and writes per-minute and per-hour samples of each waitlist's counts."""

    table: Table

    def write(self, samples: Sequence[tuple[str, Every, Sample]]) -> None:
        self.table.put_many([_item(*sample) for sample in samples])

    def read(
        self, waitlist_id: str, every: Every, since_millis: int, until_millis: int | None = None
    ) -> list[Sample]:
        """Return the samples between two times, oldest first."""
        values = {
            "pk": _pk(waitlist_id),
            "first": _sk(every, since_millis),
            "last": _prefix(every) + LAST if until_millis is None else _sk(every, until_millis),
        }
        found: list[Item] = []
        after: Item | None = {}
        while after is not None:
            condition = "#pk = :pk AND #sk BETWEEN :first AND :last"
            items, after = self.table.query(condition, values, after or None)
            found += items
        return [_sample(item) for item in found]

    def last(
        self, waitlist_id: str, until_millis: int, since_millis: int, every: Every = "hour"
    ) -> Sample | None:
        """Return the last sample between two times, or None if there is no sample."""
        items, _ = self.table.query(
            "#pk = :pk AND #sk BETWEEN :first AND :last",
            {
                "pk": _pk(waitlist_id),
                "first": _sk(every, since_millis),
                "last": _sk(every, until_millis),
            },
            Limit=1,
            ScanIndexForward=False,
        )
        return _sample(items[0]) if items else None

    def count_source(self, waitlist_id: str, source: str) -> None:
        """Increment the number of signups from a source."""
        more = "SET #joined = if_not_exists(#joined, :zero) + :one"
        always = "attribute_exists(#pk) OR attribute_not_exists(#pk)"
        self.table.update(_source(waitlist_id, source), more, always, {"one": 1, "zero": 0})

    def sources(self, waitlist_id: str) -> dict[str, int]:
        """Return the number of signups from each source since the waitlist was created."""
        values = {"pk": _pk(waitlist_id), "first": SOURCES, "last": SOURCES + LAST}
        found: dict[str, int] = {}
        after: Item | None = {}
        while after is not None:
            condition = "#pk = :pk AND #sk BETWEEN :first AND :last"
            items, after = self.table.query(condition, values, after or None)
            found |= {item["sk"].removeprefix(SOURCES): item["joined"] for item in items}
        return found

    def delete(self, waitlist_id: str) -> None:
        """Delete all of a waitlist's samples, and the other counters stored beside them."""
        after: Item | None = {}
        while after is not None:
            items, after = self.table.query(
                "#pk = :pk AND #sk BETWEEN :first AND :last",
                {"pk": _pk(waitlist_id), "first": "SAMPLE#", "last": f"SAMPLE#{LAST}"},
                after or None,
            )
            self.table.delete_many([{"pk": item["pk"], "sk": item["sk"]} for item in items])


def _item(waitlist_id: str, every: Every, sample: Sample) -> Item:
    return {
        "pk": _pk(waitlist_id),
        "sk": _sk(every, sample.millis),
        **{name: value for name, value in asdict(sample).items() if value or name != "not_ready"},
        "expires_at": sample.millis // 1000 + KEPT_SECONDS[every],
    }


def _sample(item: Item) -> Sample:
    return Sample(**{name: item[name] for name in Sample.__struct_fields__ if name in item})


def message_counts_key(waitlist_id: str) -> Item:
    """Return the key of the item that contains a waitlist's message counts.

    The item is stored beside the waitlist's samples, so that it is deleted along with them.
    """
    return {"pk": _pk(waitlist_id), "sk": MESSAGES}


def call_numbers_key(waitlist_id: str) -> Item:
    """Return the key of the item that contains a waitlist's last call number.

    The item is stored beside the waitlist's samples, so that it is deleted along with them.
    """
    return {"pk": _pk(waitlist_id), "sk": CALL_NUMBERS}


def _pk(waitlist_id: str) -> str:
    return f"WAITLIST#{waitlist_id}"


def _source(waitlist_id: str, source: str) -> Item:
    return {"pk": _pk(waitlist_id), "sk": f"{SOURCES}{source}"}


def _prefix(every: Every) -> str:
    return f"SAMPLE#{every.upper()}#"


def _sk(every: Every, millis: int) -> str:
    return _prefix(every) + iso(millis)[: SHOWN[every]]
