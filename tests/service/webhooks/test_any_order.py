"""Tests that every event arrives, and that each person's events arrive in order, whatever fails."""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.dynamodb import TABLE
from tests.support.faults import Crash
from tests.support.queues import LocalSqs
from tests.support.rights import WEBHOOK_DEAD_LETTERS, WEBHOOK_QUEUE
from tests.support.units import MeteredTable, units_of
from tests.support.world import Clock
from tools.local.sqs import lambda_event
from waitlist_api.clock import iso
from waitlist_api.records.entry import HistoryEvent
from waitlist_api.records.published import Detail
from waitlist_api.records.table import Table
from waitlist_api.records.webhooks import WebhookRecords
from waitlist_api.webhooks.deliver import LEASE_SECONDS, WebhookSender
from waitlist_api.webhooks.queue import QueuedEvent, WebhookQueue, detail_of
from waitlist_api.webhooks.receiver import Attempt
from waitlist_api.webhooks.replay import Replays
from waitlist_api.webhooks.signatures import Signatures
from waitlist_cli.operations.cost import WEBHOOK
from waitlist_shared.ranks import ticket_of_millis

STEPS = 250
ENTRIES = ("a" * 26, "b" * 26, "c" * 26)
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@dataclass
class Simulation:
    """A random sequence of steps that record, deliver and erase events."""

    chance: random.Random
    clock: Clock = field(default_factory=Clock)
    happened: dict[str, list[Detail]] = field(default_factory=lambda: defaultdict(list))
    received: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    is_calm: bool = False
    is_looking: bool = False

    def __post_init__(self) -> None:
        self.sqs = LocalSqs(lambda: self.clock.millis / 1000)
        self.metered = MeteredTable()
        self.table = Table(self.metered, TABLE)
        self.queue = WebhookQueue(self.sqs, WEBHOOK_QUEUE, WEBHOOK_DEAD_LETTERS)
        receiver: Any = self
        self.deliveries = WebhookSender(
            records=WebhookRecords(self.table, self.clock.now_millis),
            queue=self.queue,
            receiver=receiver,
            signatures=Signatures(lambda: SECRET),
            now_millis=self.clock.now_millis,
            jitter=self.chance.random,
        )

    def post(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Attempt:
        _, entry_id, stamp = headers["webhook-id"].split("_")
        if not (self.is_calm or self.is_looking) and self.chance.random() < 0.2:
            # A second process delivers an event while this attempt is running.
            self.deliver()
        fate = 1.0 if self.is_calm else self.chance.random()
        if fate < 0.2:
            return Attempt("refused", 500)
        if fate < 0.25:
            return Attempt("refused", 429, self.chance.randrange(1, 90))
        self.received[entry_id].append(int(stamp))
        if fate < 0.35:
            return Attempt("timeout")
        if fate < 0.45 and not self.is_looking:
            raise Crash
        return Attempt("sent", 204)

    def happen(self) -> None:
        entry_id = self.chance.choice(ENTRIES)
        stamp = ticket_of_millis(self.clock.millis) + sum(map(len, self.happened.values()))
        event = HistoryEvent(stamp=stamp, event="bumped", by="customer")
        item = event.to_item("bakery", entry_id)
        self.table.put_many([item])
        self._announce(Detail.from_history_item(item), self.chance.choice([1, 1, 1, 2]))

    def erase(self) -> None:
        """Deliver all of a person's events, erase the person, and deliver the erasure."""
        entry_id = self.chance.choice(ENTRIES)
        if not self.happened[entry_id]:
            return
        self._look(entry_id)
        last = self.happened[entry_id][-1]
        keys = [
            HistoryEvent.key("bakery", entry_id, one.number // 10, one.event)
            for one in self.happened[entry_id]
        ]
        for key in keys:
            self.table.delete_many([key])
        at = iso(self.clock.millis)
        self._announce(Detail("erased", "bakery", entry_id, str(last.number + 1), at), 1)
        self._look(entry_id)

    def _look(self, entry_id: str) -> None:
        """Deliver all messages about a person while no other process is delivering events about
        that person.
        """
        self.clock.advance(LEASE_SECONDS + 1)
        self.is_looking = True
        while self.deliver(entry_id):
            pass
        self.is_looking = False

    def _announce(self, detail: Detail, copies: int) -> None:
        self.happened[detail.entry_id].append(detail)
        for _ in range(copies):
            self.sqs.queue.send(detail.body.decode())

    def deliver(self, entry_id: str = "") -> bool:
        # SQS usually hides a received message for a while. Here it does not, so a message can be
        # received again at once.
        visible = self.sqs.queue.receive(1000, 0)
        visible = [one for one in visible if entry_id in one.body]
        if not visible:
            return False
        message = self.chance.choice(visible)
        assert self.sqs.queue.hide(message.receipt, 360)
        (record,) = lambda_event([message])["Records"]
        queued = QueuedEvent.of_record(record)
        try:
            verdict = self.deliveries.deliver(queued, lambda: 60_000)
        except Crash:
            return True
        if verdict.again_seconds is None:
            self.sqs.queue.delete(record["receiptHandle"])
        else:
            self.queue.hide(queued, verdict.again_seconds)
        return True

    def step(self) -> None:
        acts: list[Callable[[], object]] = [self.happen, self.deliver, self._wait, self.erase]
        (act,) = self.chance.choices(acts, [3, 6, 3, 0.2])
        act()

    def _wait(self) -> None:
        self.clock.advance(self.chance.choice([0.1, 1, 10, 100]))

    def calm_down(self) -> None:
        self.is_calm = True
        for _ in range(200):
            while self.deliver():
                pass
            self.clock.advance(600)


@pytest.mark.parametrize("seed", range(5))
def test_each_event_arrives_and_those_of_an_entry_in_order(seed: int) -> None:
    """If the response to an event is lost, the function sends the event again. The test looks only
    at each event's first arrival (promises P2 and P3).
    """
    simulation = Simulation(random.Random(seed))
    for _ in range(STEPS):
        simulation.step()
    simulation.calm_down()
    assert simulation.sqs.queue.bodies == []
    assert simulation.sqs.dead.bodies == []
    for entry_id, events in simulation.happened.items():
        arrived = list(dict.fromkeys(simulation.received[entry_id]))
        assert arrived == [one.number for one in events]


@dataclass
class Outages(Simulation):
    """The receiver is down for days, messages arrive twice, and an operator resends dead letters.

    There are no crashes, and no two processes send the same person's events at once.
    """

    is_down: bool = False
    copies: list[Detail] = field(default_factory=list)
    asked: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def post(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Attempt:
        _, entry_id, stamp = headers["webhook-id"].split("_")
        if self.is_down:
            return Attempt("refused", 500)
        number, before = int(stamp), self.received[entry_id]
        later = [one for one in before if one > number]
        assert number not in before
        assert not later or number in self.asked[entry_id], (
            "sent without a replay, although it was given up"
        )
        assert not [one for one in later if one % 10], "sent after the erasure"
        before.append(number)
        return Attempt("sent", 204)

    def _announce(self, detail: Detail, copies: int) -> None:
        super()._announce(detail, 1)
        self.copies += [detail] * copies

    def copy(self) -> None:
        if self.copies:
            detail = self.copies.pop(self.chance.randrange(len(self.copies)))
            self.sqs.queue.send(detail.body.decode())

    def fail(self) -> None:
        self.is_down = not self.is_down

    def replay(self) -> None:
        for body in self.sqs.dead.bodies:
            detail = detail_of(body)
            brought = [one for one in self.happened[detail.entry_id] if one.number <= detail.number]
            self.asked[detail.entry_id].update(one.number for one in brought)
        replays = Replays(lambda: self.sqs, WEBHOOK_QUEUE, WEBHOOK_DEAD_LETTERS)
        assert not replays.replay(datetime.fromtimestamp(0, UTC)).more
        for body in self.sqs.queue.bodies:
            if "replay" in body and self.chance.random() < 0.3:
                self.sqs.queue.send(body)

    def step(self) -> None:
        acts: list[Callable[[], object]] = [self.happen, self.deliver, self._wait]
        acts += [self.erase, self.copy, self.fail, self.replay]
        (act,) = self.chance.choices(acts, [3, 9, 3, 0.2, 1, 0.3, 0.1])
        act()

    def _wait(self) -> None:
        self.clock.advance(self.chance.choice([1, 100, 10_000]))


@pytest.mark.parametrize("seed", range(5))
def test_an_event_that_was_given_up_is_sent_only_by_a_replay(seed: int) -> None:
    """Events arrive in order, unless an operator has resent them. In the end, only events from
    before an erasure may be missing (promises P2 and P3).
    """
    outages = Outages(random.Random(seed))
    for _ in range(2 * STEPS):
        outages.step()
    outages.is_down = False
    for _ in range(3):
        outages.calm_down()
        outages.replay()
    outages.calm_down()
    assert (outages.sqs.queue.bodies, outages.sqs.dead.bodies) == ([], [])
    for entry_id, events in outages.happened.items():
        arrived = set(outages.received[entry_id])
        last_erasure = max([one.number for one in events if one.number % 10], default=0)
        lacking = [one.number for one in events if one.number not in arrived]
        assert all(number < last_erasure for number in lacking), lacking


def test_an_event_costs_as_much_as_documented() -> None:
    simulation = Simulation(random.Random(0), is_calm=True)
    simulation.happen()
    with units_of(simulation.metered) as units:
        assert simulation.deliver()
    assert (units.writes, units.reads, units.calls) == (
        WEBHOOK.writes,
        WEBHOOK.reads,
        WEBHOOK.table_calls,
    )
