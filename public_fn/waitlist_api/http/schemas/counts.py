"""A waitlist's current counts, and its counts over the last hour, day or week."""

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
            description="The number of sent messages that bounced permanently or that the "
            "recipient complained about."
        ),
    ]
    dropped: Annotated[
        Count,
        Field(
            description="The number of messages that were not sent because they were outdated, or "
            "because the customer had no address that accepts messages. A message that a later "
            "attempt sends is counted as both `dropped` and `sent`."
        ),
    ]
    limited: Annotated[
        Count,
        Field(
            description="The number of messages that were not sent because a limit was reached. "
            "The limits protect people whose address somebody else has entered."
        ),
    ]


class StatsAnswer(WithEstimate):
    """A waitlist's counts, and the estimated wait of a customer who joins now."""

    line: LineState
    waiting: Count
    signed_up: Annotated[
        Count,
        Field(
            description="The number of signups since the waitlist was created. If Redis loses "
            "data, signups from the last minute may be missing. The same is true of `left`, "
            "`admitted`, `entered`, `declined` and `no_shows`."
        ),
    ]
    left: Count
    admitted: Count
    entered: Annotated[
        Count,
        Field(
            description="The number of offers that were accepted. If `acceptance` is `automatic`, "
            "every admission counts as an accepted offer. Customers admitted through claims are "
            "not counted here."
        ),
    ]
    declined: Annotated[
        Count,
        Field(description="The number of offers that customers declined."),
    ]
    no_shows: Annotated[
        Count,
        Field(
            description="The number of offers that expired because the customer did not accept in "
            "time. Offers that ended for other reasons are not counted here."
        ),
    ]
    admitted_today: Annotated[
        Count,
        Field(
            description="How many customers have been admitted since midnight in the "
            "waitlist's time zone."
        ),
    ]
    joined_last_hour: Annotated[
        Count,
        Field(
            description="How many customers joined in the last 60 minutes. The other fields that "
            "end in `_last_hour` cover the same period."
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
        Field(description="How many admitted customers have a valid pass and have not exited."),
    ]
    parked: Count
    not_ready: Annotated[
        Count,
        Field(
            description="How many waiting entries are not ready, which means that other entries "
            "are served before them."
        ),
    ]
    unverified: Annotated[
        Count,
        Field(description="How many people on the waitlist have not verified their address yet."),
    ]
    asked: Annotated[
        Count,
        Field(
            description="How many people on the waitlist have been asked whether they are still "
            "waiting, but have not answered yet."
        ),
    ]
    away: Annotated[
        Count,
        Field(
            description="How many waiting entries are passed over because their customer has "
            "stopped polling. The `admission.presence` setting says after how many seconds this "
            "happens."
        ),
    ]
    sources: Annotated[
        list[SourceAnswer] | None,
        Field(
            description="How many signups gave each answer to the form field that `page.source` "
            "names. This field can ask, for example, how the customer heard of the waitlist. The "
            "most frequent answer comes first. Answers listed in `page.sources` or among the "
            "field's options are counted separately, and all others are counted together as "
            "`other`. Null if `page.source` is not set."
        ),
    ] = None
    messages: Annotated[
        list[MessageCountAnswer] | None,
        Field(
            description="How many messages of each kind have been sent, bounced, dropped or "
            "limited since the waitlist was created. Kinds without messages are left out. If a "
            "Lambda function is interrupted, up to ten messages may be missing from these counts. "
            "Null if `messages` is not set."
        ),
    ] = None
    unreachable: Annotated[
        Count | None,
        Field(
            description="How many people on the waitlist have an address that accepts no messages. "
            "The service computes this number and `messages_off` from at most 1,600 people, so the "
            "actual numbers can be higher. Null if `messages` is not set."
        ),
    ] = None
    messages_off: Annotated[
        Count | None,
        Field(
            description="How many people on the waitlist have turned off messages. Null if "
            "`messages` is not set."
        ),
    ] = None
    quota: Annotated[
        Count,
        Field(
            description="How many more people must enter before the current quota is complete. "
            "An operator begins a quota by calling `admit` with `refill`. Unused slots are then "
            "offered again until `count` people have entered. Each further call with `refill` "
            "adds its `count` to the quota. If Redis loses data, this field becomes 0."
        ),
    ]
    quota_open: Annotated[Count, Field(description="How many of the quota's offers are open.")]
    quota_entered: Annotated[
        Count,
        Field(
            description="How many people have entered since the current quota began. A "
            "quota begins when an operator calls `admit` with `refill`."
        ),
    ]
    quota_since: Annotated[
        Time | None,
        Field(
            description="When the current quota began. A quota begins when an "
            "operator calls `admit` with `refill`. Null if no quota is running."
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
            description="How many customers joined since the previous point. `admitted`, `left`, "
            "`entered`, `declined` and `no_shows` cover the same period."
        ),
    ]
    admitted: Count
    left: Count
    entered: Annotated[Count, Field(description="The number of offers that were accepted.")]
    declined: Annotated[Count, Field(description="The number of offers that customers declined.")]
    no_shows: Annotated[
        Count,
        Field(
            description="The number of offers that expired because the customer did not accept in "
            "time."
        ),
    ]
    waiting: Annotated[
        Count,
        Field(
            description="How many entries were waiting at the time of this point. The fields "
            "`not_ready`, `offered`, `parked` and `inside` are counts at the same time."
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
        Count,
        Field(description="The interval between two points in seconds: 60, 600 or 3600."),
    ]
    points: Annotated[
        list[PointAnswer],
        documented(maxItems=max(one.points for one in SERIES.values())),
        Field(
            description="The points, oldest first. If the waitlist has no samples from the "
            "beginning of the period, the list starts at the waitlist's first sample."
        ),
    ]
