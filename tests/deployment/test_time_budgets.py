"""Tests that each timeout is longer than the calls for which it waits (promise P9,
docs/internals/time-budgets.md).
"""

import re
from typing import Any

import pytest

from tests.deployment.documents import Row, read_tables
from tests.deployment.template import TEMPLATE, functions, named
from tests.queue.test_hung_servers import LIMIT_SECONDS
from tests.rules.sources import ROOT
from tools.local.routes import operations
from waitlist_api.aws import clients
from waitlist_api.bots.siteverify import ASK_SECONDS
from waitlist_api.http.errors import public_errors
from waitlist_api.maintenance import finish_intents, rebuild
from waitlist_api.records import lease
from waitlist_api.webhooks import deliver
from waitlist_api.webhooks.receiver import ATTEMPT_SECONDS
from waitlist_cli.client.retries import PATIENT, RETRIED_STATUSES, is_retryable
from waitlist_queue import connections, service
from waitlist_shared.limits import INTERNAL_ONCE_SECONDS

DOCUMENT = "docs/internals/time-budgets.md"
# The longest time that Lambda gives a function to start.
INIT_SECONDS = 10
HTTP_API_SECONDS = 30
BUDGETS, _RETRIES, GATEWAY, RETRY_AFTER = read_tables(DOCUMENT)
TEXT = " ".join((ROOT / DOCUMENT).read_text(encoding="utf-8").split())
PUBLIC = functions()["PublicFn"]
(API_MILLIS,) = {
    operation["x-amazon-apigateway-integration"]["timeoutInMillis"]
    for operation in operations(TEMPLATE).values()
}
API_SECONDS = API_MILLIS / 1000
PUBLIC_SECONDS = PUBLIC["Timeout"]
PRIVATE_SECONDS = functions()["PrivateFn"]["Timeout"]
WEBHOOK_SECONDS = functions()["WebhookFn"]["Timeout"]
CALLS_SECONDS = PUBLIC_SECONDS - clients.ANSWER_SECONDS
MESSAGE_SECONDS = service.EXPIRING_SECONDS + LIMIT_SECONDS


Budget = tuple[list[float], int, list[float]]


def find_row(who: str, what: str) -> Row:
    (found,) = [one for one in BUDGETS if (one["who waits"], one["for what"]) == (who, what)]
    return found


def parse_numbers(cell: str) -> list[float]:
    return [float(part) for part in cell.split("+") if part.strip()]


def budget_of_client(config: Any) -> Budget:
    tries = config.retries["total_max_attempts"]
    pauses = [clients.THROTTLED_PAUSE_SECONDS * 2.0**number for number in range(tries - 1)]
    return [config.connect_timeout, config.read_timeout], tries, pauses


# For each caller and each service that it calls: the seconds per attempt, the number of attempts,
# and the pauses between attempts.
HELD: list[tuple[str, str, Budget]] = [
    ("API", "the public function", ([API_SECONDS], 1, [])),
    ("Lambda", "the public function to start", ([INIT_SECONDS], 1, [])),
    ("Lambda", "the public function", ([PUBLIC_SECONDS], 1, [])),
    ("public function", "the private function", budget_of_client(clients.LAMBDA)),
    ("public function", "DynamoDB", budget_of_client(clients.DYNAMODB)),
    ("public function", "Secrets Manager", budget_of_client(clients.SECRETS)),
    ("public function", "KMS", budget_of_client(clients.KMS)),
    ("public function", "the bot check provider", ([ASK_SECONDS], 1, [])),
    ("Lambda", "the private function", ([PRIVATE_SECONDS], 1, [])),
    (
        "private function",
        "a message, after ending expired holds",
        ([service.EXPIRING_SECONDS, LIMIT_SECONDS], 1, []),
    ),
    ("private function", "a call to Redis", ([connections.CALL_SECONDS], 1, [])),
    (
        "a call to Redis",
        "a connection",
        ([connections.CONNECT_SECONDS], 1 + connections.RETRIES, [connections.PAUSE_SECONDS]),
    ),
    ("a call to Redis", "a response", ([connections.ANSWER_SECONDS], 1, [])),
    ("maintenance", "the private function", budget_of_client(clients.PATIENT_LAMBDA)),
    ("maintenance", "DynamoDB", budget_of_client(clients.DYNAMODB)),
    ("events function", "EventBridge", budget_of_client(clients.EVENTS)),
    ("Lambda", "the events function", ([functions()["EventsFn"]["Timeout"]], 1, [])),
    ("webhook function", "the webhook", ([ATTEMPT_SECONDS], 1, [])),
    ("Lambda", "the webhook function", ([WEBHOOK_SECONDS], 1, [])),
    ("Lambda", "maintenance", ([functions()["MaintenanceFn"]["Timeout"]], 1, [])),
]


@pytest.mark.parametrize(("who", "what", "expected"), HELD)
def test_the_document_states_the_numbers_of_the_code(who: str, what: str, expected: Budget) -> None:
    found = find_row(who, what)
    one_try, tries, pauses = expected
    assert parse_numbers(found["one try"]) == one_try
    assert int(found["tries"]) == tries
    assert parse_numbers(found["pauses"]) == pauses
    in_all = tries * sum(one_try) + sum(pauses)
    assert float(found["in all"]) == pytest.approx(in_all)


