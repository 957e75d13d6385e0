"""Tests that a message's address and links appear nowhere else, whether or not the message can be
sent (promise P8).
"""

import json
import logging
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.service.messages.stage import Stage, staged
from tests.service.messages.stand_ins import SENT, Answer, error, part
from tests.service.messages.test_unsubscribing import click, unsubscribe_path
from tests.service.privacy.marks import CUSTOMER, NAME, WORD, found_in
from waitlist_api.handlers import messages as messages_handler
from waitlist_api.messages.channels import MailChannel

NUMBER = "+4915123456789"
SUBSCRIBER = NUMBER[-8:]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[Stage]:
    caplog.set_level(logging.DEBUG)
    for name in ("botocore", "urllib3"):
        # Set the level that these loggers have in Lambda.
        caplog.set_level(logging.INFO, name)
    monkeypatch.setenv("LOG_LEVEL", "DEBUG")
    monkeypatch.setenv("METRICS_NAMESPACE", "Waitlist/test")
    with staged(monkeypatch) as made:
        yield made


def refused_with_address(status: int, code: str, **more: Any) -> Any:
    said = error(status, code, **more)
    assert said is not None
    return said[0], {**said[1], "message": f"{CUSTOMER} and {NUMBER} are refused"}


def _answered(answer: Answer, _: dict[str, Any]) -> Answer:
    return answer


def broken(*_: Any) -> None:
    raise RuntimeError(f"broken by {CUSTOMER} {NUMBER}")


def test_addresses_and_links_leave_in_messages_alone(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Logs, metrics, notes, keys, queued messages and dead letters contain no address and no
    link.
    """
    stage.joins("ada", email=CUSTOMER, full_name=NAME)
    stage.joins("bob", phone=NUMBER)
    news = stage.news()
    for answer in (
        refused_with_address(429, "TooManyRequestsException"),
        refused_with_address(400, "MessageRejected"),
        refused_with_address(500, "InternalFailure"),
        None,
        refused_with_address(400, "ThrottlingException"),
    ):
        stage.stand_ins.failing = partial(_answered, answer)
        assert stage.send(*news) != []
        stage.world.advance(61)
    with monkeypatch.context() as patch:
        patch.setattr(MailChannel, "send", broken)
        messages_handler.batches.cache_clear()
        assert stage.send(*news) != []
    stage.world.advance(61)
    stage.stand_ins.failing = lambda _: SENT
    assert stage.send(*news) == []
    mail = stage.stand_ins.mails[-1]
    click(stage, unsubscribe_path(mail))
    stage.people.admit(2)
    offered = stage.news()
    stage.stand_ins.failing = lambda _: refused_with_address(
        400, "ConflictException", Reason="DESTINATION_PHONE_NUMBER_OPTED_OUT"
    )
    bounced = stage.bounce("ada")
    assert stage.send(*offered, bounced) == []
    queued = [json.dumps(one) for one in (*news, *offered, bounced)]
    notes = [
        f"{key} {item}"
        for key, item in stage.table.items.items()
        if key[1].startswith(("DELIVERY#", "CONTACT"))
    ]
    assert len(notes) >= 4
    printed = "".join(capfd.readouterr())
    logged = [f"{record.getMessage()} {vars(record)}" for record in caplog.records]
    keys = [str(key) for key in stage.table.items]
    pauses = [json.dumps(one) for one in stage.stand_ins.pauses]
    outside = [*printed.splitlines(), *logged, *queued, *notes, *keys, *pauses]
    assert found_in(outside) == []
    secrets = (SUBSCRIBER, stage.people.token_of("ada"), unsubscribe_path(mail).rpartition("/")[2])
    assert [one for one in outside if any(secret in one for secret in secrets)] == []
    # Check that there was something to search.
    assert '"CloudWatchMetrics"' in printed
    assert "RuntimeError" in printed + caplog.text
    assert WORD in json.dumps(mail["Destination"])
    assert secrets[1] in part(mail, "plain")
    assert [one["DestinationPhoneNumber"] for one in stage.stand_ins.texts] == [NUMBER]
