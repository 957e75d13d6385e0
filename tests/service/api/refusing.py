"""Functions that check that a request was refused with the right error and has changed nothing in
DynamoDB or Redis.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from tests.support.gateway import Answer, Context, event
from tests.support.snapshot import Snapshot
from tests.support.world import World

PROBLEM_JSON = "application/problem+json"
RETRY_AFTER = {
    "not_ready",
    "throttled",
    "rebuilding",
    "queue_unavailable",
    "record_unavailable",
    "keys_unavailable",
    "bot_check_unavailable",
}


@contextmanager
def nothing_changes(world: World) -> Iterator[None]:
    """Fail if anything in DynamoDB or Redis changes inside the `with` block.

    The counter of ticket numbers must not change either.
    """
    before = Snapshot.of(world.dynamodb, world.redis)
    assert before.items, "the record is empty: nothing could change"
    assert before.redis.keys, "Redis is empty: nothing could change"
    yield
    after = Snapshot.of(world.dynamodb, world.redis)
    assert after.items == before.items, "the record has changed"
    assert after.redis == before.redis, "Redis has changed"


def refused(answer: Answer, status: int, code: str, *fields: str) -> Any:
    """Check an error response, and return its body.

    `fields` are the names of the invalid fields in the request.
    """
    assert (answer.status, answer.code) == (status, code), answer.text
    assert answer.headers["content-type"] == PROBLEM_JSON
    problem = answer.json
    assert (problem["status"], problem["type"]) == (status, "about:blank")
    # If an error's type is `about:blank`, its title must be the name of the HTTP status (RFC 9457,
    # section 4.2.1).
    assert problem["title"] == HTTPStatus(status).phrase
    assert problem["detail"]
    assert [one["field"] for one in problem.get("errors", [])] == list(fields), problem
    assert ("retry-after" in answer.headers) == (code in RETRY_AFTER)
    assert ("www-authenticate" in answer.headers) == (status == 401)
    return problem


def send_base64(world: World, path: str, body: str) -> Answer:
    """Send a POST request with a base64-encoded body. API Gateway encodes some bodies in
    this way.
    """
    headers = {"content-type": "application/json"}
    sent = {**event("POST", path, headers, body), "isBase64Encoded": True}
    answer = world.api.handle(sent, Context())
    names = {name.lower(): value for name, value in answer["headers"].items()}
    return Answer(answer["statusCode"], names, answer["body"])