def test_the_document_has_no_row_that_is_not_tested() -> None:
    held = {(who, what) for who, what, _ in HELD}
    rows = {(one["who waits"], one["for what"]) for one in BUDGETS}
    assert rows - held == {("client", "the API"), ("public function", "all that it calls")}


def test_the_command_line_waits_and_retries_as_documented() -> None:
    found = find_row("client", "the API")
    assert (float(found["one try"]), int(found["tries"])) == (
        PATIENT.timeout_seconds,
        PATIENT.tries,
    )
    assert f"Wait {PATIENT.timeout_seconds:.0f} s for a response" in TEXT
    assert f"{PATIENT.tries} times in all" in TEXT
    assert ", ".join(f"`{status}`" for status in sorted(RETRIED_STATUSES)) in TEXT
    asked, least = PATIENT.most_asked_seconds, PATIENT.least_seconds
    assert f"(at most {asked:.0f} s, or {least:.0f} s if the response does not have" in TEXT
    nothing = {"retry-after": "0"}
    jitters = [PATIENT.pause_after(attempt, nothing, lambda: 1.0) for attempt in range(5)]
    first, *others, longest, last = (f"{jitter:.0f}" for jitter in jitters)
    assert f"up to {first} s before the first retry" in TEXT
    assert f"then up to {', '.join(others)} and {longest} s" in TEXT
    assert f"and up to {last} s from then on" in TEXT


def test_the_document_states_each_retry_after() -> None:
    numbers = {one["problem"].strip("`"): one["`Retry-After`"] for one in RETRY_AFTER}
    found = {code: int(re.findall(r"\d+", text)[0]) for code, text in numbers.items()}
    errors = public_errors()
    assert found == {
        code: error.retry_after_seconds
        for code, error in errors.items()
        if error.retry_after_seconds is not None
    }
    passing = {code for code, error in errors.items() if error.status in RETRIED_STATUSES}
    assert set(found) == passing, "a response that asks for a repetition must say when"


def test_clients_retry_after_errors_of_api_gateway_itself() -> None:
    statuses = {int(one["answer"].strip("`")) for one in GATEWAY}
    assert statuses == {429, 500, 503, 504}
    assert all(is_retryable(status, "") for status in statuses)
    assert not is_retryable(500, "internal_error")


def test_each_timeout_is_shorter_than_the_timeout_of_its_caller() -> None:
    client: Any = clients.LAMBDA  # The type of this object does not declare its options.
    a_call = connections.CONNECT_SECONDS + connections.ANSWER_SECONDS
    assert a_call <= connections.CALL_SECONDS < LIMIT_SECONDS
    assert LIMIT_SECONDS < MESSAGE_SECONDS < PRIVATE_SECONDS < client.read_timeout
    assert clients.attempt_seconds(client) < CALLS_SECONDS < PUBLIC_SECONDS
    assert INIT_SECONDS + PUBLIC_SECONDS < API_SECONDS < PATIENT.timeout_seconds
    assert API_SECONDS <= HTTP_API_SECONDS
    assert float(find_row("public function", "all that it calls")["one try"]) == CALLS_SECONDS


def test_one_attempt_of_any_client_fits_into_a_request() -> None:
    """A request has enough time for at least one attempt by each AWS client."""
    for config in (clients.LAMBDA, clients.DYNAMODB, clients.SECRETS, clients.KMS):
        assert clients.attempt_seconds(config) < CALLS_SECONDS


def test_maintenance_waits_until_a_request_can_no_longer_be_running() -> None:
    """Maintenance completes an interrupted change only when the request that began it can no longer
    be running (promise P3).
    """
    assert finish_intents.INTENT_AGE_MILLIS > 1000 * API_SECONDS
    assert INTERNAL_ONCE_SECONDS > PUBLIC_SECONDS


def test_the_lease_of_a_webhook_outlives_its_function() -> None:
    """Before the webhook function sends an entry's events, it takes a lease.

    The lease lasts longer than the function can run, so no second process can send the same events
    at the same time (promise P2).
    """
    assert WEBHOOK_SECONDS < deliver.LEASE_SECONDS
    (tries,) = (float(find_row("maintenance", "DynamoDB")["in all"]),)
    assert ATTEMPT_SECONDS + tries < WEBHOOK_SECONDS
    queue = named("AWS::SQS::Queue")["WebhookQueue"]
    assert queue["VisibilityTimeout"] == 6 * WEBHOOK_SECONDS


def test_a_lease_lasts_longer_than_the_time_between_its_renewals() -> None:
    tries = float(find_row("maintenance", "DynamoDB")["in all"])
    assert rebuild.NOTE_SECONDS + tries < lease.LEASE_MILLIS / 1000


def test_the_summary_in_the_document_is_correct() -> None:
    sums = (
        f"A call to Redis may take {LIMIT_SECONDS:g} s, and the private function may take"
        f" {MESSAGE_SECONDS:g} s for a message and {PRIVATE_SECONDS} s in all. The caller of the"
        f" private function waits {clients.LAMBDA.read_timeout} s."  # type: ignore[attr-defined]
        f" The public function may take {PUBLIC_SECONDS} s, or {INIT_SECONDS + PUBLIC_SECONDS} s if"
        f" it has to start first. The API waits {API_SECONDS:g} s for it, and the client waits"
        f" {PATIENT.timeout_seconds:g} s for the API."
    )
    assert sums in TEXT
