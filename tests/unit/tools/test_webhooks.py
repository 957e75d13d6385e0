"""Tests of the local webhook: the SQS queue, the loop that invokes the function, and the
mailbox.
"""

import json
import threading
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.service.bus.scene import Scene
from tests.support.dynamodb import TABLE
from tests.support.world import SECRET, Clock
from tests.unit.tools.fakes import FailingFunction, FakeFunction, serving, url_of
from tools.local.bus import details_of
from tools.local.http_message import HttpRequest
from tools.local.mailbox import PATH as MAILBOX_PATH
from tools.local.mailbox import Mailbox
from tools.local.settings import WEBHOOK_SECRET
from tools.local.sqs import LocalQueue, SqsEndpoint
from tools.local.webhooks import WebhookPump
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.aws.clients import sqs_client
from waitlist_api.records.table import Table


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_messages_are_sent_received_hidden_and_deleted(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A queue sends, receives, hides and deletes messages.

    The test uses it through botocore, as the functions do.
    """
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "local")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    queue = LocalQueue(now_seconds=lambda: clock.millis / 1000)
    with serving(SqsEndpoint({"hook": queue})) as server:
        url = f"{url_of(server)}/hook"
        monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", url_of(server))
        sqs = sqs_client()
        sqs.send_message(QueueUrl=url, MessageBody="a")
        sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": "0", "MessageBody": "b"}])
        most = {"MaxNumberOfMessages": 10, "VisibilityTimeout": 60, "WaitTimeSeconds": 1}
        first, second = sqs.receive_message(QueueUrl=url, **most)["Messages"]
        assert (first["Body"], second["Body"]) == ("a", "b")
        assert "Messages" not in sqs.receive_message(QueueUrl=url, **most)
        hidden = {"ReceiptHandle": first["ReceiptHandle"], "VisibilityTimeout": 5}
        sqs.change_message_visibility(QueueUrl=url, **hidden)
        gone = [{"Id": "0", "ReceiptHandle": second["ReceiptHandle"]}]
        sqs.delete_message_batch(QueueUrl=url, Entries=gone)
        assert queue.bodies == ["a"]
        clock.advance(6)
        (again,) = sqs.receive_message(QueueUrl=url, **most)["Messages"]
        assert again["MessageId"] == first["MessageId"]
        with pytest.raises(ClientError, match="ReceiptHandleIsInvalid"):
            sqs.change_message_visibility(QueueUrl=url, **hidden)
        sqs.close()


def test_a_message_that_is_received_too_often_becomes_a_dead_letter(clock: Clock) -> None:
    dead = LocalQueue()
    queue = LocalQueue(10, dead, 2, now_seconds=lambda: clock.millis / 1000)
    queue.send("poison")
    for _ in range(3):
        queue.receive()
        clock.advance(11)
    assert (queue.bodies, dead.bodies) == ([], ["poison"])


class Stream:
    """A fake stream that returns the test's records once. It sets the `is_read` event when there
    are no more records.
    """

    def __init__(self, scene: Scene) -> None:
        self.parts = [scene.table.records]
        self.is_read = threading.Event()

    def read(self) -> list[Any]:
        if self.parts:
            return self.parts.pop()
        self.is_read.set()
        return []


def test_the_pump_repeats_an_event_until_the_function_accepts_it() -> None:
    scene = Scene()
    scene.people.all_sign_up("ada", "bob")
    scene.people.erase("bob")
    scene.maintain()
    queue, calls = LocalQueue(hidden_seconds=600), threading.Semaphore(0)

    def handler(event: Any) -> Any:
        (record,) = event["Records"]
        calls.release()
        is_first = record["attributes"]["ApproximateReceiveCount"] == "1"
        if is_first:
            assert queue.hide(record["receiptHandle"], 0)
            return {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}
        return {"batchItemFailures": []}

    function = FakeFunction(handler)
    details = details_of(scene.table.records, "2026-11-25T09:00:00.000Z")
    read = [one["event"] for one in details if one["at"] == "2026-11-25T09:00:00.000Z"]
    assert read == ["erased"]
    pump = WebhookPump(Stream(scene).read, queue, function, lambda: 1_795_597_200_000)
    pump.start()
    for _ in range(2 * len(details)):
        assert calls.acquire(timeout=60)
    pump.stop(60)
    bodies = [json.loads(one["Records"][0]["body"]) for one in function.events]
    for detail in details:
        assert bodies.count(detail) == 2
    assert queue.bodies == []


def test_the_message_stays_in_the_queue_if_the_function_fails(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene()
    scene.people.all_sign_up("ada")
    queue, stream = LocalQueue(hidden_seconds=600), Stream(scene)
    pump = WebhookPump(stream.read, queue, FailingFunction())
    pump.start()
    assert stream.is_read.wait(60)
    pump.stop(60)
    assert len(queue.bodies) == 1
    assert "the webhook's function failed" in caplog.text


def test_the_mailbox_shows_each_event_as_a_signed_webhook() -> None:
    scene = Scene()
    scene.people.all_sign_up("ada")
    scene.world.advance(1)
    assert scene.people.edit("ada", profile={"name": "Ada"}).status == 200
    assert scene.people.bump("ada", to="front").status == 200
    url = "http://127.0.0.1:9000/hook"
    table, tokens = Table(scene.world.dynamodb, TABLE), EntryTokens(SECRET)
    mailbox = Mailbox(table, tokens, "http://127.0.0.1:8080", webhook=(url, WEBHOOK_SECRET))
    asked = HttpRequest("GET", f"{MAILBOX_PATH}.json", (("host", "127.0.0.1:8080"),))
    messages = json.loads(mailbox(asked).body)["messages"]
    assert [json.loads(one["body"]) for one in messages] == scene.details("ada")
    first, last = messages
    assert (first["kind"], last["kind"]) == ("joined", "bumped")
    assert (first["channel"], first["to"]) == ("webhook", url)
    assert set(first["headers"]) == {"webhook-id", "webhook-timestamp", "webhook-signature"}
    page = mailbox(HttpRequest("GET", MAILBOX_PATH, (("host", "127.0.0.1:8080"),))).body
    assert b"webhook to <bdi>http://127.0.0.1:9000/hook</bdi>" in page
    assert json.loads(Mailbox(table, tokens, "http://127.0.0.1:8080")(asked).body) == {
        "messages": []
    }
