"""The program behind `make messages`.

It sends messages to many people through unreliable senders, and then sends 10,000 offers at a
limited rate. The first part is the test in tests/service/messages/test_crowd.py with 1,000 people.
"""

import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from json import dumps
from random import Random
from typing import Any

import pytest
from botocore.exceptions import ClientError
from msgspec.structs import replace

from tests.service.messages.crowd import Crowd, Queued, told
from tests.service.messages.stage import Stage, staged
from waitlist_api.handlers import messages as messages_handler
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.table import Table
from waitlist_shared.ids import entry_id_of

PEOPLE, OFFERS = 1_000, 10_000
# How many emails SES accepts per second, and how many batches the function handles per second.
RATE, BATCHES_A_SECOND = 50, 20


class LimitedSes:
    """A stand-in for Amazon SES. It refuses emails above its rate per second with the same error as
    SES.
    """

    def __init__(self, stage: Stage, rate: int) -> None:
        self._stage = stage
        self._rate = rate
        self._second, self._taken = 0, 0
        self.mails: list[str] = []
        self.refused = 0

    def send_email(self, **mail: Any) -> dict[str, str]:
        second = self._stage.clock.millis // 1000
        if second != self._second:
            self._second, self._taken = second, 0
        if self._taken >= self._rate:
            self.refused += 1
            error: Any = {"Error": {"Code": "TooManyRequestsException", "Message": "rate"}}
            raise ClientError(error, "SendEmail")
        self._taken += 1
        self.mails.append(mail["Destination"]["ToAddresses"][0])
        return {"MessageId": "0001"}


def create_offers(stage: Stage, count: int) -> list[Queued]:
    stage.configure(messages={"kinds": ["offered"]}, admission={"offer_seconds": 86_400})
    stage.joins("model")
    stage.people.admit(1)
    (event,) = [one for one in stage.news() if one["event"] == "offered"]
    waitlist_id = stage.people.waitlist_id
    model = stage.world.services.entries.get(waitlist_id, event["entry_id"])
    assert isinstance(model, EntryRecord)
    now = stage.clock.millis
    queue = []
    for start in range(0, count, 25):
        records = [
            replace(
                model,
                entry_id=entry_id_of(waitlist_id, f"p{number}"),
                profile={"email": f"p{number}@example.com"},
            )
            for number in range(start, min(count, start + 25))
        ]
        items = [one.to_item("crowd", 0) for one in records]
        Table(stage.table, messages_handler.batches()._sender.entries.table.name).put_many(items)
        queue += [Queued(dumps({**event, "entry_id": one.entry_id}), now, now) for one in records]
    return queue


def check_that_all_are_sent(count: int) -> None:
    with pytest.MonkeyPatch.context() as patch, staged(patch) as stage:
        ses = LimitedSes(stage, RATE)
        patch.setattr(messages_handler, "mail_client", lambda: ses)
        crowd = Crowd(stage, Random(1), queue=create_offers(stage, count))
        began = stage.clock.millis
        while crowd.queue:
            with redirect_stdout(StringIO()):  # the log of the function
                crowd.receive(most=BATCHES_A_SECOND)
            stage.world.advance(1)
            print(f"\r{len(ses.mails):,} of {count:,} offers sent", end="", file=sys.stderr)
        print(file=sys.stderr)
        seconds = (stage.clock.millis - began) / 1000
        assert sorted(ses.mails) == sorted({f"p{number}@example.com" for number in range(count)})
    print(
        f"{count:,} offers at {RATE} per second: {seconds:,.0f} s, {ses.refused:,} refusals. "
        "Each offer was sent once."
    )


def main() -> None:
    began = time.monotonic()
    with pytest.MonkeyPatch.context() as patch, staged(patch) as stage:
        crowd = Crowd(stage, Random(7))
        print(f"Sending messages to {PEOPLE:,} people ...", file=sys.stderr)
        with redirect_stdout(StringIO()):
            told(crowd, PEOPLE)
    at_once = sum(receives == 1 for *_, receives in crowd.delays)
    print(
        f"{PEOPLE:,} people: {sum(crowd.taken.values()):,} messages, {crowd.failures:,} failures; "
        f"SES's response to {len(crowd.unheard):,} messages was lost, and "
        f"{sum(crowd.taken[one] > 1 for one in crowd.unheard):,} of these were sent twice; "
        f"{at_once:,} events were handled at the first attempt; "
        f"{sum(one > 60 for one in crowd.repeated_delays):,} of the "
        f"{len(crowd.repeated_delays):,} others in open hours took over a minute"
    )
    check_that_all_are_sent(OFFERS)
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
