"""Sends the webhook's dead letters again, some hundred a request."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

PATH = "/v1/admin/webhook/replay"


def replays(api: "Api", since: str) -> Iterator[int]:
    """Yield how many events each request has sent again, of those since a time.

    A repeat after an interruption goes on with the rest.
    """
    more = True
    while more:
        answer = api.call("POST", PATH, {"since": since}, auth=api.auth())
        more = answer["more"]
        yield answer["replayed"]
