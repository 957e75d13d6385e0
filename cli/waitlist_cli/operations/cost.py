"""Calculates what a stack costs in a month, from counted units and AWS' published prices.

docs/operate/sizing.md explains the numbers. The tables there come from this module.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

Verify = Literal["mail", "sms"]


@dataclass(frozen=True)
class Operation:
    """The resources that one call uses. `tests/service/test_units.py` counts them.

    `writes` and `reads` are request units of DynamoDB. `table_calls` is the number of consecutive
    calls of DynamoDB, and `queue_calls` the number of calls of the private function. `events` is
    the number of events that the bus receives.
    """

    writes: float = 0
    reads: float = 0
    table_calls: int = 0
    queue_calls: int = 1
    events: int = 0
    signatures: int = 0


# The profile of each person has at most 500 bytes. `offer` is one of many offers that a policy
# makes in one run.
OPERATIONS = {
    "signup": Operation(writes=10, table_calls=2, events=1),
    # The signup on a waitlist that verifies addresses, and the link that the person opens.
    "signup to verify": Operation(writes=13, table_calls=2, events=2),
    "verify": Operation(writes=7, reads=1, table_calls=2, queue_calls=3, events=1),
    "look": Operation(),
    "board": Operation(),
    "offer": Operation(writes=7, reads=1, table_calls=2, queue_calls=0, events=1),
    "enter": Operation(writes=8, reads=2, table_calls=3, events=1, signatures=1),
    "exit": Operation(writes=7, reads=1, table_calls=2, events=1),
    "leave": Operation(writes=11, reads=1, table_calls=3, events=1),
}
# A run of maintenance, which takes place every minute even if nothing has changed.
MINUTE = Operation(writes=1, reads=59, table_calls=68, queue_calls=1)
# What each additional idle waitlist adds to a run of maintenance. Two calls of DynamoDB read the
# settings of 100 waitlists, and one call of the private function asks Redis about 500 waitlists.
IDLE_LIST_READS, IDLE_LIST_MS, IDLE_LISTS_A_CALL = 1, 0.84, 500
# The function that puts events on the bus, if every event arrives alone. Lambda's reads of the
# stream are free.
EVENT_MS, EVENT_GB = 15, 0.25
# The heartbeat is an event that is published every minute. Each function behind a queue receives
# the heartbeat and writes a log line.
HEARTBEAT_MS, HEARTBEAT_SQS, HEARTBEAT_BYTES = 5, 3, 830
# Lambda polls an idle queue over five connections, and each poll waits for 20 seconds.
POLLS_A_MINUTE = 5 * 3
# What an event adds if it is posted to a webhook that accepts it at the first try. SQS bills
# sending, receiving and deleting the message. The function waits for the receiver's response.
WEBHOOK = Operation(writes=2, reads=2, table_calls=4, queue_calls=0)
WEBHOOK_SQS, WEBHOOK_MS, WEBHOOK_GB, WEBHOOK_BYTES = 3, 100, 0.5, 600
# What a message adds to its event if the message is sent alone. A batch of up to ten messages would
# share the invocation and the count of messages, whose transaction takes two of the writes. Two
# more writes count the message for its address and for the day. A verified address does not need
# the first of these two writes, and a waitlist with a budget of its own needs another write. The
# function waits for the response of the sender.
MESSAGE = Operation(writes=6, reads=3, table_calls=8, queue_calls=0)
MESSAGE_SQS, MESSAGE_MS, MESSAGE_GB, MESSAGE_BYTES = 3, 150, 0.5, 950
# The billed milliseconds are assumptions. To measure them, use the log's `latency_ms`.
OWN_MS, TABLE_MS, QUEUE_MS, PRIVATE_MS = 3, 8, 10, 3
PUBLIC_GB, PRIVATE_GB = 1.0, 0.5
# The bytes of a line in the access log, in the log of the public function and in the log of the
# private function, and the bytes that a run of maintenance logs, including Lambda's own lines.
ACCESS_BYTES, PUBLIC_BYTES, PRIVATE_BYTES, MAINTENANCE_BYTES = 450, 730, 650, 2_600
# The ECPUs of a script, which is an assumption. A plain command of up to 1 KB takes 1 ECPU.
ECPUS = 3
# The size of a response and of the compressed board when they leave AWS.
ANSWER_KB, BOARD_KB = 1.0, 10.0
# The memory that an entry needs in Redis if the waitlist has no segments.
ENTRY_BYTES = 100
# The storage that an entry needs in DynamoDB for the record, the history and the index.
RECORD_BYTES = 3_000
HOURS = 730
MINUTES = HOURS * 60


@dataclass(frozen=True)
class Prices:
    """AWS' prices in US dollars for us-east-1, without free tiers and volume discounts.

    docs/operate/sizing.md names the sources.
    """

    api_per_million: float = 1.00
    lambda_per_million: float = 0.20
    lambda_per_gb_second: float = 0.0000166667
    writes_per_million: float = 0.625
    reads_per_million: float = 0.125
    table_gb_month: float = 0.25
    backup_gb_month: float = 0.20
    cache_gb_hour: float = 0.084
    cache_least_gb: float = 0.1
    ecpus_per_million: float = 0.0023
    log_gb: float = 0.50
    events_per_million: float = 1.00
    signatures_per_million: float = 3.00
    key_month: float = 1.00
    secret_month: float = 0.40
    metric_month: float = 0.30
    alarm_month: float = 0.10
    dashboard_month: float = 3.00
    out_gb: float = 0.09
    sqs_per_million: float = 0.40
    mails_per_thousand: float = 0.10
    edge_per_million: float = 1.00
    edge_out_gb: float = 0.085


@dataclass(frozen=True)
class Month:
    """The activity of a month. Every customer who signs up is also admitted.

    `polls` is how often customers look at their own entry, and `boards` how often the board is
    read. If `edge` is true, CloudFront answers reads of the board, and only one read in five
    seconds reaches the service. All `lists` except one are idle. If `webhook` is true, every event
    is posted to a webhook. `mails` and `texts` are the numbers of sent mails and SMS, or None if
    the stack has no sender for them. An SMS has `text_parts` parts, and each part costs
    `text_price` dollars. If `verify` is `mail` or `sms`, each signup causes another message of that
    type, with a link. `monitoring` is the stack's parameter Monitoring.
    """

    signups: int
    polls: int
    boards: int = 0
    waiting: int = 0
    edge: bool = False
    lists: int = 1
    webhook: bool = False
    mails: int | None = None
    texts: int | None = None
    text_price: float = 0.05
    text_parts: int = 3
    verify: Verify | None = None
    monitoring: str = "full"


# The line items, in the order of the table.
ITEMS = (
    "API Gateway, requests",
    "Lambda, invocations",
    "Lambda, time",
    "DynamoDB, writes",
    "DynamoDB, reads",
    "DynamoDB, storage and backup",
    "ElastiCache, memory",
    "ElastiCache, processing",
    "CloudWatch, logs",
    "CloudWatch, metrics, alarms, dashboard",
    "EventBridge, events",
    "KMS, passes; secret",
    "Maintenance, each minute",
    "Data out",
)


@dataclass(frozen=True)
class Watched:
    """The numbers of metrics that a part of the stack pays for.

    `idle` is the number of its own metrics while there are no calls, and `busy` the number while
    there are calls of all kinds. `alarmed` is the number of metrics that its alarms read. An alarm
    costs its price for each metric that it reads.
    """

    idle: int
    busy: int
    alarmed: int


# The metrics for one waitlist, by the value of the parameter Monitoring. The webhook receives all
# events of a customer's life, and has failed once. Mails have alarms for SES' rates of bounces and
# complaints.
WATCHED = {
    "full": {
        "stack": Watched(39, 61, 24),
        "webhook": Watched(8, 24, 4),
        "messages": Watched(14, 16, 5),
        "mails": Watched(0, 0, 2),
    },
    "essential": {
        "stack": Watched(1, 1, 12),
        "webhook": Watched(2, 2, 4),
        "messages": Watched(2, 2, 3),
        "mails": Watched(0, 0, 2),
    },
}
BOARDS_A_MONTH = HOURS * 3600 // 5


def monthly(month: Month, prices: Prices = Prices()) -> dict[str, float]:
    """Return the dollars of a month by line item, with the total at the end.

    If the month has no calls, the result is the cost of an idle stack.
    """
    calls = {
        "signup": 0 if month.verify else month.signups,
        "signup to verify": month.signups if month.verify else 0,
        "verify": month.signups if month.verify else 0,
        "offer": month.signups,
        "enter": month.signups,
        "exit": month.signups,
        "look": month.polls,
        "board": min(month.boards, BOARDS_A_MONTH) if month.edge else month.boards,
    }
    items = dict.fromkeys(ITEMS, 0.0) | cost_of(calls, prices)
    table_gb = month.signups * RECORD_BYTES / 1e9
    cache_gb = max(prices.cache_least_gb, month.waiting * ENTRY_BYTES / 1e9)
    board_gb = month.boards * BOARD_KB / 1e6
    items["DynamoDB, storage and backup"] = table_gb * (
        prices.table_gb_month + prices.backup_gb_month
    )
    items["ElastiCache, memory"] = cache_gb * HOURS * prices.cache_gb_hour
    is_busy = any(calls.values())
    items["CloudWatch, metrics, alarms, dashboard"] = _watched(month, "stack", is_busy, prices)
    if month.monitoring == "full":
        items["CloudWatch, metrics, alarms, dashboard"] += prices.dashboard_month
    items["EventBridge, events"] += MINUTES * _an_event(prices)
    items["KMS, passes; secret"] += prices.key_month + prices.secret_month
    further = max(0, month.lists - 1) * idle_list(prices)
    items["Maintenance, each minute"] = MINUTES * _minute(prices) + further
    if month.edge:
        items["CloudFront"] = month.boards / 1e6 * prices.edge_per_million
        items["CloudFront"] += board_gb * prices.edge_out_gb
    else:
        items["Data out"] += board_gb * prices.out_gb
    if month.webhook:
        items["Webhook"] = _webhook(month, totals(calls)["events"], prices)
    if (month.mails, month.texts, month.verify) != (None, None, None):
        items["Messages"] = _messages(month, prices)
    return {**items, "Total": sum(items.values())}


def _messages(month: Month, prices: Prices) -> float:
    """Return the dollars of a month's messages, including AWS' prices for mails and SMS.

    Each message is sent alone.
    """
    mails, texts = month.mails or 0, month.texts or 0
    mails += month.signups if month.verify == "mail" else 0
    texts += month.signups if month.verify == "sms" else 0
    is_busy = bool(mails or texts)
    own = _queued(MESSAGE, MESSAGE_SQS, MESSAGE_MS, MESSAGE_GB, MESSAGE_BYTES, prices)
    watched = _watched(month, "messages", is_busy, prices)
    if month.mails is not None or month.verify == "mail":
        watched += _watched(month, "mails", is_busy, prices)
    return (
        (mails + texts) * own
        + mails / 1000 * prices.mails_per_thousand
        + texts * month.text_parts * month.text_price
        + watched
        + _idle_queue(MESSAGE_GB, prices)
    )


def _watched(month: Month, part: str, is_busy: bool, prices: Prices) -> float:
    """Return the dollars of the metrics and the alarms of a part of the stack."""
    watched = WATCHED[month.monitoring][part]
    metrics = watched.busy if is_busy else watched.idle
    return metrics * prices.metric_month + watched.alarmed * prices.alarm_month


def _idle_queue(gigabytes: float, prices: Prices) -> float:
    """Return the dollars of a month for a function whose queue receives only the heartbeat."""
    heartbeat = _queued(
        Operation(), HEARTBEAT_SQS, HEARTBEAT_MS, gigabytes, HEARTBEAT_BYTES, prices
    )
    return MINUTES * (heartbeat + POLLS_A_MINUTE * prices.sqs_per_million / 1e6)


def _an_event(prices: Prices) -> float:
    """Return the dollars for putting one event on the bus with a function call of its own."""
    millis = EVENT_MS / 1000 * EVENT_GB * prices.lambda_per_gb_second
    return (prices.events_per_million + prices.lambda_per_million) / 1e6 + millis


def _queued(
    operation: Operation, sqs: int, millis: int, gigabytes: float, log_bytes: int, prices: Prices
) -> float:
    """Return the dollars for one event that a function receives alone from its queue."""
    return (
        (sqs * prices.sqs_per_million + prices.lambda_per_million) / 1e6
        + millis / 1000 * gigabytes * prices.lambda_per_gb_second
        + operation.writes / 1e6 * prices.writes_per_million
        + operation.reads / 1e6 * prices.reads_per_million
        + log_bytes / 1e9 * prices.log_gb
    )


def _webhook(month: Month, events: float, prices: Prices) -> float:
    """Return the dollars of a month in which `events` events are posted to a webhook."""
    an_event = _queued(WEBHOOK, WEBHOOK_SQS, WEBHOOK_MS, WEBHOOK_GB, WEBHOOK_BYTES, prices)
    return (
        events * an_event
        + _watched(month, "webhook", events > 0, prices)
        + _idle_queue(WEBHOOK_GB, prices)
        + prices.secret_month
    )


def idle_list(prices: Prices = Prices()) -> float:
    """Return the dollars of a month for an idle waitlist in a stack with other waitlists."""
    a_minute = (
        IDLE_LIST_MS / 1000 * PUBLIC_GB * prices.lambda_per_gb_second
        + IDLE_LIST_READS / 1e6 * prices.reads_per_million
        + ECPUS / 1e6 * prices.ecpus_per_million
        + (PRIVATE_BYTES / 1e9 * prices.log_gb + prices.lambda_per_million / 1e6)
        / IDLE_LISTS_A_CALL
    )
    return MINUTES * a_minute


def cost_of(
    calls: Mapping[str, float],
    prices: Prices = Prices(),
    operations: Mapping[str, Operation] = OPERATIONS,
) -> dict[str, float]:
    """Return the dollars of the calls by line item, without the costs of an idle stack."""
    used = totals(calls, operations)
    requests = sum(count for name, count in calls.items() if name != "offer")
    public_ms = OWN_MS * requests + TABLE_MS * used["table_calls"] + QUEUE_MS * used["queue_calls"]
    gb_seconds = (public_ms * PUBLIC_GB + PRIVATE_MS * used["queue_calls"] * PRIVATE_GB) / 1000
    log = requests * (ACCESS_BYTES + PUBLIC_BYTES) + used["queue_calls"] * PRIVATE_BYTES
    return {
        "API Gateway, requests": requests / 1e6 * prices.api_per_million,
        "Lambda, invocations": (requests + used["queue_calls"]) / 1e6 * prices.lambda_per_million,
        "Lambda, time": gb_seconds * prices.lambda_per_gb_second,
        "DynamoDB, writes": used["writes"] / 1e6 * prices.writes_per_million,
        "DynamoDB, reads": used["reads"] / 1e6 * prices.reads_per_million,
        "ElastiCache, processing": used["queue_calls"] * ECPUS / 1e6 * prices.ecpus_per_million,
        "CloudWatch, logs": log / 1e9 * prices.log_gb,
        "EventBridge, events": used["events"] * _an_event(prices),
        "KMS, passes; secret": used["signatures"] / 1e6 * prices.signatures_per_million,
        "Data out": requests * ANSWER_KB / 1e6 * prices.out_gb,
    }


def _minute(prices: Prices) -> float:
    """Return the dollars of a run of maintenance, as if it made its calls one at a time."""
    public_ms = OWN_MS + TABLE_MS * MINUTE.table_calls + QUEUE_MS * MINUTE.queue_calls
    private_ms = PRIVATE_MS * MINUTE.queue_calls
    gb_seconds = (public_ms * PUBLIC_GB + private_ms * PRIVATE_GB) / 1000
    return (
        gb_seconds * prices.lambda_per_gb_second
        + (1 + MINUTE.queue_calls) / 1e6 * prices.lambda_per_million
        + MINUTE.writes / 1e6 * prices.writes_per_million
        + MINUTE.reads / 1e6 * prices.reads_per_million
        + MINUTE.queue_calls * ECPUS / 1e6 * prices.ecpus_per_million
        + (MAINTENANCE_BYTES + MINUTE.queue_calls * PRIVATE_BYTES) / 1e9 * prices.log_gb
    )


def totals(
    calls: Mapping[str, float], operations: Mapping[str, Operation] = OPERATIONS
) -> dict[str, float]:
    """Return the resources that the calls use together, by the fields of Operation."""
    return {
        field.name: sum(
            count * float(getattr(operations[name], field.name)) for name, count in calls.items()
        )
        for field in fields(Operation)
    }
