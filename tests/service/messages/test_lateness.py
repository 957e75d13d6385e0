"""Tests that operators learn within minutes that messages cannot be sent.

SQS' own metric for the age of the oldest message is not enough, because it ignores messages that
were received three times. That is why the function reports how late each message is.
"""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.service.bus.scene import Detail
from tests.service.messages.stage import Stage, staged
from tests.service.messages.stand_ins import error
from tests.service.telemetry.captured_logs import metrics_of
from tests.service.telemetry.metric_world import stack_of
from tests.support.alarms import ALARM, OK, Alarm, Metric
from waitlist_api.records.published import HEARTBEAT_EVENT
from waitlist_cli.operations.cost import WATCHED

NAMESPACE = "Waitlist/waitlist"
# The number of receives after which SQS' ApproximateAgeOfOldestMessage metric ignores a message.
RECEIVES_THAT_SQS_COUNTS = 3
LIMIT_MINUTES = 15
MAIL = frozenset({("MailFrom", "line@bakery.example"), ("SmsFrom", "LINE")})


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setenv("METRICS_NAMESPACE", NAMESPACE)
    with staged(monkeypatch) as made:
        yield made


@dataclass
class Minutes:
    """Simulates the queue and the CloudWatch metrics, minute by minute.

    The queue contains one heartbeat per minute, and messages that could not be sent return to it.
    """

    stage: Stage
    capsys: pytest.CaptureFixture[str]
    values: dict[Metric, list[list[float]]] = field(default_factory=dict)
    minutes: int = 0
    # The messages in the queue. Each tuple says when the message becomes visible, how many times it
    # was received and when it was sent, and ends with its event.
    waiting: list[tuple[int, int, int, Detail]] = field(default_factory=list)

    def announce(self, *details: Detail) -> None:
        now = self.stage.clock.millis
        self.waiting += [(now, 0, now, detail) for detail in details]

    def live(self, minutes: int) -> None:
        for _minute in range(minutes):
            self.minutes += 1
            self.take({"event": HEARTBEAT_EVENT, "at": "2026-11-27T10:00:00Z"}, 1, None)
            # A message that becomes visible within this minute is handled within the same minute.
            for _second in range(60):
                self._take_visible()
                self.stage.clock.advance(1)

    def _take_visible(self) -> None:
        now = self.stage.clock.millis
        visible = [one for one in self.waiting if one[0] <= now]
        self.waiting = [one for one in self.waiting if one[0] > now]
        for _at, receives, since, detail in visible:
            if self.take(detail, receives + 1, since):
                pause = int(self.stage.stand_ins.pauses[-1]["VisibilityTimeout"])
                self.waiting.append((now + pause * 1000, receives + 1, since, detail))

    def take(self, detail: Detail, receives: int, since: int | None) -> bool:
        back = self.stage.send(detail, receives=receives, sent_millis=since)
        for line in map(json.loads, self.capsys.readouterr().out.splitlines()):
            for metric in metrics_of(line):
                series = self.values.setdefault(metric, [])
                series += [[] for _ in range(self.minutes - len(series))]
                series[-1].append(line[metric[1]])
        return bool(back)

    def state(self, name: str, **parameters: str) -> str:
        for series in self.values.values():
            series += [[] for _ in range(self.minutes - len(series))]
        stack = stack_of(MAIL | frozenset(parameters.items()))
        alarm = stack.of_type("AWS::CloudWatch::Alarm")[name]
        return Alarm(alarm, fills_nothing=True).state(self.values, self.minutes)


@pytest.fixture
def minutes(stage: Stage, capsys: pytest.CaptureFixture[str]) -> Minutes:
    return Minutes(stage, capsys)


def refuse_the_sender(_mail: Any) -> Any:
    return error(400, "MailFromDomainNotVerifiedException")


def test_a_sender_that_ses_refuses_is_noticed_in_half_an_hour(
    stage: Stage, minutes: Minutes
) -> None:
    stage.stand_ins.failing = refuse_the_sender
    stage.joins("ada")
    minutes.live(20)
    assert minutes.state("MessagesLateAlarm") == OK
    minutes.announce(*stage.news())
    minutes.live(LIMIT_MINUTES)
    (message,) = minutes.waiting
    assert message[1] > RECEIVES_THAT_SQS_COUNTS, "SQS' own metric does not count it any more"
    minutes.live(LIMIT_MINUTES)
    assert minutes.state("MessagesLateAlarm") == ALARM
    assert minutes.state("MessagesLateAlarm", Monitoring="essential") == ALARM
    # SES accepts the sender again, and the alarm ends.
    stage.stand_ins.failing = lambda _: (200, {"MessageId": "0002"})
    minutes.live(25)
    assert minutes.waiting == []
    assert minutes.state("MessagesLateAlarm") == OK


def test_the_reason_that_ses_gives_is_a_warning(
    stage: Stage, minutes: Minutes, caplog: pytest.LogCaptureFixture
) -> None:
    stage.stand_ins.failing = refuse_the_sender
    stage.joins("ada")
    minutes.announce(*stage.news())
    minutes.live(1)
    warned = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert warned
    assert all("MailFromDomainNotVerified" in one.getMessage() for one in warned)
    assert "example.com" not in caplog.text


def test_a_message_that_waits_for_the_opening_is_not_late(stage: Stage, minutes: Minutes) -> None:
    # The tests' clock starts at 14:13.
    hours = {"from": "16:00", "to": "17:00", "timezone": "UTC"}
    stage.configure(admission={"offer_seconds": 43_200, "offer_hours": hours})
    stage.joins("ada")
    stage.people.admit(1)
    _joined, offered = stage.news()
    minutes.announce({**offered, "by": "policy"})
    minutes.live(45)
    assert len(minutes.waiting) == 1
    assert minutes.state("MessagesLateAlarm") == OK


def test_a_function_without_messages_has_the_metrics_that_are_paid_for(minutes: Minutes) -> None:
    minutes.live(2)
    assert len(minutes.values) == WATCHED["full"]["messages"].idle


def test_a_stack_with_essential_monitoring_pays_for_what_its_alarms_read(
    stage: Stage, minutes: Minutes, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = stack_of(MAIL | {("Monitoring", "essential")}).resources["MessagesFn"]
    monkeypatch.setenv("METRICS", function["Properties"]["Environment"]["Variables"]["METRICS"])
    stage.joins("ada")
    minutes.announce(*stage.news())
    minutes.live(2)
    assert len(minutes.values) == WATCHED["essential"]["messages"].busy


def test_a_month_with_retries_has_the_metrics_that_are_paid_for(
    stage: Stage, minutes: Minutes
) -> None:
    stage.stand_ins.failing = refuse_the_sender
    stage.joins("ada")
    minutes.announce(*stage.news())
    minutes.live(2)
    assert len(minutes.values) == WATCHED["full"]["messages"].busy
