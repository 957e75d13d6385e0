"""Sends a webhook's dead letters again.

A dead letter is an event that the service could not deliver to the webhook for a day.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

PATH = "/v1/admin/webhook/replay"


def replays(api: "Api", since: str) -> Iterator[int]:
    """Send all dead letters since the time `since` again.

    Each request sends some of the events. After each request, yield the number of events that the
    request has sent.
    """
    more = True
    while more:
        answer = api.call("POST", PATH, {"since": since}, auth=api.auth())
        more = answer["more"]
        yield answer["replayed"]
