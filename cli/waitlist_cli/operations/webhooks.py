"""Sends events again that a webhook did not accept for a day."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

PATH = "/v1/admin/webhook/replay"


def replays(api: "Api", since: str) -> Iterator[int]:
    """Send all events since `since` again that the webhook did not accept.

    Yield the number of events after each request.
    """
    more = True
    while more:
        answer = api.call("POST", PATH, {"since": since}, auth=api.auth())
        more = answer["more"]
        yield answer["replayed"]
