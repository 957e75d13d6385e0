"""Tests that personal data stays in the DynamoDB record, whatever is sent to any route (promise
P8).
"""

import json
import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.deployment.template import route_authorizers
from tests.service.privacy.deployment import Deployment, deployed
from tests.service.privacy.drives import ADMIN_ENTRY, DRIVES, ENTRY_ID, prepare
from tests.service.privacy.marks import (
    CUSTOMER,
    NAME,
    REASON,
    SPANISH,
    WORD,
    found_in,
    index_texts,
    redis_texts,
    tokens_found_in,
)
from tests.service.telemetry.captured_logs import HEADER
from tests.service.telemetry.test_metrics import OPERATIONS, check_line
from tests.support.routes import OF_CUSTOMERS
from tests.support.world import SECRET
from tools.local.bus import details_of, events_of
from tools.local.operator import local_operator
from waitlist_api.auth.credentials import TOKEN, EntryTokens
from waitlist_api.entries.queries import EntryQueries

# Customers' routes are tested with and without an identity provider. Operators' routes do not
# depend on one.
EACH_ROUTE = [
    *(pytest.param(route, False, id=route) for route in DRIVES),
    *(pytest.param(route, True, id=f"{route}, with an issuer") for route in OF_CUSTOMERS),
]
FIELDS = {"event", "waitlist_id", "entry_id", "stamp", "at"}
KINDS = {"customer", "operator", "maintenance"}


@pytest.fixture
def is_issuer() -> bool:
    return False


@pytest.fixture
def service(
    is_issuer: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Deployment]:
    for name in ("httpx", "httpcore", "botocore"):
        # These libraries are used only by the tests and are not deployed.
        caplog.set_level(logging.WARNING, name)
    caplog.set_level(logging.DEBUG)
    with deployed(monkeypatch, issuer=is_issuer) as service:
        yield service


def test_every_route_is_driven() -> None:
    """A developer who adds a route must add test requests for it to `DRIVES` (promise P8)."""
    assert set(DRIVES) == set(route_authorizers())


