"""A fake DynamoDB for the rebuild benchmark.

It generates a queue of any length, page by page, and counts the read units that AWS would charge
for. The class has the methods of boto3's client, but uses neither the network nor JSON.
"""

import re
import threading
from typing import Any

import msgspec
from boto3.dynamodb.types import TypeSerializer

from tools.local.table import create_table_request
from waitlist_api.records.entry import ALPHABET, SHARDS, EntryRecord, line_place
from waitlist_api.records.facets import Joined
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared.ids import new_join_id
from waitlist_shared.ranks import TIER

Item = dict[str, Any]
WAITLIST_ID = "rebuild"
FIRST_TICKET = 1_000_000
YESTERDAY_MILLIS = 1_790_000_000_000
UNIT_BYTES = 4096
EVENTUALLY_CONSISTENT = 0.5
LETTERS = str.maketrans("01234567", ALPHABET[:8])
INDEX_KEYS = ("place", "place_rank")
_serialize = TypeSerializer().serialize


class PagingTable:
    """The table of one waitlist whose entries have not changed for a day."""

    def __init__(self, waiting: int) -> None:
        self._waiting = waiting
        self._lock = threading.Lock()
        self._config = _config()
        self._example = _example()
        self.bytes_of_entry = _size(self._example)
        self.read_units = 0.0

    def get_item(self, **_: Any) -> Item:
        return {"Item": dict(self._config)}

    def update_item(self, **request: Any) -> Item:
        """Ignore the update's condition, which is always true because nothing else writes to the
        table.
        """
        names = request["ExpressionAttributeNames"]
        values = request.get("ExpressionAttributeValues", {})
        sets, _, removes = request["UpdateExpression"].partition("REMOVE ")
        with self._lock:
            for name, value in re.findall(r"(#\w+) = (:\w+)", sets):
                self._config[names[name]] = values[value]
            for name in re.findall(r"#\w+", removes):
                self._config.pop(names[name], None)
            return {"Attributes": dict(self._config)}

    def batch_get_item(self, RequestItems: Item) -> Item:  # noqa: N803
        return {"Responses": {table: [] for table in RequestItems}, "UnprocessedKeys": {}}

    def query(self, **request: Any) -> Item:
        """Return a page of the queue. Queries for other waitlists find nothing."""
        place = request["ExpressionAttributeValues"].get(":place", {"S": ""})["S"]
        waitlist_id, _, shard = place.partition("#")
        if waitlist_id != WAITLIST_ID or not shard.isdigit():
            return {"Items": []}
        return self._page(int(shard), request)

    def _page(self, shard: int, request: Item) -> Item:
        numbers = range(shard, self._waiting, SHARDS)
        if not request.get("ScanIndexForward", True):
            numbers = numbers[::-1]
        start = request.get("ExclusiveStartKey")
        behind = numbers.index(_number(start)) + 1 if start else 0
        page = numbers[behind : behind + request["Limit"]]
        self._charge(len(page))
        asked = self._asked(request)
        is_filtered = "FilterExpression" in request
        answer: Item = {"Items": [] if is_filtered else [_item(asked, number) for number in page]}
        if len(page) == request["Limit"]:
            answer["LastEvaluatedKey"] = _key(page[-1])
        return answer

    def _asked(self, request: Item) -> Item:
        names = request["ExpressionAttributeNames"]
        asked = {names[name] for name in request["ProjectionExpression"].split(", ")}
        return {name: value for name, value in self._example.items() if name in asked}

    def _charge(self, entries: int) -> None:
        units = -(-entries * self.bytes_of_entry // UNIT_BYTES) * EVENTUALLY_CONSISTENT
        with self._lock:
            self.read_units += units


def rank_of(number: int) -> int:
    return 255 * TIER + FIRST_TICKET + number


def entry_id_of(number: int) -> str:
    """Return an entry id. As in real ids, the first letter selects the partition of the index."""
    return ALPHABET[number % SHARDS] + f"{number // SHARDS:025o}".translate(LETTERS)


def _item(asked: Item, number: int) -> Item:
    ticket = {"N": str(FIRST_TICKET + number)}
    return {
        **asked,
        "pk": {"S": f"ENTRY#{WAITLIST_ID}#{entry_id_of(number)}"},
        "rank": {"N": str(rank_of(number))},
        "ticket": ticket,
        "stamp": ticket,
    }


def _key(number: int) -> Item:
    return {
        "pk": {"S": f"ENTRY#{WAITLIST_ID}#{entry_id_of(number)}"},
        "sk": {"S": "RECORD"},
        "place": {"S": line_place(WAITLIST_ID, number % SHARDS)},
        "place_rank": {"N": str(rank_of(number))},
    }


def _number(key: Item) -> int:
    return int(key["place_rank"]["N"]) - rank_of(0)


def _example() -> Item:
    """Return an entry as the index stores it after a signup without attributes."""
    record = EntryRecord(
        waitlist_id=WAITLIST_ID,
        entry_id=entry_id_of(0),
        customer_id="customer",
        status="waiting",
        join_id=new_join_id(),
        joined=Joined(millis=YESTERDAY_MILLIS),
        updated_millis=YESTERDAY_MILLIS,
        rank=rank_of(0),
        ticket=FIRST_TICKET,
        stamp=FIRST_TICKET,
    )
    (index,) = create_table_request("any")["GlobalSecondaryIndexes"]
    projected = {*index["Projection"]["NonKeyAttributes"], *INDEX_KEYS, "pk", "sk"}
    item = record.to_item(line_place(WAITLIST_ID, 0), rank_of(0))
    return {name: _serialize(value) for name, value in item.items() if name in projected}


def _config() -> Item:
    item = {
        "settings": msgspec.json.encode(WaitlistSettings(name="Rebuild")).decode(),
        "waitlist_id": WAITLIST_ID,
        "version": 1,
        "created_millis": YESTERDAY_MILLIS,
        "updated_millis": YESTERDAY_MILLIS,
    }
    return {name: _serialize(value) for name, value in item.items()}


def _size(item: Item) -> int:
    """Return the size that AWS charges for: the length of all names and values.

    A number takes about half a byte per digit.
    """
    typed = [(name, *pair) for name, value in item.items() for pair in value.items()]
    return sum(len(name) + _weight(kind, value) for name, kind, value in typed)


def _weight(kind: str, value: str) -> int:
    return len(value) // 2 + 2 if kind == "N" else len(value)
