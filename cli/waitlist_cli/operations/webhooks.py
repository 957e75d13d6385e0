"""Resends a webhook's dead letters.

A dead letter is an event that the service tried to deliver to the webhook for a day, without
success.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

PATH = "/v1/admin/webhook/replay"


def replays(api: "Api", since: str) -> Iterator[int]:
    """Resend all dead letters newer than `since`.

    Send requests until none are left. After each request, yield how many dead letters the request
    has resent.
    """
    more = True
    while more:
        answer = api.call("POST", PATH, {"since": since}, auth=api.auth())
        more = answer["more"]
        yield answer["replayed"]
