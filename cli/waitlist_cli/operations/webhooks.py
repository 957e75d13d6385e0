"""Resends the events that a webhook did not accept within a day."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

PATH = "/v1/admin/webhook/replay"


def replays(api: "Api", since: str) -> Iterator[int]:
    """Resend the events since `since` that the webhook did not accept.

    Each request resends some of the events. After each request, yield the number of events that the
    request has resent.
    """
    more = True
    while more:
        answer = api.call("POST", PATH, {"since": since}, auth=api.auth())
        more = answer["more"]
        yield answer["replayed"]
