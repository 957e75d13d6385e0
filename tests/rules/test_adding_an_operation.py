"""To add an operation to the private function, a developer only has to write two classes and a
script.
"""

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from fakeredis import FakeRedis
from msgspec import Struct

from waitlist_queue import operations, scripts
from waitlist_queue.service import QueueService
from waitlist_queue.store import RedisStore
from waitlist_shared import contracts as c
from waitlist_shared.contracts import common

SCRIPT = """\
-- first_entries: returns the first entries of the queue.
-- PRELUDE cold
-- ARGV limit order
-- RETURNS found total is_whole entries
-- EACH entries entry_id rank
local total = redis.call('ZCARD', keys.queue)
local command = order == 'oldest' and 'ZRANGE' or 'ZREVRANGE'
local found = redis.call(command, keys.queue, 0, limit - 1, 'WITHSCORES')
local entries = {}
for i = 1, #found, 2 do entries[#entries + 1] = {found[i], tonumber(found[i + 1])} end
return {'found', total, #entries == total, entries}
"""
MESSAGE = {"v": 1, "op": "first_entries", "waitlist_id": "bakery", "limit": 2}
ENTRIES = {"a" * 26: 5, "b" * 26: 7, "c" * 26: 9}


class RankedEntry(Struct, frozen=True, kw_only=True):
    entry_id: c.EntryId
    rank: int


def test_two_classes_and_a_script_define_an_operation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # After the test, `monkeypatch` removes the new operation.
    monkeypatch.setitem(common.REQUESTS, "first_entries", c.Request)

    class FirstEntries(c.OnWaitlist, frozen=True, kw_only=True):
        limit: int = 100
        order: Literal["oldest", "newest"] = "oldest"

    results: dict[Any, Any] = common.RESULTS
    monkeypatch.setitem(results, FirstEntries, c.Result)

    @c.answers(FirstEntries)
    class FirstEntriesResult(c.Result, frozen=True, kw_only=True):
        total: int
        is_whole: bool = False
        entries: tuple[RankedEntry, ...]

    file = tmp_path / "first_entries.lua"
    file.write_text(SCRIPT, encoding="utf-8")
    script = scripts.load(file)
    others = scripts.script_named
    monkeypatch.setattr(
        operations, "script_named", lambda name: script if name == script.name else others(name)
    )

    redis = FakeRedis(decode_responses=True)
    service = QueueService(RedisStore(lambda: redis))
    assert service.handle(MESSAGE)["code"] == "cold"
    service.handle(
        {
            "op": "init",
            "waitlist_id": "bakery",
            "settings": {"version": 1},
            "mode": "create",
            "epoch": "0" * 8,
        }
    )
    redis.zadd("wl:{bakery}:queue", ENTRIES)
    answer = json.loads(json.dumps(service.handle(MESSAGE)))
    assert answer == {
        "ok": True,
        "outcome": "found",
        "total": 3,
        "is_whole": False,
        "entries": [{"entry_id": "a" * 26, "rank": 5}, {"entry_id": "b" * 26, "rank": 7}],
    }
    batch = service.handle({"op": "batch", "requests": [{**MESSAGE, "order": "newest"}]})
    assert batch["results"][0]["entries"][0]["rank"] == 9
    assert service.handle({**MESSAGE, "order": "random"})["code"] == "invalid_request"
    assert c.RESULTS[FirstEntries] is FirstEntriesResult
