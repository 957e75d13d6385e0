"""Counts of a waitlist, now and over the last hour, day or week."""

from typing import Annotated

from pydantic import Field

from waitlist_api.http.schemas.common import Count, Model, Time, documented
from waitlist_api.http.schemas.wait import WithEstimate
from waitlist_api.http.schemas.waitlists import LineState
from waitlist_api.waitlists.history import SERIES, Period


class SourceAnswer(Model):
    source: Annotated[str, documented(maxLength=64)]
    signed_up: Count


class MessageCountAnswer(Model):
    kind: Annotated[str, documented(examples=["offered"])]
    sent: Count
    bounced: Annotated[
        Count,
        Field(
            description="Sent messages that bounced permanently, or about which the "
            "recipient complained."
        ),
    ]
    dropped: Annotated[
        Count,
        Field(
            description="Messages that were not sent, because they were no longer true, or "
            "because the customer has no address that accepts messages. If such a message becomes "
            "true again and is sent, it counts both here and in `sent`."
        ),
    ]
    limited: Annotated[
        Count,
        Field(
            description="Messages that were not sent because of a limit on messages that anyone "
            "can cause without owning the address. Either the address had received too many of "
            "them, or their part of the daily budget was used up."
        ),
    ]


class StatsAnswer(WithEstimate):
    """The counts of a waitlist. The estimate is the wait of a customer who joins now."""

    line: LineState
    waiting: Count
    signed_up: Annotated[
        Count,
        Field(
            description="The number of all signups since the waitlist was created. `left` and "
            "`admitted` count all leaves and admissions, and `entered`, `declined` and `no_shows` "
            "count how offers ended. If Redis loses data, these six counts may miss events of the "
            "last minute before the loss. The counts `waiting`, `offered` and `parked` are always "
            "exact."
        ),
    ]
    left: Count
    admitted: Count
    entered: Annotated[
        Count,
        Field(
            description="Offers that ended in an admission. Other entries in `admitted` were "
            "admitted by claims. With `automatic` acceptance each admission counts as an offer."
        ),
    ]
    declined: Annotated[
        Count,
        Field(
            description="Offers that customers declined, either to go to the end of the queue "
            "or to leave."
        ),
    ]
    no_shows: Annotated[
        Count,
        Field(
            description="Offers that expired because the customer did not enter in time. If an "
            "offer ended because of `withdraw`, or because the customer left, was removed or was "
            "erased, it counts in none of these three fields."
        ),
    ]
    admitted_today: Annotated[
        Count,
        Field(description="How many customers have been admitted since midnight UTC."),
    ]
    joined_last_hour: Annotated[
        Count,
        Field(
            description="How many customers joined in the last 60 minutes, computed from "
            "samples. The next five fields use the same period."
        ),
    ]
    admitted_last_hour: Count
    left_last_hour: Count
    entered_last_hour: Count
    declined_last_hour: Count
    no_shows_last_hour: Count
    offered: Count
    inside: Annotated[
        Count,
        Field(description="How many admitted customers have a valid pass and have not gone out."),
    ]
    parked: Count
    not_ready: Annotated[
        Count,
        Field(
            description="How many waiting entries are not ready. Other entries are served "
            "before them."
        ),
    ]
    unverified: Annotated[
        Count,
        Field(description="How many people on the waitlist have not verified their address yet."),
    ]
    asked: Annotated[
        Count,
        Field(
            description="How many people on the waitlist have been asked whether they still wait, "
            "and have not answered yet."
        ),
    ]
    sources: Annotated[
        list[SourceAnswer] | None,
        Field(
            description="The signups by the page's `sources`, most signups first. Signups with "
            "any other answer are counted together as `other`. If a function dies after a signup, "
            "the signup may be missing here. Null if the waitlist has no `sources`."
        ),
    ] = None
    messages: Annotated[
        list[MessageCountAnswer] | None,
        Field(
            description="The outcomes of the waitlist's messages since it was created, for each "
            "kind that has any. A message that is sent again counts once. If a function dies, up "
            "to ten messages may be missing here. Null if the waitlist has no setting `messages`."
        ),
    ] = None
    unreachable: Annotated[
        Count | None,
        Field(
            description="How many people with a place have an address that does not accept "
            "messages. At most 1,600 people are counted in this field and in `messages_off` "
            "together. Null if the waitlist has no setting `messages`."
        ),
    ] = None
    messages_off: Annotated[
        Count | None,
        Field(
            description="How many people with a place do not want messages. Null if the waitlist "
            "has no setting `messages`."
        ),
    ] = None
    quota: Annotated[
        Count,
        Field(
            description="How many more people operators' `admit` with `refill` will let in. After "
            "a loss of Redis data the quota is 0."
        ),
    ]
    oldest_waiting_seconds: Annotated[
        Count | None,
        Field(description="How many seconds ago the entry at the head of the queue joined."),
    ]
    oldest_parked_seconds: Count | None
    oldest_joined_at: Annotated[
        Time | None, Field(description="When the entry at the head of the queue joined.")
    ]


class PointAnswer(Model):
    at: Time
    joined: Annotated[
        Count,
        Field(
            description="How many customers joined since the previous "
            "point. The next five fields use the same period."
        ),
    ]
    admitted: Count
    left: Count
    entered: Annotated[Count, Field(description="Offers that ended in an admission.")]
    declined: Annotated[Count, Field(description="Offers that customers declined.")]
    no_shows: Annotated[Count, Field(description="Offers that were not accepted in time.")]
    waiting: Annotated[
        Count,
        Field(
            description="How many entries were waiting at this time. The "
            "next four fields use the same time."
        ),
    ]
    not_ready: Annotated[
        Count, Field(description="How many of the waiting entries were not ready.")
    ]
    offered: Count
    parked: Count
    inside: Count


class StatsHistoryAnswer(Model):
    period: Period
    step_seconds: Annotated[
        Count, Field(description="The time between two points, which is 60, 600 or 3600 seconds.")
    ]
    points: Annotated[
        list[PointAnswer],
        documented(maxItems=max(one.points for one in SERIES.values())),
        Field(
            description="The points, oldest first. There are no points from before the "
            "waitlist's first sample."
        ),
    ]
