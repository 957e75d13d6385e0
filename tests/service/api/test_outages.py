"""Tests that responses have a `Retry-After` header when Redis, DynamoDB or the private function
fails.
"""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from redis import exceptions

from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import World

Ask = Callable[[People], Answer]
ASKS: dict[str, Ask] = {
    "signup": lambda people: people.sign_up("dan"),
    "position": lambda people: people.poll("ada"),
    "places": lambda people: people.poll("ada", "segment=language"),
    "edit": lambda people: people.edit("ada", attributes={"language": "Spanish"}),
    "segments": lambda people: people.segments(),
    "claim": lambda people: Admissions(people.world).claim(filter={"language": "English"}),
    "leave": lambda people: people.leave("ada"),
    "waitlist": lambda people: people.world.request("GET", people.path),
    "bump": lambda people: people.bump("bob", to="front"),
    "page": lambda people: people.page(),
    "person": lambda people: people.person("ada"),
    "erase": lambda people: people.erase("ada"),
    "stats": lambda people: people.stats(),
    "configure": lambda people: people.configure(open=False),
    "delete": lambda people: people.delete_waitlist(),
}
WITH_QUEUE = set(ASKS)
# Requests that change nothing if a write to DynamoDB fails. Bumps and claims are left out, because
# they change Redis first.
WITH_RECORD = {
    "signup",
    "places",
    "edit",
    "segments",
    "leave",
    "waitlist",
    "page",
    "person",
    "erase",
    "configure",
    "delete",
}


class Switch:
    """An AWS client whose calls all raise `failure` if one is set."""

    def __init__(self) -> None:
        self.failure: Callable[[Callable[[], Any]], Any] | None = None
        self.client: Any = None

    def before(self, client: Any) -> Any:
        self.client = client
        return self

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        def call(**arguments: Any) -> Any:
            if self.failure is None:
                return method(**arguments)
            return self.failure(lambda: method(**arguments))

        return call


@pytest.fixture
def dynamodb() -> Switch:
    return Switch()


@pytest.fixture
def lambda_() -> Switch:
    return Switch()


@pytest.fixture
def people(dynamodb: Switch, lambda_: Switch) -> People:
    world = World.on(dynamodb.before(new_table()), empty_redis(), lambda_.before)
    people = People(world)
    people.configure(segments=[["language"]])
    for name in ("ada", "bob"):
        answer = people.sign_up(name, key=f"signup-{name}", attributes={"language": "English"})
        assert answer.status == 201
    return people


def raising(error: Exception) -> Callable[[Any], Any]:
    def fail(_: object) -> None:
        raise error

    return fail


