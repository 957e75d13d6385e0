"""What a stack costs in a month: counted units, AWS' published prices, and their product.

docs/operate/sizing.md explains the numbers. Its table is this module's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

Verify = Literal["mail", "sms"]


@dataclass(frozen=True)
class Operation:
    """What one call uses; `tests/service/test_units.py` counts all but the milliseconds.

    `writes` and `reads` are DynamoDB's request units, `table_calls` the calls that use them one
    after the other, `queue_calls` those of the private function, `events` those that the bus gets.
    """

    writes: float = 0
    reads: float = 0
    table_calls: int = 0
    queue_calls: int = 1
    events: int = 0
    signatures: int = 0


# A person with a profile of at most 500 bytes. `offer` is one of many that a run of a policy makes.
OPERATIONS = {
    "signup": Operation(writes=10, table_calls=2, events=1),
    # On a list that verifies addresses, and the link that a person opens.
    "signup to verify": Operation(writes=13, table_calls=2, events=2),
    "verify": Operation(writes=7, reads=2, table_calls=3, queue_calls=3, events=1),
    "look": Operation(),
    "board": Operation(),
    "offer": Operation(writes=7, reads=1, table_calls=2, queue_calls=0, events=1),
    "enter": Operation(writes=8, reads=2, table_calls=3, events=1, signatures=1),
    "exit": Operation(writes=7, reads=1, table_calls=2, events=1),
    "leave": Operation(writes=11, table_calls=2, events=1),
}
# A run of maintenance, which happens each minute also if nothing has changed.
MINUTE = Operation(writes=1, reads=59, table_calls=68, queue_calls=1)
# What each further list adds to it while nothing happens there: its settings are read, with those
# of 99 others in two calls, and Redis is asked for it, with 499 others in one.
IDLE_LIST_READS, IDLE_LIST_MS, IDLE_LISTS_A_CALL = 1, 0.84, 500
# The function that puts an event on the bus, where an event comes alone. Lambda's reads of the
# stream are free.
EVENT_MS, EVENT_GB = 15, 0.25
# The heartbeat is an event of each minute. A function behind a queue takes it, and writes a line.
HEARTBEAT_MS, HEARTBEAT_SQS, HEARTBEAT_BYTES = 5, 3, 830
# Lambda asks a queue at rest by five connections, each of which waits for 20 seconds.
POLLS_A_MINUTE = 5 * 3
# What an event adds where it is posted to a webhook that takes it at once. SQS bills the message,
# its receipt and its deletion; the function waits for the receiver.
WEBHOOK = Operation(writes=2, reads=2, table_calls=4, queue_calls=0)
WEBHOOK_SQS, WEBHOOK_MS, WEBHOOK_GB, WEBHOOK_BYTES = 3, 100, 0.5, 600
# What a message adds to its event if it is sent alone: a batch of up to ten shares the invocation
# and the count, whose transaction is two of the writes. Two more writes count the message for its
# address and for the day. The first of them is not needed for a verified address; a list with a
# budget of its own needs one more. The function waits for the sender.
MESSAGE = Operation(writes=6, reads=3, table_calls=8, queue_calls=0)
MESSAGE_SQS, MESSAGE_MS, MESSAGE_GB, MESSAGE_BYTES = 3, 150, 0.5, 950
# Milliseconds that are billed. These are assumed: measure yours in the log's `latency_ms`.
OWN_MS, TABLE_MS, QUEUE_MS, PRIVATE_MS = 3, 8, 10, 3
PUBLIC_GB, PRIVATE_GB = 1.0, 0.5
# Bytes of log: a line of the access log, of the public and of the private function, and what a run
# of maintenance writes with Lambda's own lines.
ACCESS_BYTES, PUBLIC_BYTES, PRIVATE_BYTES, MAINTENANCE_BYTES = 450, 730, 650, 2_600
ECPUS = 3  # of a script: assumed; a plain command of up to 1 KB counts 1
ANSWER_KB, BOARD_KB = 1.0, 10.0  # what leaves AWS; the board compressed
ENTRY_BYTES = 100  # in Redis, without segments
RECORD_BYTES = 3_000  # in DynamoDB: record, history, index
HOURS = 730
MINUTES = HOURS * 60


@dataclass(frozen=True)
class Prices:
    """US dollars in us-east-1, without free tiers and volume discounts.

    Sources: docs/operate/sizing.md.
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
    """What happens in a month: customers who join and are admitted, and how they look.

    `polls` are looks at the own entry, `boards` reads of the board. With `edge` CloudFront answers
    the boards, and one in five seconds reaches the service. Nothing happens in most `lists`. With
    `webhook` each event is posted to one. So many people are told something by `mails`, and by
    `texts`, an SMS each; None if the stack has no sender. An SMS has `text_parts` parts, each of
    which costs `text_price` dollars. With `verify` each signup gets one more message, a link by
    `mail` or `sms`. `monitoring` is the stack's parameter.
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


# In the order of the table.
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
    """The metrics of a part that are paid for: its own ones, while nobody calls and while all kinds
    of calls come, and those that its alarms read. An alarm costs its price for each.
    """

    idle: int
    busy: int
    alarmed: int


# By the parameter Monitoring, for one waitlist. A webhook gets the events of a life, and has
# failed once; mails have alarms on SES' rates of bounces and complaints.
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
    """Return dollars by line item, the total last; a month without calls is an idle stack's."""
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
    """Return the dollars of a month's messages, each sent alone, with those of AWS' senders."""
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
    """Return the dollars of a part's metrics, and of the alarms that watch it."""
    watched = WATCHED[month.monitoring][part]
    metrics = watched.busy if is_busy else watched.idle
    return metrics * prices.metric_month + watched.alarmed * prices.alarm_month


