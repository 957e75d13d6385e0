"""What each call uses, counted: the numbers of `waitlist cost` and docs/operate/sizing.md."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from tests.service.messages.stage import Context
from tests.support.admissions import Admissions
from tests.support.dynamodb import TABLE
from tests.support.stores import empty_redis
from tests.support.units import MeteredTable, units_of
from tests.support.world import SECRET, RedisClock, World
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.messages.batch import Batches
from waitlist_api.messages.compose import Letterhead, Message
from waitlist_api.messages.sender import Sender
from waitlist_api.queue.client import QueueClient
from waitlist_api.records.deliveries import Deliveries, Delivery
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.message_counts import MessageCounts
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.table import Table
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_cli.operations.cost import (
    MESSAGE,
    MESSAGE_BYTES,
    MINUTE,
    OPERATIONS,
    WATCHED,
    Operation,
)
from waitlist_shared.correlation import Correlation
from waitlist_shared.telemetry import Telemetry

PROFILE = {"name": "Ann Example", "email": "ann.example@example.com", "phone": "+1 202 555 0142"}
PLACES = 50
# The dearest that guests can do by default: sign up again with other attributes of
# `max_guest_bytes`, and leave. The index takes some of the writes, the table these.
FLOOD = {
    "signup again": Operation(writes=34, table_calls=3, events=1),
    "leave": Operation(writes=25, table_calls=2, events=1),
}
FLOOD_TABLE_WRITES = 35


@pytest.fixture
def people() -> Admissions:
    people = Admissions(World.on(MeteredTable(), empty_redis(), redis_clock=RedisClock.standing()))
    people.configure(admission={"pass_seconds": 3600})
    people.sign_up("first", profile=PROFILE)
    return people


def counted(
    people: Admissions, call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> Operation:
    """Return what a call uses; reads of the waitlist's settings, once in 30 s, do not count."""
    sent: list[object] = []
    send = QueueClient.send

    def counting(client: QueueClient, request: Any) -> Any:
        sent.append(request)
        return send(client, request)

    table = people.world.dynamodb
    before = events(table)
    with monkeypatch.context() as patch, units_of(table) as units:
        patch.setattr(QueueClient, "send", counting)
        call()
    return Operation(
        writes=units.writes,
        reads=units.reads,
        table_calls=units.calls,
        queue_calls=len(sent),
        events=events(table) - before,
    )


def largest(letter: str) -> dict[str, list[str]]:
    """Return attributes of nearly `max_guest_bytes`; the index, too, has them."""
    return {f"a{number}": [f"{value:02d}{letter * 62}" for value in range(15)] for number in "12"}


def events(table: MeteredTable) -> int:
    return sum(sort.startswith("HISTORY#") for _, sort in table.items)


def assert_is(name: str, found: Operation) -> None:
    expected = {**asdict(OPERATIONS[name]), "signatures": 0}
    assert asdict(found) == expected, name


def test_a_life_uses_what_is_said(people: Admissions, monkeypatch: pytest.MonkeyPatch) -> None:
    def uses(name: str, call: Callable[[], Any]) -> None:
        assert_is(name, counted(people, call, monkeypatch))

    uses("signup", lambda: people.sign_up("ann", profile=PROFILE))
    people.sign_up("bob", profile=PROFILE)
    uses("look", lambda: people.poll("ann"))
    uses("board", lambda: people.world.request("GET", f"{people.path}/board"))
    people.admit(2)
    uses("enter", lambda: people.enter("ann"))
    uses("exit", lambda: people.exit("ann"))
    uses("leave", lambda: people.leave("bob"))


def test_the_dearest_guest_uses_what_is_said(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each signup and leave replaces data of `max_guest_bytes` by other data."""
    assert people.sign_up("ann", attributes=largest("x")).status == 201
    people.leave("ann")
    calls = {
        "signup again": lambda: people.sign_up("ann", attributes=largest("y")),
        "leave": lambda: people.leave("ann"),
    }
    of_table = 0.0
    for name, call in calls.items():
        assert counted(people, call, monkeypatch) == FLOOD[name], name
        units = people.world.dynamodb.units
        of_table += units.writes - units.index_writes
    assert of_table == FLOOD_TABLE_WRITES


def test_an_offer_of_many_uses_what_is_said(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call of the queue, and the read of all their records, are shared by the run."""
    people.all_sign_up(*(f"another-person-{number}" for number in range(PLACES - 1)))
    found = counted(people, lambda: people.admit(PLACES), monkeypatch)
    assert found.queue_calls == 1
    per_offer = OPERATIONS["offer"]
    assert (found.writes, found.reads) == (per_offer.writes * PLACES, per_offer.reads * PLACES)
    assert found.events == per_offer.events * PLACES


class Sent:
    """A channel that takes all."""

    def send(self, _message: Message, _ids: Delivery | None) -> None: ...


def test_a_message_uses_what_is_said(
    people: Admissions, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    people.configure(messages={"kinds": ["joined"]})
    people.sign_up("ann", profile=PROFILE)
    table, now_millis = Table(people.world.dynamodb, TABLE), people.world.clock.now_millis
    sender = Sender(
        EntryRecords(table, now_millis),
        WaitlistRecords(table),
        Deliveries(table),
        Recipients(table, now_millis),
        {"mail": Sent()},
        Letterhead("https://example.net", EntryTokens(SECRET)),
        now_millis,
    )
    telemetry = Telemetry("messages", namespace="test", log_level="INFO", environ={})
    batches = Batches(sender, MessageCounts(table), None, "", telemetry, Correlation())
    found = {
        "waitlist_id": people.waitlist_id,
        "entry_id": people.id_of("ann"),
        "event": "joined",
        "stamp": str(people.stay_of("ann") * 10),
        "by": "customer",
    }
    record = {"messageId": "1", "eventSource": "aws:sqs", "body": json.dumps(found)}
    capsys.readouterr()
    used = counted(people, lambda: batches.handle({"Records": [record]}, Context()), monkeypatch)
    assert used == MESSAGE
    text = capsys.readouterr().out
    line = json.loads(text)
    assert line["sent"] == 1
    assert MESSAGE_BYTES * 0.8 < len(text) <= MESSAGE_BYTES
    of_each, of_service = (one["Metrics"] for one in line["_aws"]["CloudWatchMetrics"])
    # Of the service, and of each outcome.
    dimensions = 1 + len(("ok", "retried"))
    assert len(of_each) * dimensions + len(of_service) == WATCHED["full"]["messages"].busy


def test_a_minute_of_maintenance_uses_what_is_said(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one empty list: the price of an idle stack. Some runs do a little more."""
    people.leave("first")
    runs = []
    for _ in range(30):
        people.world.advance(60)
        runs.append(counted(people, people.world.maintenance.run_all, monkeypatch))
    assert Counter(runs).most_common(1)[0][0] == MINUTE