def client_error(code: str, status: int) -> Exception:
    response: Any = {
        "Error": {"Code": code, "Message": "secret words of AWS"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(response, "Operation")


def cancelled(reason: str) -> Exception:
    response: Any = {
        "Error": {"Code": "TransactionCanceledException", "Message": "secret words of AWS"},
        "CancellationReasons": [{"Code": "None"}, {"Code": reason, "Message": "more of them"}],
        "ResponseMetadata": {"HTTPStatusCode": 400},
    }
    return ClientError(response, "TransactWriteItems")


NO_ROUTE = EndpointConnectionError(endpoint_url="https://aws.example.com")
RECORD_FAILS = {
    "no route": (NO_ROUTE, 503, "record_unavailable"),
    "server error": (client_error("InternalServerError", 500), 503, "record_unavailable"),
    "throttled": (client_error("ThrottlingException", 400), 429, "throttled"),
    "no throughput": (
        client_error("ProvisionedThroughputExceededException", 400),
        429,
        "throttled",
    ),
    "another transaction": (cancelled("TransactionConflict"), 429, "throttled"),
    "a transaction is throttled": (cancelled("ThrottlingError"), 429, "throttled"),
    "a transaction is never taken": (cancelled("ValidationError"), 500, "internal_error"),
    "no permission": (client_error("AccessDeniedException", 400), 500, "internal_error"),
}
QUEUE_FAILS = {
    "no route": (raising(NO_ROUTE), 503, "queue_unavailable"),
    "server error": (raising(client_error("ServiceException", 500)), 503, "queue_unavailable"),
    "throttled": (raising(client_error("TooManyRequestsException", 429)), 429, "throttled"),
}
# Requests that change nothing when Redis does not answer.
LOOKS = [
    "position",
    "places",
    "edit",
    "segments",
    "claim",
    "page",
    "stats",
    "bump",
    "waitlist",
]
each_ask = pytest.mark.parametrize("ask", sorted(ASKS))


@pytest.mark.parametrize("ask", sorted(WITH_RECORD))
def test_without_the_record_nothing_happens(people: People, dynamodb: Switch, ask: str) -> None:
    """If DynamoDB fails, the error tells the client when to try again. It does not repeat AWS's
    error message (promises P3 and P5).
    """
    for error, status, code in RECORD_FAILS.values():
        people.world.services.waitlist_cache.look_up(people.waitlist_id)
        dynamodb.failure = raising(error)
        answer = ASKS[ask](people)
        refused(answer, status, code)
        assert "secret words" not in answer.text
        dynamodb.failure = None
    assert people.order() == ["ada", "bob"]


@pytest.mark.parametrize("ask", ["position", "stats"])
def test_a_request_that_needs_no_record_is_answered_without_it(
    people: People, dynamodb: Switch, ask: str
) -> None:
    """P6 P9"""
    dynamodb.failure = raising(NO_ROUTE)
    assert ASKS[ask](people).status == 200


def test_a_bump_whose_record_failed_is_finished_by_its_repeat(
    people: People, dynamodb: Switch
) -> None:
    """P2 P3"""
    dynamodb.failure = raising(NO_ROUTE)
    refused(people.bump("bob", key="k", places=1), 503, "record_unavailable")
    dynamodb.failure = None
    assert people.bump("bob", key="k", places=1).json["position"] == 1
    assert people.events("bob") == ["joined", "bumped"]


# The same code calls the private function for all requests, so only the claim request is tested
# with every failure. The other requests are tested with one failure each.
@pytest.mark.parametrize(
    ("ask", "failure"),
    [
        *(("claim", failure) for failure in QUEUE_FAILS),
        *zip(sorted(ASKS.keys() - {"claim"}), cycle(QUEUE_FAILS), strict=False),
    ],
)
def test_without_the_private_function_the_queue_is_unavailable(
    people: People, lambda_: Switch, ask: str, failure: str
) -> None:
    """P7"""
    fail, status, code = QUEUE_FAILS[failure]
    lambda_.failure = fail
    refused(ASKS[ask](people), status, code)


@each_ask
def test_a_crash_of_the_private_function_after_its_work_is_answered_with_503(
    people: People, lambda_: Switch, ask: str
) -> None:
    """If the private function crashes, nobody knows whether the request took effect, so the
    response asks the client to repeat it (promise P3).
    """
    lambda_.failure = lambda call: {**call(), "FunctionError": "Unhandled"}
    refused(ASKS[ask](people), 503, "queue_unavailable")


@pytest.mark.parametrize("ask", LOOKS)
def test_without_redis_nothing_is_answered_and_nothing_changes(
    people: People, monkeypatch: pytest.MonkeyPatch, ask: str
) -> None:
    """P5 P7"""

    def fail(*_: object) -> None:
        raise exceptions.ConnectionError("secret words of Redis")

    with nothing_changes(people.world), monkeypatch.context() as patch:
        patch.setattr(people.world.redis, "execute_command", fail)
        answer = ASKS[ask](people)
        refused(answer, 503, "queue_unavailable")
        assert "secret words" not in answer.text
        patch.undo()


@pytest.mark.parametrize("ask", LOOKS)
def test_a_lost_order_is_being_rebuilt_and_never_wrong(people: People, ask: str) -> None:
    """P7"""
    people.world.redis.flushall()
    for _ in range(2):
        refused(ASKS[ask](people), 503, "rebuilding")
    assert people.world.lambda_.client.started[-1] == {"waitlist_id": "bakery"}
    people.world.maintain()
    assert people.order() == ["ada", "bob"]


def test_a_signup_while_the_order_is_rebuilt_has_no_position_yet(people: People) -> None:
    """P1 P7"""
    people.world.redis.flushall()
    answer = people.sign_up("cyd")
    assert (answer.status, answer.json["position"], answer.json["total"]) == (201, None, None)
    people.world.maintain()
    assert people.order() == ["ada", "bob", "cyd"]


HEALTH = "/v1/health"


def test_health_names_the_store_that_does_not_answer(
    people: People, dynamodb: Switch, lambda_: Switch
) -> None:
    dynamodb.failure = raising(NO_ROUTE)
    half = {"status": "degraded", "queue": "ok", "record": "unavailable"}
    assert people.world.request("GET", HEALTH).json == half
    lambda_.failure = raising(NO_ROUTE)
    neither = {"status": "degraded", "queue": "unavailable", "record": "unavailable"}
    assert people.world.request("GET", HEALTH).json == neither
    dynamodb.failure = None
    other = {"status": "degraded", "queue": "unavailable", "record": "ok"}
    assert people.world.request("GET", HEALTH).json == other


@pytest.mark.parametrize(("code", "seconds"), [("throttled", "1"), ("record_unavailable", "2")])
def test_retry_after_is_in_whole_seconds(
    people: People, dynamodb: Switch, code: str, seconds: str
) -> None:
    failures = {"throttled": client_error("ThrottlingException", 400)}
    dynamodb.failure = raising(failures.get(code, NO_ROUTE))
    assert people.sign_up("dan").headers["retry-after"] == seconds
