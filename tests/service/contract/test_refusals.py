"""Tests that the public function turns each of the private function's errors into the right error
for the client.
"""

import json
from typing import Any

import pytest
from redis import exceptions

from tests.queue.behaviour.outcomes import OUTCOMES
from tests.service.contract.test_operations import ADA, of
from tests.support.line import Line
from tests.support.stores import empty_redis
from waitlist_api.http.errors import problem
from waitlist_api.queue.client import QueueClient, failure_of
from waitlist_shared import contracts as c
from waitlist_shared import errors
from waitlist_shared.errors import BY_CODE

INVALID: dict[str, c.Request] = {
    "invalid_request": c.Position(waitlist_id="Not An Id", entry_id=ADA),
    "unsupported_version": c.Ping(v=2),
}
OUTAGES: dict[str, Exception] = {
    "queue_unavailable": exceptions.ConnectionError("no route"),
    "internal_error": exceptions.ResponseError("ERR the script is broken"),
}


@pytest.mark.parametrize("code", sorted({word for _, word in OUTCOMES} & set(BY_CODE)))
def test_a_refusal_of_a_script_arrives_as_its_error_with_its_advice(code: str) -> None:
    cause = next(cause for (_, word), cause in OUTCOMES.items() if word == code)
    error = failure_of(cause(Line(empty_redis())))
    assert type(error) is BY_CODE[code]
    assert error.message


@pytest.mark.parametrize("code", INVALID)
def test_a_request_outside_of_the_contract_is_refused(queue: QueueClient, code: str) -> None:
    with pytest.raises(BY_CODE[code]) as caught:
        queue.send(INVALID[code])
    assert caught.value.message


@pytest.mark.parametrize("code", OUTAGES)
def test_the_error_about_an_outage_does_not_contain_its_cause(
    queue: QueueClient, redis: Any, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """The Redis server's error message may contain personal data, so it is not passed on (promise
    P8).
    """

    def fail(*_: object) -> None:
        raise OUTAGES[code]

    monkeypatch.setattr(redis, "execute_command", fail)
    with pytest.raises(BY_CODE[code]) as caught:
        queue.send(c.Position(**of(ADA)))
    assert caught.value.message == BY_CODE[code].advice


def test_a_refusal_that_this_client_does_not_know_is_a_defect() -> None:
    """During a deployment, the private function may return an error code that the public function
    does not know yet. The client then gets an internal error without the original message, which
    may contain personal data (promise P8).
    """
    error = failure_of({"ok": False, "code": "brand_new", "message": "Something new."})
    assert type(error) is errors.InternalError
    assert json.loads(problem(error).body or "")["detail"] == errors.InternalError.advice
