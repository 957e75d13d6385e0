"""Simulates many people who receive messages. Sending often fails, and the queue delivers some
messages twice. Time is simulated too.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from json import dumps
from random import Random
from typing import Any

from tests.service.bus.scene import Detail
from tests.service.messages.stage import Stage
from tests.service.messages.stand_ins import SENT, Answer, error
from tools.local.bus import details_of
from waitlist_api.handlers import messages as messages_handler
from waitlist_api.records.entry import record_key

KINDS = ["joined", "near", "offered", "ending", "admitted", "left"]
# The share of events that the simulated event bus repeats, as EventBridge and SQS may do.
REPEATED = 0.1
LOST_ANSWERS, FAILURES, REFUSALS = 0.05, 0.05, 0.05
BATCH, HIDDEN_SECONDS, MOST_RECEIVES = 10, 180, 300
# The status that an entry must have when a message of a given kind is sent.
TRUE_AT = {
    "joined": "waiting",
    "near": "waiting",
    "offered": "offered",
    "ending": "offered",
    "admitted": "admitted",
    "left": "left",
}
TOO_MANY = (429, "TooManyRequestsException")
# The tests' clock starts at 14:13:20 UTC.
OPENS, CLOSES = "08:00", "14:22"
Message = tuple[str, ...]


@dataclass
class Queued:
    """A message in the SQS queue.

    After a failed attempt, the message stays hidden until `visible_millis`.
    """

    body: str
    at_millis: int
    visible_millis: int
    receives: int = 0


@dataclass
class Crowd:
    """The people on a waitlist and the messages to them.

    `taken` counts how many times SES or the SMS service has accepted each message. `unheard`
    contains the accepted messages whose responses were lost.
    """

    stage: Stage
    random: Random
    queue: list[Queued] = field(default_factory=list)
    taken: Counter[Message] = field(default_factory=Counter)
    unheard: set[Message] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    # For each event, when it was queued, after how many seconds it was handled, and after how many
    # attempts.
    delays: list[tuple[int, float, int]] = field(default_factory=list)
    failures: int = 0
    texts: int = 0
    offers: list[tuple[int, str, str]] = field(default_factory=list)
    events: list[Detail] = field(default_factory=list)

    def start(self, signups: int, imported: int) -> None:
        self.stage.configure(
            messages={"kinds": KINDS, "near": 5, "sms_countries": ["DE"]},
            admission={
                "rate": {"count": max(3, (signups + imported) // 12), "per": "minute"},
                "offer_seconds": 300,
                "no_show": "leave",
                "offer_hours": {"from": OPENS, "to": CLOSES, "timezone": "UTC"},
            },
        )
        self.stage.stand_ins.failing = self._answer
        people = self.stage.people
        for number in range(signups):
            self.stage.joins(f"early{number}")
        names = [f"late{number}" for number in range(imported)]
        for start in range(0, imported, 500):
            rows = [
                {"customer_id": name, "profile": _address(number, name)}
                for number, name in enumerate(names[start : start + 500], start)
            ]
            path = f"{people.admin_path}/import"
            answer = self.stage.world.request("POST", path, body={"entries": rows}, operator=True)
            assert answer.json["joined"] == len(rows), answer.text
        for name in names:
            people.id_of(name)

    def minute(self) -> None:
        self.stage.world.maintenance.run_all()
        self._act()
        self._publish()
        for _ in range(12):
            self.receive()
            self.stage.world.advance(5)

    def dead_minutes(self, minutes: int) -> None:
        """Let time pass while the function is down. Maintenance runs only every ten minutes."""
        for _ in range(minutes // 10):
            self.stage.world.maintenance.run_all()
            self._act()
            self._publish()
            self.stage.world.advance(600)

    def rest(self) -> None:
        """Advance the time until the queue is empty."""
        for _ in range(200):
            self.minute()
            if not self.queue and not self.offers:
                return
        raise AssertionError(f"{len(self.queue)} messages are left")

    @property
    def now_millis(self) -> int:
        return self.stage.clock.millis

    @property
    def repeated_delays(self) -> list[float]:
        """For each message that failed at first, return how many seconds after its event it was
        sent. Only messages within the offer hours are included.
        """
        return [
            seconds
            for at, seconds, receives in self.delays
            if receives > 1 and _is_open(at) and _is_open(at + int(seconds * 1000))
        ]

    @property
    def twice(self) -> list[Message]:
        """Return the messages that were sent twice even though the service had received the
        response to the first one. There must be none.
        """
        return [key for key, count in self.taken.items() if count > 1 and key not in self.unheard]

    def untold(self, event: str) -> list[str]:
        """Return the entries that have an event but no message about it.

        Messages that the service has recorded as dropped are left out.
        """
        told = {(entry_id, stamp) for entry_id, _, stamp, kind in self.taken if kind == event}
        stays = {(entry_id, ticket) for entry_id, ticket, _, kind in self.taken if kind == event}
        notes = [
            (pk.rpartition("#")[2], *sort.split("#")[1:])
            for (pk, sort), item in self.stage.table.items.items()
            if sort.startswith("DELIVERY#") and item.get("state", {}).get("S") == "dropped"
        ]
        dropped = {(entry_id, int(stamp)) for entry_id, _, stamp, kind in notes if kind == event}
        once = {entry_id for entry_id, _ in stays}
        once |= {
            entry_id for entry_id, ticket, stamp, kind in notes if kind == event and ticket == stamp
        }
        return [
            one["entry_id"]
            for one in self.events
            if one["event"] == event
            and (one["entry_id"], str(int(one["stamp"]) // 10)) not in told
            and (one["entry_id"], int(one["stamp"]) // 10) not in dropped
            and one["entry_id"] not in once
        ]

    def _act(self) -> None:
        people = self.stage.people
        due = [one for one in self.offers if one[0] <= self.now_millis]
        self.offers = [one for one in self.offers if one[0] > self.now_millis]
        for _, name, act in due:
            if act == "enter":
                people.enter(name)
            elif act == "decline":
                people.decline(name, to="leave")
            elif act == "leave":
                people.leave(name)

    def _publish(self) -> None:
        """Put new events into the queue, some of them twice.

        For an offer, choose how the person will react.
        """
        news = details_of(self.stage.table.take_records()["Records"])
        self.events += news
        for detail in news:
            for _ in range(2 if self.random.random() < REPEATED else 1):
                self.queue.append(Queued(dumps(detail), self.now_millis, self.now_millis))
            if detail["event"] == "offered":
                act = self.random.choice(["enter", "enter", "decline", "leave", "no-show"])
                after = self.random.randrange(0, 240_000)
                name = self.stage.people.names[detail["entry_id"]]
                self.offers.append((self.now_millis + after, name, act))

    def receive(self, most: int = 1_000) -> None:
        visible = [one for one in self.queue if one.visible_millis <= self.now_millis]
        self.random.shuffle(visible)
        gone: set[int] = set()
        for start in range(0, min(len(visible), most * BATCH), BATCH):
            batch = visible[start : start + BATCH]
            failed, pauses = self._run(batch)
            for number, one in enumerate(batch):
                if number in failed:
                    seconds = pauses.get(f"handle-{number}", HIDDEN_SECONDS)
                    one.visible_millis = self.now_millis + seconds * 1000
                    assert one.receives < MOST_RECEIVES, "a dead letter"
                else:
                    gone.add(id(one))
        if gone:
            self.queue = [one for one in self.queue if id(one) not in gone]

    def _run(self, batch: list[Queued]) -> tuple[set[int], dict[str, int]]:
        self.stage.stand_ins.pauses.clear()
        records = []
        for number, one in enumerate(batch):
            one.receives += 1
            records.append(
                {
                    "messageId": str(number),
                    "receiptHandle": f"handle-{number}",
                    "eventSource": "aws:sqs",
                    "attributes": {"ApproximateReceiveCount": str(one.receives)},
                    "body": one.body,
                }
            )
        answer = messages_handler.lambda_handler({"Records": records}, self.stage.context)
        failed = {int(one["itemIdentifier"]) for one in answer["batchItemFailures"]}
        for number, one in enumerate(batch):
            if number not in failed:
                seconds = (self.now_millis - one.at_millis) / 1000
                self.delays.append((one.at_millis, seconds, one.receives))
        pauses = {
            one["ReceiptHandle"]: one["VisibilityTimeout"] for one in self.stage.stand_ins.pauses
        }
        return failed, pauses

    def _answer(self, sent: dict[str, Any]) -> Answer:
        """Return a response from SES or the SMS service, or a random error. Record messages that
        should not have been sent.
        """
        is_text = "Context" in sent
        self.texts += is_text
        tags = (
            sent["Context"] if is_text else {one["Name"]: one["Value"] for one in sent["EmailTags"]}
        )
        key = tags["entry_id"], tags["ticket"], tags["stamp"], tags["kind"]
        chance = self.random.random()
        self.failures += chance < LOST_ANSWERS + FAILURES + REFUSALS
        if chance < FAILURES:
            return error(500, "InternalFailure")
        if chance < FAILURES + REFUSALS:
            return error(*((400, "ThrottlingException") if is_text else TOO_MANY))
        self._judge(tags)
        self.taken[key] += 1
        if chance < FAILURES + REFUSALS + LOST_ANSWERS:
            self.unheard.add(key)
            return None
        return SENT

    def _judge(self, tags: dict[str, str]) -> None:
        kind = tags["kind"]
        key = record_key(tags["waitlist_id"], tags["entry_id"])
        record = self.stage.table.items[key["pk"], key["sk"]]
        status, ticket = record["status"]["S"], record["ticket"]["N"]
        hold = record.get("hold", {"M": {}})["M"]
        is_open = int(hold.get("until_millis", {"N": "0"})["N"]) > self.now_millis
        if (status, ticket) != (TRUE_AT[kind], tags["ticket"]) or (
            kind in ("offered", "ending") and not is_open
        ):
            self.wrong.append(f"{kind} was sent to a person who is {status}")
        if kind in ("near", "offered", "ending") and not _is_open(self.now_millis):
            self.wrong.append(f"{kind} is sent at {_clock(self.now_millis)}")


def _clock(millis: int) -> str:
    return f"{datetime.fromtimestamp(millis / 1000, UTC):%H:%M}"


def _is_open(millis: int) -> bool:
    return OPENS <= _clock(millis) < CLOSES


def _address(number: int, name: str) -> dict[str, str]:
    if number % 3:
        return {"email": f"{name}@example.com"}
    return {"phone": f"+49 1512 {number:07d}"}


def told(crowd: Crowd, people: int) -> None:
    signups = people // 10
    crowd.start(signups, people - signups)
    for _ in range(7):
        crowd.minute()
    # The function is down for an hour, during which the offer hours end. Offers and their messages
    # then wait until the next morning.
    died = crowd.now_millis
    crowd.dead_minutes(60)
    lives = crowd.now_millis
    for _ in range(5):
        crowd.minute()
    opening = datetime.fromtimestamp(crowd.now_millis / 1000, UTC).replace(hour=8, minute=0)
    seconds = (opening.timestamp() + 86_400) - crowd.now_millis / 1000
    crowd.stage.world.advance(seconds - 300)
    for _ in range(6):
        crowd.minute()
    crowd.rest()
    assert crowd.wrong == []
    assert crowd.twice == []
    for event in ("offered", "ending", "admitted", "left", "near"):
        assert crowd.untold(event) == [], event
    late = [at for at, seconds, receives in crowd.delays if receives == 1 and seconds > 60]
    assert late, "the function was down"
    assert crowd.texts > people / 3
    assert all(died <= at < lives for at in late)
    assert crowd.failures > people / 10
