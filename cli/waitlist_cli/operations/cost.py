"""Estimates the monthly cost of a stack from measured resource use and AWS list prices."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

Verify = Literal["mail", "sms"]


@dataclass(frozen=True)
class Operation:
    """The resources that one API call uses. `tests/service/test_units.py` measures them."""

    # DynamoDB write request units.
    writes: float = 0
    # DynamoDB read request units.
    reads: float = 0
    # The number of DynamoDB calls made one after another. Concurrent calls count as one.
    table_calls: int = 0
    # The number of calls to the private function.
    queue_calls: int = 1
    # The number of events that are sent to the event bus.
    events: int = 0
    signatures: int = 0


# The resources that each operation uses, for customers with a profile of at most 500 bytes. The
# numbers for `offer` assume that many offers are made in one run.
OPERATIONS = {
    "signup": Operation(writes=10, table_calls=2, events=1),
    # A signup on a waitlist that verifies addresses. It publishes a second event, which requests
    # the verification message.
    "signup to verify": Operation(writes=13, table_calls=2, events=2),
    "verify": Operation(writes=7, reads=1, table_calls=2, queue_calls=3, events=1),
    "look": Operation(),
    "board": Operation(),
    "offer": Operation(writes=7, reads=1, table_calls=2, queue_calls=0, events=1),
    "enter": Operation(writes=8, reads=2, table_calls=3, events=1, signatures=1),
    "exit": Operation(writes=7, reads=1, table_calls=2, events=1),
    "leave": Operation(writes=11, reads=1, table_calls=3, events=1),
}
# The resources that a maintenance run uses. Maintenance runs every minute.
MINUTE = Operation(writes=1, reads=59, table_calls=68, queue_calls=1)
# The extra resources that a maintenance run uses for each idle waitlist. A single call to Redis
# handles hundreds of waitlists.
IDLE_LIST_READS, IDLE_LIST_MS, IDLE_LISTS_A_CALL = 1, 0.84, 500
# The duration and the memory of the function that sends events to the event bus. The estimate
# assumes one event per invocation. Lambda reads the DynamoDB stream for free.
EVENT_MS, EVENT_GB = 15, 0.25
# The resources for a heartbeat, which is a test event. Every SQS queue receives a heartbeat once a
# minute.
HEARTBEAT_MS, HEARTBEAT_SQS, HEARTBEAT_BYTES = 5, 3, 830
# Lambda polls an idle SQS queue over five connections. Each poll waits for up to 20 seconds.
POLLS_A_MINUTE = 5 * 3
# The additional resources for posting an event to a webhook, including the SQS requests.
WEBHOOK = Operation(writes=2, reads=2, table_calls=4, queue_calls=0)
WEBHOOK_SQS, WEBHOOK_MS, WEBHOOK_GB, WEBHOOK_BYTES = 3, 100, 0.5, 600
# The additional resources for sending a message to a customer after an event. The estimate assumes
# one Lambda invocation per message.
MESSAGE = Operation(writes=6, reads=3, table_calls=8, queue_calls=0)
MESSAGE_SQS, MESSAGE_MS, MESSAGE_GB, MESSAGE_BYTES = 3, 150, 0.5, 950
# Estimates of the Lambda time that AWS bills, in milliseconds. The actual times are in the
# `latency_ms` log field.
OWN_MS, TABLE_MS, QUEUE_MS, PRIVATE_MS = 3, 8, 10, 3
PUBLIC_GB, PRIVATE_GB = 1.0, 0.5
# How many bytes are logged. The first three numbers are for one request: in the access log, in the
# public function's log and in the private function's log. The last number is for one maintenance
# run. Lambda's own log lines are included.
ACCESS_BYTES, PUBLIC_BYTES, PRIVATE_BYTES, MAINTENANCE_BYTES = 450, 730, 650, 2_600
# The assumed number of ElastiCache processing units (ECPUs) for one run of a script. For
# comparison: a simple command that transfers up to 1 KB uses one ECPU.
ECPUS = 3
# The size of a response and the compressed size of the public board. AWS bills both as data sent to
# the internet.
ANSWER_KB, BOARD_KB = 1.0, 10.0
# The Redis memory that each entry needs if the waitlist has no segments.
ENTRY_BYTES = 100
# The DynamoDB storage that each entry needs for its record, its history and the index.
RECORD_BYTES = 3_000
HOURS = 730
MINUTES = HOURS * 60


@dataclass(frozen=True)
class Prices:
    """AWS list prices in US dollars for us-east-1, without free tiers or volume discounts.

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
    """How much a stack is used in one month.

    The estimate assumes that every customer who signs up is admitted.
    """

    signups: int
    # How many times customers request their own position.
    polls: int
    # How many times the public board is read.
    boards: int = 0
    waiting: int = 0
    # True if CloudFront serves the board (the public snapshot of positions). CloudFront caches the
    # board for five seconds.
    edge: bool = False
    # The number of waitlists. All but one are assumed to be idle.
    lists: int = 1
    # True if every event is posted to a webhook.
    webhook: bool = False
    # The number of emails, or None if the stack cannot send emails.
    mails: int | None = None
    # The number of SMS messages, or None if the stack cannot send SMS messages.
    texts: int | None = None
    # The price of one SMS part in dollars.
    text_price: float = 0.05
    text_parts: int = 3
    # How verification links are sent, or None if the waitlist verifies no addresses.
    verify: Verify | None = None
    # The value of the stack's `Monitoring` parameter.
    monitoring: str = "full"