def _idle_queue(gigabytes: float, prices: Prices) -> float:
    """Return the dollars of a month of a function behind a queue of which nothing but the heartbeat
    comes.
    """
    heartbeat = _queued(
        Operation(), HEARTBEAT_SQS, HEARTBEAT_MS, gigabytes, HEARTBEAT_BYTES, prices
    )
    return MINUTES * (heartbeat + POLLS_A_MINUTE * prices.sqs_per_million / 1e6)


def _an_event(prices: Prices) -> float:
    """Return the dollars of an event that the function of events puts on the bus alone."""
    millis = EVENT_MS / 1000 * EVENT_GB * prices.lambda_per_gb_second
    return (prices.events_per_million + prices.lambda_per_million) / 1e6 + millis


def _queued(
    operation: Operation, sqs: int, millis: int, gigabytes: float, log_bytes: int, prices: Prices
) -> float:
    """Return the dollars of one event that a function takes from a queue of its own, alone."""
    return (
        (sqs * prices.sqs_per_million + prices.lambda_per_million) / 1e6
        + millis / 1000 * gigabytes * prices.lambda_per_gb_second
        + operation.writes / 1e6 * prices.writes_per_million
        + operation.reads / 1e6 * prices.reads_per_million
        + log_bytes / 1e9 * prices.log_gb
    )


def _webhook(month: Month, events: float, prices: Prices) -> float:
    """Return the dollars of a month in which so many events are posted to a webhook."""
    an_event = _queued(WEBHOOK, WEBHOOK_SQS, WEBHOOK_MS, WEBHOOK_GB, WEBHOOK_BYTES, prices)
    return (
        events * an_event
        + _watched(month, "webhook", events > 0, prices)
        + _idle_queue(WEBHOOK_GB, prices)
        + prices.secret_month
    )


def idle_list(prices: Prices = Prices()) -> float:
    """Return the dollars of a month of a list in which nothing happens, beside other lists."""
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
    """Return the dollars of calls by line item, without the monthly costs of an idle stack."""
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
    """Return the dollars of a run of maintenance, as if it made its calls one after the other."""
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
    """Return what these calls use together, by the fields of an operation."""
    return {
        field.name: sum(
            count * float(getattr(operations[name], field.name)) for name, count in calls.items()
        )
        for field in fields(Operation)
    }
