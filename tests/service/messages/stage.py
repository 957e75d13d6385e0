"""A waitlist that sends messages. The function that sends them uses stand-ins for the AWS
services.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from json import dumps
from typing import Any

import pytest

from tests.service.bus.scene import Detail, Scene
from tests.service.messages.stand_ins import StandIns
from tests.support.dynamodb import TABLE
from tests.support.rights import MAIL_SET, MESSAGES_QUEUE, SMS_FROM, guarded
from tests.support.world import SECRET
from waitlist_api.handlers import messages as messages_handler

ALL = ["joined", "verify", "offered", "confirm", "admitted", "left"]
ENVIRON = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "BASE_URL": "https://example.net",
    "ENTRY_TOKEN_SECRET": SECRET,
    "MAIL_CONFIGURATION_SET": MAIL_SET,
    "MAIL_FROM": "line@bakery.example",
    # The budgets are so large that they matter only in tests that lower them.
    "MAILS_PER_DAY": "1000000",
    "SMS_PARTS_PER_DAY": "1000000",
    "MESSAGES_QUEUE_URL": MESSAGES_QUEUE,
    "SMS_FROM": SMS_FROM,
    "TABLE_NAME": TABLE,
}


@dataclass
class Context:
    """The context that Lambda passes to the function.

    By default, all of the function's time is left.
    """

    aws_request_id: str = "0000-1111"
    left_millis: int = 30_000

    def get_remaining_time_in_millis(self) -> int:
        return self.left_millis


class Stage(Scene):
    """A waitlist and the function that sends its messages.

    The function gets only the events that the template's EventBridge rule selects.
    """

    def __init__(self, stand_ins: StandIns) -> None:
        super().__init__()
        self.stand_ins = stand_ins
        self.context = Context()
        self.configure()

    def configure(self, **settings: Any) -> Any:
        terms = {
            "messages": {"kinds": ALL, "sms_countries": ["DE"]},
            "admission": {"offer_seconds": 600},
        }
        return super().configure(**{**terms, **settings})

    def joins(self, name: str, languages: str = "", **profile: Any) -> None:
        fields = {"profile": profile or {"email": f"{name}@example.com"}}
        headers = {"accept-language": languages}
        answer = self.world.request(
            "POST",
            f"{self.people.path}/entries",
            body={"customer_id": name, **fields},
            headers=headers,
        )
        assert answer.status == 201, answer.text
        self.people.id_of(name)

    def send(
        self, *details: Detail, receives: int = 1, sent_millis: int | None = None
    ) -> list[int]:
        """Pass events to the function, and return the indexes of the failed ones.

        `sent_millis` is when the events entered the queue.
        """
        since = self.clock.millis if sent_millis is None else sent_millis
        attributes = {"ApproximateReceiveCount": str(receives), "SentTimestamp": str(since)}
        records = [
            {
                "messageId": str(number),
                "receiptHandle": f"handle-{number}",
                "eventSource": "aws:sqs",
                "attributes": attributes,
                "body": dumps(detail),
            }
            for number, detail in enumerate(details)
        ]
        answer = messages_handler.lambda_handler({"Records": records}, self.context)
        return [int(one["itemIdentifier"]) for one in answer["batchItemFailures"]]

    def bounce(self, name: str) -> Detail:
        """Return the queued message in which SES reports that a person's first email has
        bounced.
        """
        stay = str(self.people.stay_of(name))
        return {
            "event": "unreachable",
            "waitlist_id": [self.people.waitlist_id],
            "entry_id": [self.people.id_of(name)],
            "ticket": [stay],
            "stamp": [stay],
            "kind": ["joined"],
        }

    def send_news(self) -> list[int]:
        return self.send(*self.news())


@contextmanager
def staged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    stand_ins = StandIns()
    for service in ("SESV2", "PINPOINT_SMS_VOICE_V2", "SQS"):
        monkeypatch.setenv(f"AWS_ENDPOINT_URL_{service}", stand_ins.url)
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    try:
        stage = Stage(stand_ins)
        table = guarded("MessagesFn", stage.wire.client(stage.table))
        monkeypatch.setattr(messages_handler, "dynamodb_client", lambda: table)
        for name in ("mail_client", "sms_client", "sqs_client"):
            client = guarded("MessagesFn", _client(name))
            monkeypatch.setattr(messages_handler, name, lambda client=client: client)
        monkeypatch.setattr(messages_handler, "now_millis", stage.clock.now_millis)
        messages_handler.batches.cache_clear()
        yield stage
    finally:
        messages_handler.batches.cache_clear()


@cache
def _client(name: str) -> Any:
    """Return an AWS client for the stand-ins. All tests share it, because creating it is slow."""
    return getattr(messages_handler, name)()