@pytest.mark.parametrize(("route", "is_issuer"), EACH_ROUTE)
def test_personal_data_stays_in_the_record(
    service: Deployment,
    route: str,
    is_issuer: bool,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Redis, logs, metrics, URLs and keys contain no personal data. An entry token is not even in
    the record, because anyone with the token can act as the customer (promise P8).
    """
    answers: list[httpx.Response] = []
    service.http.event_hooks["response"].append(answers.append)
    prepare(service)
    assert ENTRY_ID in str(redis_texts(service.redis))
    for mark in (CUSTOMER, NAME, SPANISH):
        assert mark in str(service.table.scan()["Items"])
    DRIVES[route](service)
    service.maintain()
    printed = "".join(capfd.readouterr())
    # A log line also shows a log record's extra fields, so the whole record is searched.
    logged = [f"{record.getMessage()} {vars(record)}" for record in caplog.records]
    logged += caplog.text.splitlines()
    assert found_in([*printed.splitlines(), *logged]) == []
    in_redis = redis_texts(service.redis)
    assert found_in(in_redis) == []
    assert found_in(service.urls) == []
    assert found_in(index_texts(service.table)) == []
    outside = [*printed.splitlines(), *logged, *in_redis, *service.urls]
    recorded = [str(item) for item in service.table.scan()["Items"]]
    assert tokens_found_in([*outside, *recorded], service.issued) == []
    # Check that there was something to search.
    assert '"CloudWatchMetrics"' in printed
    assert "tools" in {record.name.split(".")[0] for record in caplog.records}
    assert len(service.urls) >= 3
    check_lines(printed, route, sum(HEADER in answer.headers for answer in answers))
    check_events(service)
    is_guest = TOKEN.fullmatch(str(service.token)) is not None
    assert (service.token in service.issued) == is_guest


def check_lines(printed: str, route: str, answered: int) -> None:
    """Check that each request has logged one line, and that no metric uses a person, path or
    waitlist as a dimension (promises P8 and P9).
    """
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    lines = [line for line in lines if line.get("service") in OPERATIONS and "_aws" in line]
    public = [line for line in lines if line["service"] == "public"]
    assert len(public) == answered
    assert route in {line["operation"] for line in public}
    for line in lines:
        check_line(line)


def check_events(service: Deployment) -> None:
    """Check that events on the bus contain only ids, and that the other stream records contain no
    entry token (promise P8).
    """
    assert WORD in json.dumps(service.table.records), "nothing was recorded that could get out"
    details = details_of(service.table.records)
    assert ENTRY_ID in {detail["entry_id"] for detail in details}
    assert found_in([json.dumps(event) for event in events_of(service.table.records)]) == []
    records = [json.dumps(record) for record in service.table.records]
    assert tokens_found_in(records, service.issued) == []
    for detail in details:
        assert set(detail) == FIELDS | ({"by", "jti"} if detail["event"] != "erased" else set())
        assert detail.get("by", "operator") in KINDS, "an ARN may contain a name"


def test_an_operators_action_is_recorded_with_the_name(service: Deployment) -> None:
    """The history contains the operator's name. Another test checks that published events do not
    contain it.
    """
    prepare(service)
    DRIVES["POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/bump"](service)
    assert '"by": {"S": "arn:' in json.dumps(service.table.records)


def test_a_refused_request_is_logged(
    service: Deployment, capfd: pytest.CaptureFixture[str]
) -> None:
    """Refused requests are logged too, so the search covers them."""
    prepare(service)
    capfd.readouterr()
    service.operator("GET", ADMIN_ENTRY.replace(ENTRY_ID, "a" * 26))
    printed = capfd.readouterr().out
    assert '"outcome":"entry_not_found"' in printed


def test_an_erased_person_is_nowhere(service: Deployment) -> None:
    """After an erasure, nothing about the person is left, whatever was stored before (promise
    P8).
    """
    prepare(service)
    for method, end in (
        ("PATCH", "entries/{entry_id}"),
        ("POST", "entries/{entry_id}/bump"),
        ("POST", "parked/{entry_id}/redrive"),
        ("POST", "claims/{entry_id}/complete"),
    ):
        DRIVES[f"{method} /v1/admin/waitlists/{{waitlist_id}}/{end}"](service)
    assert REASON in str(service.table.scan()["Items"])
    assert service.operator("DELETE", ADMIN_ENTRY).status_code == 204
    assert found_in([str(service.table.scan()["Items"])]) == []
    assert found_in(redis_texts(service.redis)) == []


@pytest.mark.parametrize(
    "text", [CUSTOMER, CUSTOMER.upper(), "eyJzdWIiOiJxcXBlcnNvbmFsLWN1c3RvbWVyIn0"], ids=str
)
def test_the_search_finds_what_it_should(text: str) -> None:
    assert found_in([f"a line with {text} in it"])
    assert not found_in(["a line without", "personal", WORD[:-1]])


def test_the_search_finds_tokens_too() -> None:
    """The search looks for the whole token, and for its secret part alone. The first part of a
    token is only a key's id.
    """
    token = EntryTokens(SECRET).issue("bakery", ENTRY_ID, 1)
    key_id, proof = token.split(".")
    texts = [f"a line with {token} in it", proof, "a line without", key_id]
    assert tokens_found_in(texts, {token}) == texts[:2]


def defect(*_: Any, **__: Any) -> Any:
    raise RuntimeError(f"broken by {CUSTOMER}")


def test_a_defect_is_logged_without_the_values_that_it_speaks_of(
    service: Deployment,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """An exception's message may contain personal data, so the log says only where in the code it
    was raised (promise P8).
    """
    prepare(service)
    monkeypatch.setattr(EntryQueries, "details", defect)
    answer = service.http.request("GET", ADMIN_ENTRY, auth=local_operator())
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    printed = capfd.readouterr().out
    assert "RuntimeError" in printed
    assert "in defect" in printed
    assert found_in([answer.text, printed, caplog.text]) == []
