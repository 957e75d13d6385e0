"""Tests that each request has an id that appears in all the request's log lines, from the
customer's phone to Redis.
"""

import json
import logging
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.service.privacy.drives import ADMIN, CLAIM, ENTRIES, ENTRY, SIGNUP, sign_up
from tests.service.privacy.marks import CUSTOMER
from tests.service.telemetry.captured_logs import HEADER, CapturedLogs

UUID = "0193b3a0-5a5a-7000-8000-0123456789ab"


def look(prepared: CapturedLogs, **headers: str) -> httpx.Response:
    answer = prepared.service.customer("GET", ENTRY, headers=headers)
    assert answer.status_code == 200
    return answer


def ids_of(prepared: CapturedLogs) -> set[str]:
    return {line["correlation_id"] for line in prepared.lines()}


def test_the_phones_id_is_answered_and_in_every_line(prepared: CapturedLogs) -> None:
    id_ = str(uuid4())
    answer = look(prepared, **{HEADER: id_})
    assert answer.headers[HEADER] == id_
    public, private = prepared.lines("public"), prepared.lines("private")
    assert (len(public), len(private)) == (1, 1)
    assert ids_of(prepared) == {id_}


def test_without_an_id_the_request_gets_api_gateways_id(prepared: CapturedLogs) -> None:
    answer = look(prepared)
    assert answer.headers[HEADER] == answer.headers["apigw-requestid"]
    assert ids_of(prepared) == {answer.headers[HEADER]}


@pytest.mark.parametrize(
    "id_",
    [CUSTOMER, "442079460123", f"{UUID}, {UUID}", "x" * 9000],
    ids=["address", "number", "two", "long"],
)
def test_an_id_that_could_name_a_person_is_not_taken(prepared: CapturedLogs, id_: str) -> None:
    """P8"""
    answer = look(prepared, **{HEADER: id_})
    assert answer.headers[HEADER] == answer.headers["apigw-requestid"]
    assert ids_of(prepared) == {answer.headers[HEADER]}


def test_requests_have_an_id_each(prepared: CapturedLogs) -> None:
    answers = [look(prepared) for _ in range(3)]
    ids = [answer.headers[HEADER] for answer in answers]
    assert len(set(ids)) == 3
    for service in ("public", "private"):
        assert [line["correlation_id"] for line in prepared.lines(service)] == ids


def test_a_batch_has_the_correlation_id_of_its_maintenance_run(prepared: CapturedLogs) -> None:
    prepared.service.maintain()
    (run,) = prepared.lines("maintenance")
    assert run["correlation_id"]
    batches = [line for line in prepared.lines("private") if line["operation"] == "batch"]
    assert len(batches) >= 2
    assert all(line["results"] >= 1 for line in batches)
    assert ids_of(prepared) == {run["correlation_id"]}


def test_the_rebuild_has_the_id_of_the_request_that_asked_for_it(prepared: CapturedLogs) -> None:
    prepared.service.redis.flushall()
    id_ = str(uuid4())
    headers = {HEADER: id_, "Idempotency-Key": "another-secret-key"}
    body = {**SIGNUP, "customer_id": "another"}
    prepared.service.customer("POST", ENTRIES, json=body, headers=headers)
    prepared.service.maintain()
    runs = {line["operation"]: line["correlation_id"] for line in prepared.lines("maintenance")}
    assert runs["waitlist"] == id_
    assert runs["minute"] != id_


def test_a_librarys_log_lines_carry_the_id_of_the_request(
    prepared: CapturedLogs, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A customer reports the id of a failed request. With this id, an operator can find the log
    line that says that Redis does not answer.
    """
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(prepared.service.redis, "execute_command", refusing)
    id_ = str(uuid4())
    answer = prepared.service.customer("GET", ENTRY, headers={HEADER: id_})
    assert answer.json()["code"] == "queue_unavailable"
    (warning,) = [one for one in caplog.records if one.name == "waitlist_queue.store"]
    assert getattr(warning, "correlation_id", None) == id_
    assert ids_of(prepared) == {id_}


def refusing(*_: object, **__: object) -> Any:
    raise ConnectionError("gone")


FOREIGN = {"claim_token": "0" * 40}


@pytest.mark.parametrize("status", [200, 409, 422, 404])
def test_refusals_answer_the_id_as_well(prepared: CapturedLogs, status: int) -> None:
    id_ = str(uuid4())
    answers = {
        200: lambda: sign_up(prepared.service),
        409: lambda: prepared.service.operator("POST", f"{CLAIM}/complete", json=FOREIGN),
        422: lambda: prepared.service.operator("PUT", ADMIN, json={}),
        404: lambda: prepared.service.customer("GET", "/v1/waitlists/nowhere"),
    }
    prepared.service.http.headers[HEADER] = id_
    answer = answers[status]()
    assert (answer.status_code, answer.headers[HEADER]) == (status, id_)
    assert ids_of(prepared) == {id_}
    assert json.dumps(prepared.lines()).count(id_) == len(prepared.lines())
