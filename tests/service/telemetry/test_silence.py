"""Tests that an alarm goes off if its part of the stack reports errors, and also if that part stops
reporting.

AWS does not document what its `FILL` function does with a metric that has no values, so the tests
try both possibilities.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import pytest

from tests.service.telemetry.metric_world import (
    BEFORE,
    BEHIND_THE_BUS,
    Minute,
    World,
    all_is_well,
    ringing,
    stack_of,
)
from tests.support.alarms import ALARM, OK
from waitlist_api.webhooks.deliver import backoff_seconds

Parameters = dict[str, str]
MODES = ("full", "essential")
SENDERS = {"WebhookUrl": "https://example.com/hook", "MailFrom": "line@example.com"}
WEBHOOK = {"WebhookUrl": "https://example.com/hook"}
MAIL = {"MailFrom": "line@example.com"}
BOTS = {"BotCheck": "turnstile", "BotCheckSiteKey": "key"}
# These parts report nothing while maintenance is down, because maintenance sends them a request or
# a heartbeat every minute.
DOWNSTREAM = ("private", "events", "webhook", "messages")
# The alarms that go off when heartbeats stop arriving.
NO_HEARTBEAT = {"WebhookFailingAlarm", "MessagesLateAlarm"}
HOURS = 60


@dataclass(frozen=True)
class Fault:
    """A fault in one part of the stack, and the alarms that it must set off."""

    name: str
    # Reports AWS's metrics for one minute of the fault.
    minute: Callable[[World, int], None]
    # The alarms that go off in every stack.
    rings: set[str] = field(default_factory=set)
    # The alarms that go off only in stacks with all alarms.
    in_full: set[str] = field(default_factory=set)
    # The alarms that go off only in stacks with the essential alarms.
    in_essential: set[str] = field(default_factory=set)
    parameters: Parameters = field(default_factory=dict)
    lasts: int = 30
    # The alarms that stay on after the fault until somebody has solved the problem.
    stays: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        return self.name

    def expected(self, mode: str) -> set[str]:
        return self.rings | (self.in_full if mode == "full" else self.in_essential)


def without(*parts: str, then: Minute | None = None) -> Callable[[World, int], None]:
    """Return a function that reports one minute of metrics without the named parts. `then` can
    report other values for them.
    """

    def minute(world: World, _number: int) -> None:
        all_is_well(world, *parts)
        if then is not None:
            then(world)

    return minute


def also(then: Minute) -> Callable[[World, int], None]:
    return without(then=then)


def maintained(**numbers: float) -> Callable[[World, int], None]:
    return without("maintenance", then=lambda world: world.maintain(**numbers))


def throttled(function: str) -> Minute:
    """Lambda throttles the function, and reports a throttled call and no invocation."""

    def report(world: World) -> None:
        world.put("AWS/Lambda", "Throttles", 1, FunctionName=world.name(function))

    return report


def breaking_off(function: str) -> Minute:
    """The function crashes during its import, so Lambda reports an invocation and an error."""
    return lambda world: world.call(function, errors=1)


def timing_out_at_one_event(service: str) -> Callable[[World, int], None]:
    """The function handles its heartbeats, but Lambda ends it each minute while it handles the same
    event or message.
    """

    def report(world: World) -> None:
        world.beat(service)
        world.call(BEHIND_THE_BUS[service], errors=1)

    return without(service, then=report)


def waits_longer(world: World, number: int) -> None:
    """The function cannot handle a batch from the stream.

    The batch gets older while Lambda retries it.
    """
    all_is_well(world, "events", "webhook", "messages")
    world.read_stream(age_millis=number * 60_000, errors=1)


def private_function_is_gone(world: World, _number: int) -> None:
    """Simulate a minute without customer requests in which the private function does not answer
    maintenance.
    """
    all_is_well(world, "private", "maintenance", "api")
    world.maintain(beats_missed=1)


def private_function_breaks_off_under_load(world: World, _number: int) -> None:
    all_is_well(world, "private", "maintenance", "api")
    world.maintain(beats_missed=1)
    for _call in range(20):
        world.call("PrivateFn", errors=1)
    world.serve(requests=20, errors=20)


def redis_does_not_answer(world: World, _number: int) -> None:
    all_is_well(world, "private", "maintenance", "cache", "api")
    world.maintain(beats_missed=1)
    for _call in range(20):
        world.say("private", {"failures": 1})
        world.call("PrivateFn")
    world.serve(requests=20, errors=20)


def in_two_of_three_minutes_the_only_request_fails(world: World, number: int) -> None:
    all_is_well(world, "api")
    if number % 3:
        world.serve(requests=1, errors=1)


def lies_in(queue: str) -> Callable[[World, int], None]:
    """Nothing reads the queue, which contains one message.

    SQS stops reporting an unused queue after six hours.
    """

    def minute(world: World, number: int) -> None:
        all_is_well(world)
        if number < 6 * HOURS:
            world.hold(queue, 1)

    return minute


def webhook_takes_nothing(world: World, number: int) -> None:
    """The webhook refuses an event. The function retries after increasing pauses of up to an
    hour.
    """
    all_is_well(world, "webhook")
    at, tries = 0.0, 0
    while at < number * 60:
        at += backoff_seconds(tries)
        tries += 1
    is_tried = at < (number + 1) * 60
    late = at + backoff_seconds(tries) if is_tried else 0
    world.beat("webhook", late_seconds=late, failures=float(is_tried))


def table_throttles(index: bool) -> Callable[[World, int], None]:
    names = {"GlobalSecondaryIndexName": "by_place"} if index else {}

    def report(world: World) -> None:
        table = world.name("WaitlistTable")
        world.put("AWS/DynamoDB", "WriteThrottleEvents", 900, TableName=table, **names)

    return also(report)


def reputation(name: str, value: float) -> Callable[[World, int], None]:
    return also(lambda world: world.put("AWS/SES", f"Reputation.{name}", value))


def new_version_fails(function: str) -> Callable[[World, int], None]:
    def report(world: World) -> None:
        name = world.name(function)
        for number in range(20):
            world.put(
                "AWS/Lambda",
                "Errors",
                float(number < 2),
                FunctionName=name,
                Resource=f"{name}:live",
                ExecutedVersion="1",
            )

    return also(report)


def edge_fails(world: World, _number: int) -> None:
    all_is_well(world, "api")
    world.put("AWS/CloudFront", "5xxErrorRate", 60, DistributionId=edge_of(world), Region="Global")


def edge_of(world: World) -> str:
    return world.name("Distribution")


def more_are_parked_each_minute(world: World, number: int) -> None:
    all_is_well(world, "maintenance")
    world.maintain(parked=number)


def signups(world: World, _number: int) -> None:
    all_is_well(world)
    if world.stack.resources["PrivateFn"]["Properties"]["Environment"]["Variables"]["METRICS"]:
        return
    of = {"service": "private", "operation": "signup", "outcome": "joined"}
    for _ in range(3):
        world.put("Waitlist/waitlist", "requests", 500, **of)


FAULTS = [
    # No fault
    Fault("nobody calls", without("api")),
    Fault("nobody calls, and nothing is sent", without("api"), parameters=SENDERS),
    Fault("people call", without(), parameters=SENDERS),
    Fault("events are off", without("api"), parameters={"Events": "off"}),
    # Faults of maintenance
    Fault(
        "maintenance's schedule is disabled, or its function deleted",
        without("maintenance", *DOWNSTREAM),
        {"EventsLateAlarm", *NO_HEARTBEAT},
        {"MaintenanceSilentAlarm", "MessagesFailingAlarm"},
        {"MaintenanceTroubleAlarm"},
        SENDERS,
    ),
    Fault(
        "maintenance breaks off at its start",
        without("maintenance", *DOWNSTREAM, then=breaking_off("MaintenanceFn")),
        {"EventsLateAlarm"},
        {"MaintenanceSilentAlarm"},
        {"MaintenanceTroubleAlarm"},
    ),
    Fault(
        "Lambda does not start maintenance",
        without("maintenance", *DOWNSTREAM, then=throttled("MaintenanceFn")),
        {"EventsLateAlarm"},
        {"MaintenanceSilentAlarm"},
        {"MaintenanceTroubleAlarm"},
    ),
    Fault(
        "people are due and get no offer",
        maintained(admissions_overdue=1),
        in_full={"AdmissionsOverdueAlarm"},
        in_essential={"MaintenanceTroubleAlarm"},
    ),
    Fault(
        "cut-off signups stay unfinished",
        maintained(intents_stuck=1),
        in_full={"StuckIntentsAlarm"},
        in_essential={"MaintenanceTroubleAlarm"},
    ),
    Fault(
        "runs cannot keep up",
        maintained(behind_seconds=400),
        in_full={"MaintenanceBehindAlarm"},
        in_essential={"MaintenanceTroubleAlarm"},
    ),
    Fault(
        "a rebuild does not end",
        maintained(rebuild_running_seconds=2_000, beats_missed=1),
        in_full={"RebuildRunningLongAlarm", "ListsUncheckedAlarm"},
        in_essential={"MaintenanceTroubleAlarm"},
    ),
    # Faults of the private function and Redis
    Fault(
        "the private function is deleted, and nobody calls",
        private_function_is_gone,
        in_full={"ListsUncheckedAlarm"},
        in_essential={"MaintenanceTroubleAlarm"},
    ),
    Fault(
        "the private function breaks off at its start",
        private_function_breaks_off_under_load,
        {"ErrorsAlarm"},
        {"ListsUncheckedAlarm", "PrivateErrorsAlarm"},
        {"MaintenanceTroubleAlarm"},
    ),
    Fault(
        "Lambda does not start the private function",
        also(
            lambda world: world.put(
                "AWS/Lambda", "Throttles", 30, FunctionName=world.name("PrivateFn")
            )
        ),
        {"PrivateThrottlesAlarm"},
    ),
    Fault(
        "Redis is deleted",
        redis_does_not_answer,
        {"ErrorsAlarm", "RedisMemoryAlarm", "RedisCpuAlarm"},
        {"ListsUncheckedAlarm", "PrivateFailuresAlarm"},
        {"MaintenanceTroubleAlarm"},
    ),
    Fault(
        "Redis is full",
        without("cache", then=lambda world: world.cache(memory=4.5e9)),
        {"RedisMemoryAlarm"},
    ),
    Fault(
        "Redis is at its limit",
        without("cache", then=lambda world: world.cache(processing=590_000)),
        {"RedisCpuAlarm"},
    ),
    Fault(
        "Redis throttles commands",
        also(
            lambda world: world.put(
                "AWS/ElastiCache", "ThrottledCmds", 5, clusterId=world.name("Redis")
            )
        ),
        in_full={"RedisThrottledAlarm"},
    ),
    # Faults while requests arrive
    Fault(
        "the public function is deleted, and few people call",
        in_two_of_three_minutes_the_only_request_fails,
        {"ErrorsAlarm"},
    ),
    Fault(
        "one request of ten fails",
        without("api", then=lambda world: world.serve(60, errors=6)),
        {"ErrorsAlarm"},
    ),
    Fault(
        "answers are slow",
        without("api", then=lambda world: world.serve(millis=4_000)),
        in_full={"LatencyAlarm"},
    ),
    Fault("the table refuses writes", table_throttles(index=False), {"WriteThrottlesAlarm"}),
    Fault("the index refuses writes", table_throttles(index=True), {"IndexThrottlesAlarm"}),
    Fault(
        "CloudFront does not reach the API",
        edge_fails,
        {"EdgeErrorsAlarm"},
        parameters={"Edge": "on", "AWS::Region": "us-east-1"},
    ),
    Fault(
        "the provider of the bot check does not answer",
        also(lambda world: world.say("public", {"bot_checks_unavailable": 3})),
        {"BotCheckAlarm"},
        parameters=BOTS,
    ),
    Fault(
        "a new version of the public function fails",
        new_version_fails("PublicFn"),
        {"PublicCanaryErrorsAlarm"},
    ),
    Fault(
        "a new version of the private function fails",
        new_version_fails("PrivateFn"),
        {"PrivateCanaryErrorsAlarm"},
    ),
    # Faults of the events
    Fault(
        "the reader of the stream is disabled, or its function deleted",
        without("events", "webhook", "messages"),
        {"EventsLateAlarm", *NO_HEARTBEAT},
        {"MessagesFailingAlarm"},
        parameters=SENDERS,
    ),
    Fault(
        "Lambda does not start the reader of the stream",
        without("events", "webhook", "messages", then=throttled("EventsFn")),
        {"EventsLateAlarm"},
    ),
    Fault(
        "the reader breaks off, or the bus takes nothing",
        waits_longer,
        {"EventsLateAlarm"},
    ),
    Fault(
        "changes were given up, some hours ago",
        lies_in("UndeliveredEvents"),
        {"EventsUndeliveredAlarm"},
        lasts=8 * HOURS,
        stays={"EventsUndeliveredAlarm"},
    ),
    # Faults of the webhook
    Fault(
        "the webhook's rule or mapping is disabled, or its function deleted",
        without("webhook"),
        {"WebhookFailingAlarm"},
        parameters=WEBHOOK,
    ),
    Fault(
        "the webhook's function breaks off at its start",
        without("webhook", then=breaking_off("WebhookFn")),
        {"WebhookFailingAlarm"},
        parameters=WEBHOOK,
    ),
    Fault(
        "Lambda does not start the webhook's function",
        without("webhook", then=throttled("WebhookFn")),
        {"WebhookFailingAlarm"},
        parameters=WEBHOOK,
    ),
    Fault(
        "the webhook refuses every event",
        without("webhook", then=lambda world: world.beat("webhook", failures=3)),
        {"WebhookFailingAlarm"},
        parameters=WEBHOOK,
    ),
    Fault(
        "the webhook's function times out at one event",
        timing_out_at_one_event("webhook"),
        {"WebhookFailingAlarm"},
        parameters=WEBHOOK,
    ),
    Fault(
        "the webhook has not taken one event for twelve hours",
        webhook_takes_nothing,
        {"WebhookLateAlarm"},
        parameters=WEBHOOK,
        lasts=12 * HOURS,
        stays={"WebhookLateAlarm"},
    ),
    Fault(
        "the webhook's dead letters have been there for hours",
        lies_in("WebhookDeadLetters"),
        {"WebhookDeadLettersAlarm"},
        parameters=WEBHOOK,
        lasts=8 * HOURS,
        stays={"WebhookDeadLettersAlarm"},
    ),
    # Faults of the messages
    Fault(
        "the messages' rule or mapping is disabled, or their function deleted",
        without("messages"),
        {"MessagesLateAlarm"},
        {"MessagesFailingAlarm"},
        parameters=MAIL,
    ),
    Fault(
        "the function of messages breaks off at its start",
        without("messages", then=breaking_off("MessagesFn")),
        {"MessagesLateAlarm"},
        {"MessagesFailingAlarm"},
        parameters=MAIL,
    ),
    Fault(
        "Lambda does not start the function of messages",
        without("messages", then=throttled("MessagesFn")),
        {"MessagesLateAlarm"},
        {"MessagesFailingAlarm"},
        parameters=MAIL,
    ),
    Fault(
        "most of a day's budget of messages is used",
        without(then=lambda world: world.say("messages", {"budget_percent": 90})),
        {"MessagesBudgetAlarm"},
        parameters=MAIL,
    ),
    Fault(
        "a message breaks the function off",
        without("messages", then=lambda world: world.beat("messages", 1_200, failures=1)),
        {"MessagesLateAlarm"},
        {"MessagesFailingAlarm"},
        parameters=MAIL,
    ),
    Fault(
        "the function of messages times out at one message",
        timing_out_at_one_event("messages"),
        in_full={"MessagesFailingAlarm"},
        parameters=MAIL,
    ),
    Fault(
        "messages were given up, some hours ago",
        lies_in("UnsentMessages"),
        {"MessagesUnsentAlarm"},
        parameters=MAIL,
        lasts=8 * HOURS,
        stays={"MessagesUnsentAlarm"},
    ),
    Fault(
        "emails bounce",
        reputation("BounceRate", 0.06),
        {"MailBouncesAlarm"},
        parameters=MAIL,
        lasts=2 * HOURS,
        stays={"MailBouncesAlarm"},
    ),
    Fault(
        "people report emails as spam",
        reputation("ComplaintRate", 0.002),
        {"MailComplaintsAlarm"},
        parameters=MAIL,
        lasts=2 * HOURS,
        stays={"MailComplaintsAlarm"},
    ),
    # Costs that are higher than expected
    Fault("many people sign up", signups, in_full={"SignupGrowthAlarm"}),
    Fault(
        "the table is written more than expected",
        without("table", then=lambda world: world.write(units=400_000)),
        in_full={"WriteUnitsAlarm"},
    ),
    Fault(
        "workers claim and complete nothing",
        more_are_parked_each_minute,
        in_full={"ParkedGrowthAlarm"},
        lasts=45,
    ),
]


def lived(fault: Fault, mode: str) -> World:
    """Report an hour in which everything works, and then the minutes of the fault."""
    given = {**fault.parameters, "Monitoring": mode}
    world = _without_faults(frozenset(given.items())).copied()
    for number in range(fault.lasts):
        world.begin()
        fault.minute(world, number)
    return world


@cache
def _without_faults(parameters: frozenset[tuple[str, str]]) -> World:
    world = World(stack_of(parameters))
    for _minute in range(BEFORE):
        world.begin()
        all_is_well(world)
    return world


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_sets_off_its_alarms_and_no_others_until_it_ends(fault: Fault, mode: str) -> None:
    """All alarms end after the fault, except for alarms that wait until somebody has looked at the
    problem.
    """
    world = lived(fault, mode)
    # The dead-letter and bounce-rate metrics have no new values, so their alarms keep their earlier
    # state.
    before = dict.fromkeys(fault.stays, ALARM)
    expected = fault.expected(mode)
    for fills in (True, False):
        assert ringing(world.states(before, fills=fills)) == expected
    states: dict[str, str] = dict.fromkeys(expected, ALARM)
    for _minute in range(45):
        world.begin()
        all_is_well(world)
        states = world.states(states, fills=False)
    assert ringing(states) == fault.stays & expected


@pytest.mark.parametrize("mode", MODES)
def test_every_alarm_rings_at_some_fault(mode: str) -> None:
    rung = set().union(*(fault.expected(mode) for fault in FAULTS))
    every = {**SENDERS, **BOTS, "Edge": "on", "AWS::Region": "us-east-1", "Monitoring": mode}
    assert rung == set(World(stack_of(frozenset(every.items()))).alarms)


def test_the_hour_before_a_fault_is_quiet() -> None:
    for mode in MODES:
        world = lived(FAULTS[2], mode)
        assert set(world.states(fills=True).values()) <= {OK}
