"""Counts of a waitlist: now, and over the last hour, day or week."""

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
        Count, Field(description="Of the sent: came back for good, or were complained about.")
    ]
    dropped: Annotated[
        Count,
        Field(
            description="Not sent: no longer true, or without an address that takes messages. One "
            "that is true again later is sent, and counts as both."
        ),
    ]
    limited: Annotated[
        Count,
        Field(
            description="Not sent: the address had too many messages that anyone can cause without "
            "owning it, or the part of the day's budget for them was used up."
        ),
    ]


class StatsAnswer(WithEstimate):
    """The counts; the estimate is that of a customer who joins now."""

    line: LineState
    waiting: Count
    signed_up: Annotated[
        Count,
        Field(
            description="All signups since the waitlist was created, as `left` and `admitted` "
            "count all leaves and admissions, and `entered`, `declined` and `no_shows` the ends of "
            "offers. After a loss of Redis these six may miss the last minute before it; "
            "`waiting`, `offered` and `parked` are always exact."
        ),
    ]
    left: Count
    admitted: Count
    entered: Annotated[
        Count,
        Field(
            description="Offers that ended in an admission; the other `admitted` had claims. With "
            "`automatic` acceptance each admission is one."
        ),
    ]
    declined: Annotated[
        Count,
        Field(description="Offers that their customers gave back, to go to the back or to leave."),
    ]
    no_shows: Annotated[
        Count,
        Field(
            description="Offers that ended because their customers did not enter in time. Offers "
            "that were taken away (by `withdraw`, or because the customer left, was removed or "
            "erased) are in none of the three."
        ),
    ]
    admitted_today: Annotated[
        Count,
        Field(description="How many of the admitted were admitted since midnight in UTC."),
    ]
    joined_last_hour: Annotated[
        Count,
        Field(description="In the 60 minutes before now, as the next five; by the samples."),
    ]
    admitted_last_hour: Count
    left_last_hour: Count
    entered_last_hour: Count
    declined_last_hour: Count
    no_shows_last_hour: Count
    offered: Count
    inside: Annotated[
        Count, Field(description="Admitted customers whose pass lasts and who have not gone out.")
    ]
    parked: Count
    not_ready: Annotated[
        Count,
        Field(description="How many of those waiting are not ready, so that they are passed over."),
    ]
    unverified: Annotated[
        Count,
        Field(
            description="How many people on the waitlist have not yet proved to have their address."
        ),
    ]
    asked: Annotated[
        Count,
        Field(
            description="How many people on the waitlist are asked if they still wait, and have "
            "not answered."
        ),
    ]
    sources: Annotated[
        list[SourceAnswer] | None,
        Field(
            description="The signups of each answer that the page's `sources` name, most first, "
            "and of all others together, as `other`. A function that dies after a signup may miss "
            "it. Null without the setting."
        ),
    ] = None
    messages: Annotated[
        list[MessageCountAnswer] | None,
        Field(
            description="What became of the waitlist's messages since it was created, for each "
            "kind that has any. A repeat counts once; a function that dies may miss ten. Null "
            "without the setting `messages`."
        ),
    ] = None
    unreachable: Annotated[
        Count | None,
        Field(
            description="How many people with a place have an address that takes no messages; of "
            "them and those of `messages_off` at most 1,600 are counted. Null without the setting "
            "`messages`."
        ),
    ] = None
    messages_off: Annotated[
        Count | None,
        Field(
            description="How many people with a place want no messages. Null without the setting "
            "`messages`."
        ),
    ] = None
    quota: Annotated[
        Count,
        Field(
            description="How many are still to enter by operators' `admit` with `refill`; 0 after "
            "a loss of Redis."
        ),
    ]
    oldest_waiting_seconds: Annotated[
        Count | None, Field(description="How long ago the entry at the head of the queue joined.")
    ]
    oldest_parked_seconds: Count | None
    oldest_joined_at: Annotated[
        Time | None, Field(description="When the entry at the head of the queue joined.")
    ]


class PointAnswer(Model):
    at: Time
    joined: Annotated[Count, Field(description="Since the point before, as the next five.")]
    admitted: Count
    left: Count
    entered: Annotated[Count, Field(description="Offers that ended in an admission.")]
    declined: Annotated[Count, Field(description="Offers that their customers gave back.")]
    no_shows: Annotated[Count, Field(description="Offers that were not accepted in time.")]
    waiting: Annotated[Count, Field(description="At this time, as the next four.")]
    not_ready: Annotated[Count, Field(description="Of those waiting.")]
    offered: Count
    parked: Count
    inside: Count


class StatsHistoryAnswer(Model):
    period: Period
    step_seconds: Annotated[
        Count, Field(description="The time between two points: 60, 600 or 3600 seconds.")
    ]
    points: Annotated[
        list[PointAnswer],
        documented(maxItems=max(one.points for one in SERIES.values())),
        Field(description="Oldest first. None from before the waitlist's first sample."),
    ]
