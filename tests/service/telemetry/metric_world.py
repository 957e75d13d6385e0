"""Simulates a stack's metrics in CloudWatch, minute by minute. Tests can make any part of the stack
fail.

Each part reports its metrics as the AWS documentation says. SQS, for example, reports only queues
that are in use, and DynamoDB reports throttled writes only if there are any.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Self

from tests.support.alarms import ALARM, OK, Alarm, Metric, metric_of, named
from tools.deploy.stack import Stack, make
from waitlist_api.maintenance.run_log import COUNTS, LEVELS, count_troubles

Numbers = dict[str, float]
# The number of minutes without a fault at the start of a test.
BEFORE = 60
# The functions that get the event bus's events through a queue. The keys are the functions' names
# in metrics.
BEHIND_THE_BUS = {"webhook": "WebhookFn", "messages": "MessagesFn"}
FUNCTIONS = {"private": "PrivateFn", "maintenance": "MaintenanceFn", "public": "PublicFn"}


@cache
def stack_of(parameters: frozenset[tuple[str, str]]) -> Stack:
    given = dict(parameters)
    return make(given, region=given.pop("AWS::Region", "us-east-1"))


@dataclass
class World:
    """The values of all of a stack's metrics, minute by minute."""

    stack: Stack
    values: dict[Metric, list[list[float]]] = field(default_factory=lambda: defaultdict(list))
    minute: int = 0

    def copied(self) -> Self:
        """Return a copy. It shares the minutes so far, so add values only to later minutes."""
        values = {metric: [*series] for metric, series in self.values.items()}
        return replace(self, values=defaultdict(list, values))

    # Each of these methods adds one minute of metrics for one part of the stack. To simulate a
    # fault, a test passes different values or skips the call.

    def begin(self) -> None:
        self.minute += 1

    def put(self, namespace: str, name: str, *values: float, **dimensions: str) -> None:
        metric = (namespace, name, frozenset(dimensions.items()))
        series = self.values[metric]
        series += [[] for _ in range(self.minute - len(series))]
        series[-1] += values

    def say(self, service: str, numbers: Numbers) -> None:
        """Report a function's metrics, except for metrics that are turned off in the stack."""
        function = FUNCTIONS.get(service) or BEHIND_THE_BUS[service]
        variables = self.stack.resources[function]["Properties"]["Environment"]["Variables"]
        chosen = variables["METRICS"].split(",") if variables["METRICS"] else list(numbers)
        for name in set(chosen) & set(numbers):
            self.put("Waitlist/waitlist", name, numbers[name], service=service)

    def call(self, function: str, errors: float = 0, **more: float) -> None:
        name = self.name(function)
        for metric, value in {"Invocations": 1, "Errors": errors, "Throttles": 0, **more}.items():
            self.put("AWS/Lambda", metric, value, FunctionName=name)

    def name(self, logical_id: str) -> str:
        return str(self.stack.attribute(logical_id, "Name"))

    def maintain(self, **numbers: float) -> None:
        gauges = {**dict.fromkeys((*COUNTS, *LEVELS), 0.0), "waitlists": 1, **numbers}
        self.say("maintenance", {**gauges, "troubles": count_troubles(gauges)})
        self.call("MaintenanceFn")

    def answer(self, failures: float = 0) -> None:
        self.say("private", {"failures": failures})
        self.call("PrivateFn")

    def read_stream(self, age_millis: float = 800, errors: float = 0) -> None:
        self.call("EventsFn", errors=errors, IteratorAge=age_millis)

    def beat(self, service: str, late_seconds: float = 0, failures: float = 0) -> None:
        """Report that a function has handled a heartbeat from its queue."""
        self.say(service, {"failures": failures, "late_seconds": late_seconds})
        self.call(BEHIND_THE_BUS[service])

    def cache(self, memory: float = 100e6, processing: float = 60) -> None:
        if "Redis" in self.stack.resources:
            cache = self.name("Redis")
            self.put("AWS/ElastiCache", "BytesUsedForCache", memory, clusterId=cache)
            self.put("AWS/ElastiCache", "ElastiCacheProcessingUnits", processing, clusterId=cache)

    def serve(self, requests: int = 60, errors: int = 0, millis: float = 80) -> None:
        api = self.name("Api")
        failed = [float(number < errors) for number in range(requests)]
        self.put("AWS/ApiGateway", "Count", *[1] * requests, ApiId=api)
        self.put("AWS/ApiGateway", "5xx", *failed, ApiId=api)
        self.put("AWS/ApiGateway", "Latency", *[millis] * requests, ApiId=api)

    def hold(self, queue: str, messages: float) -> None:
        self.put(
            "AWS/SQS",
            "ApproximateNumberOfMessagesVisible",
            messages,
            QueueName=self.name(queue),
        )

    def write(self, units: float = 300) -> None:
        table = self.name("WaitlistTable")
        self.put("AWS/DynamoDB", "ConsumedWriteCapacityUnits", units, TableName=table)

    # What the alarms show.

    @property
    def alarms(self) -> dict[str, dict[str, Any]]:
        return self.stack.of_type("AWS::CloudWatch::Alarm")

    @cached_property
    def _evaluated(self) -> dict[bool, dict[str, Alarm]]:
        """The alarms if FILL adds values to a metric that has none (True), and if it does not."""
        return {
            fills: {
                name: Alarm(properties, fills_nothing=not fills)
                for name, properties in self.alarms.items()
            }
            for fills in (True, False)
        }

    def states(self, before: dict[str, str] | None = None, *, fills: bool) -> dict[str, str]:
        for series in self.values.values():
            series += [[] for _ in range(self.minute - len(series))]
        known = before or {}
        return {
            name: alarm.state(self.values, self.minute, known.get(name, OK))
            for name, alarm in self._evaluated[fills].items()
        }

    def unknown_metrics(self) -> set[tuple[str, str]]:
        """Return the metrics that an alarm reads but nothing has reported, each with its alarm."""
        return {
            (name, f"{named(metric)} {metric_of(metric)[1]}")
            for name, properties in self.alarms.items()
            for metric in Alarm(properties, fills_nothing=True).metrics.values()
            if metric_of(metric) not in self.values
        }


Minute = Callable[[World], None]


def all_is_well(world: World, *but: str, requests: int = 60) -> None:
    """Report one minute in which everything works. The parts in `but` report nothing."""
    parts: dict[str, Minute] = {
        "maintenance": World.maintain,
        "private": World.answer,
        "events": World.read_stream,
        "cache": World.cache,
        "table": World.write,
        "api": lambda one: one.serve(requests),
    }
    for service, function in BEHIND_THE_BUS.items():
        if function in world.stack.resources:
            parts[service] = lambda one, service=service: one.beat(service)  # type: ignore[misc]
    if not world.stack.resources["EventsFnStream"]["Properties"]["Enabled"]:
        parts.pop("events")
    for name, part in parts.items():
        if name not in but:
            part(world)


def ringing(states: dict[str, str]) -> set[str]:
    return {name for name, state in states.items() if state == ALARM}
