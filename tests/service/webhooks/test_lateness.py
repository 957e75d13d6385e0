"""Tests that the webhook function reports every minute that it is running, and how late
events are.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.service.telemetry.captured_logs import metrics_of
from tests.service.telemetry.metric_world import stack_of
from tests.service.webhooks.receiving import Answer, Stage, Stand, standing, status
from tests.support.alarms import ALARM, OK, Alarm, Metric
from tests.support.dynamodb import TABLE
from waitlist_api.config import WebhookConfig
from waitlist_api.events.changes import HEARTBEAT as HEARTBEAT_TYPE
from waitlist_api.handlers import webhook as webhook_handler
from waitlist_api.records.published import HEARTBEAT_EVENT
from waitlist_cli.operations.cost import WATCHED

NAMESPACE = "Waitlist/waitlist"
HEARTBEAT = {"event": HEARTBEAT_EVENT, "at": "2026-11-27T10:00:00Z"}
WEBHOOK = frozenset({("WebhookUrl", "https://example.com/hook")})
Lines = list[dict[str, Any]]


@pytest.fixture
def stand() -> Iterator[Stand]:
    with standing() as made:
        yield made


@pytest.fixture
def stage(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage(stand, monkeypatch)
    config = WebhookConfig(TABLE, stand.url, "", "", metrics_namespace=NAMESPACE)
    monkeypatch.setattr(webhook_handler, "config", lambda: config)
    webhook_handler.telemetry.cache_clear()
    return made


def lines_of(capsys: pytest.CaptureFixture[str]) -> Lines:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_heartbeat_has_a_line_without_failure_and_goes_nowhere(
    stage: Stage, stand: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.announce([HEARTBEAT])
    stage.run()
    (line,) = lines_of(capsys)
    assert (line["operation"], line["outcome"]) == (HEARTBEAT_EVENT, "ok")
    assert (line["failures"], line["late_seconds"]) == (0, 0)
    assert stand.received == []
    assert stage.queue.bodies == []


def test_an_event_that_is_put_off_says_how_late_it_will_be(
    stage: Stage, stand: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    stand.answers = [status(503, Retry_After="7200")]
    stage.scene.people.all_sign_up("ada")
    stage.announce()
    stage.run()
    (line,) = lines_of(capsys)
    assert (line["outcome"], line["failures"], line["late_seconds"]) == ("refused", 1, 7_201)
    stage.advance(7_201)
    stage.run()
    (line,) = lines_of(capsys)
    assert (line["outcome"], line["failures"], line["late_seconds"]) == ("sent", 0, 0)


def lived(
    stage: Stage, capsys: pytest.CaptureFixture[str], minutes: int
) -> dict[Metric, list[list[float]]]:
    values: dict[Metric, list[list[float]]] = {}
    for number in range(1, minutes + 1):
        stage.announce([HEARTBEAT])
        stage.run()
        for line in lines_of(capsys):
            for metric in metrics_of(line):
                series = values.setdefault(metric, [])
                series += [[] for _ in range(number - len(series))]
                series[-1].append(line[metric[1]])
        stage.advance(60)
    for series in values.values():
        series += [[] for _ in range(minutes - len(series))]
    return values


@pytest.mark.parametrize(
    ("answer", "rings"), [(status(503, Retry_After="7200"), ALARM), (status(204), OK)]
)
@pytest.mark.parametrize("mode", ["full", "essential"])
def test_an_event_that_waits_between_its_attempts_is_noticed(
    stage: Stage,
    stand: Stand,
    capsys: pytest.CaptureFixture[str],
    answer: Answer,
    rings: str,
    mode: str,
) -> None:
    """An event that is waiting for its next attempt sets off the alarm, even if all heartbeats
    arrive in the meantime.
    """
    stand.always = answer
    stage.scene.people.all_sign_up("ada")
    stage.announce()
    values = lived(stage, capsys, 90)
    alarms = stack_of(WEBHOOK | {("Monitoring", mode)}).of_type("AWS::CloudWatch::Alarm")
    late = Alarm(alarms["WebhookLateAlarm"], fills_nothing=True)
    assert late.state(values, 90) == rings


def test_the_metrics_of_a_webhook_are_those_that_are_paid_for(
    stage: Stage, stand: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(lived(stage, capsys, 2)) == WATCHED["full"]["webhook"].idle
    people = stage.scene.people
    people.configure(admission={"offer_seconds": 600})
    stand.answers = [status(500)]
    people.all_sign_up("ada")
    people.admit(1)
    people.enter("ada")
    people.exit("ada")
    stage.announce()
    stage.run()
    stage.run_for(600)
    metrics = set().union(*map(metrics_of, lines_of(capsys))) | lived(stage, capsys, 1).keys()
    assert set(stand.events) == {"joined", "offered", "admitted", "exited"}
    assert len(metrics) == WATCHED["full"]["webhook"].busy


@pytest.mark.parametrize("body", [HEARTBEAT, {"detail-type": HEARTBEAT_TYPE, "detail": HEARTBEAT}])
def test_a_replay_of_dead_letters_takes_heartbeats_away(
    stage: Stage, stand: Stand, body: dict[str, Any]
) -> None:
    """While the function is down, its heartbeats become dead letters. When an operator resends the
    dead letters, the heartbeats do not reach the webhook.
    """
    stage.dead.send(json.dumps(body))
    since = {"since": "2026-01-01T00:00:00Z"}
    world = stage.scene.world
    answer = world.request("POST", "/v1/admin/webhook/replay", body=since, operator=True)
    assert answer.json == {"replayed": 1, "more": False}
    assert stage.dead.bodies == []
    stage.run()
    assert stage.queue.bodies == []
    assert stand.received == []