# The line items in the order of the table.
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
    """The number of CloudWatch metrics that AWS bills for a part of the stack."""

    # The number of metrics that the stack publishes even if it receives no requests.
    idle: int
    # The number of metrics that the stack publishes if it receives every kind of request.
    busy: int
    # The number of metrics that alarms read. AWS bills every metric that an alarm reads.
    alarmed: int


# The numbers of CloudWatch metrics for each part of a stack, by the value of the stack's
# `Monitoring` parameter.
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
    """Return the monthly cost in dollars by bill item, with the total last.

    If there are no requests in the month, the result is the cost of an idle stack.
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
    """Return the monthly cost of messages in dollars, including what AWS charges for emails and
    SMS.
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
    """Return the monthly cost, in dollars, of the metrics and alarms for a part of the stack."""
    watched = WATCHED[month.monitoring][part]
    metrics = watched.busy if is_busy else watched.idle
    return metrics * prices.metric_month + watched.alarmed * prices.alarm_month


def _idle_queue(gigabytes: float, prices: Prices) -> float:
    """Return the monthly cost, in dollars, of an SQS queue that gets one event per minute."""
    heartbeat = _queued(
        Operation(), HEARTBEAT_SQS, HEARTBEAT_MS, gigabytes, HEARTBEAT_BYTES, prices
    )
    return MINUTES * (heartbeat + POLLS_A_MINUTE * prices.sqs_per_million / 1e6)


def _an_event(prices: Prices) -> float:
    """Return the cost, in dollars, of putting an event on the event bus.

    The estimate assumes one Lambda invocation per event.
    """
    millis = EVENT_MS / 1000 * EVENT_GB * prices.lambda_per_gb_second
    return (prices.events_per_million + prices.lambda_per_million) / 1e6 + millis


def _queued(
    operation: Operation, sqs: int, millis: int, gigabytes: float, log_bytes: int, prices: Prices
) -> float:
    """Return the cost, in dollars, of handling an event from an SQS queue.

    The estimate assumes one Lambda invocation per event.
    """
    return (
        (sqs * prices.sqs_per_million + prices.lambda_per_million) / 1e6
        + millis / 1000 * gigabytes * prices.lambda_per_gb_second
        + operation.writes / 1e6 * prices.writes_per_million
        + operation.reads / 1e6 * prices.reads_per_million
        + log_bytes / 1e9 * prices.log_gb
    )


def _webhook(month: Month, events: float, prices: Prices) -> float:
    """Return the monthly cost, in dollars, of posting this many events to a webhook."""
    an_event = _queued(WEBHOOK, WEBHOOK_SQS, WEBHOOK_MS, WEBHOOK_GB, WEBHOOK_BYTES, prices)
    return (
        events * an_event
        + _watched(month, "webhook", events > 0, prices)
        + _idle_queue(WEBHOOK_GB, prices)
        + prices.secret_month
    )


def idle_list(prices: Prices = Prices()) -> float:
    """Return the monthly cost, in dollars, of adding an idle waitlist to a stack."""
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
    """Return the cost of these calls in dollars by bill item, without the idle stack's cost."""
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
    """Return the cost of a maintenance run in dollars."""
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
    """Add up the resources that the calls use. The keys are the fields of Operation."""
    return {
        field.name: sum(
            count * float(getattr(operations[name], field.name)) for name, count in calls.items()
        )
        for field in fields(Operation)
    }
