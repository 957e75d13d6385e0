"""Tests that the audit log says which operator sent each request that reads personal data or cannot
be undone.

Its lines contain only ARNs and ids.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.service.privacy.drives import (
    ADMIN,
    ADMIN_ENTRY,
    DRIVES,
    ENTRY_ID,
    SETTINGS,
    SIGNUP,
    prepare,
)
from tests.service.privacy.marks import CUSTOMER, found_in, tokens_found_in
from tests.service.telemetry.captured_logs import CapturedLogs, captured_logs
from tests.support.routes import OF_OPERATORS, path_of
from waitlist_api.entries.leave import Leaves
from waitlist_api.http.audit_log import read_audit_fields
from waitlist_api.http.routing import all_routes

AUDITED = {route.key for route in all_routes() if route.operation.audit}
TO_AUDIT = ("/token", "/link", "/find", "/import", "/tokens", "/test")
BODIES: dict[str, Any] = {
    "PUT": SETTINGS,
    "PATCH": {"open": True},
    "POST": {"entries": [SIGNUP]},
    "DELETE": None,
    "GET": None,
}


@pytest.fixture(params=["INFO", "ERROR"])
def asked(request: pytest.FixtureRequest) -> Iterator[CapturedLogs]:
    """The log of a waitlist with one customer.

    Each test runs twice, once with all log lines and once with ERROR lines only.
    """
    namespace = None if request.param == "INFO" else ""
    with captured_logs(log_level=request.param, namespace=namespace) as kept:
        prepare(kept.service)
        kept.forget()
        yield kept


def audit(kept: CapturedLogs) -> list[dict[str, Any]]:
    return kept.lines("audit")


def test_routes_that_cannot_be_undone_are_audited() -> None:
    """Every new route that deletes, replaces or exports data must be audited. This test finds such
    routes by their method and path.
    """
    final = {name for name in OF_OPERATORS if name.endswith(TO_AUDIT)}
    final |= {name for name in OF_OPERATORS if name.startswith(("PUT ", "DELETE "))}
    final |= {name for name in OF_OPERATORS if name.startswith("GET ") and "/entries" in name}
    final |= {name for name in OF_OPERATORS if name.startswith("PATCH ") and "/entries" not in name}
    # A message to customers cannot be taken back, so it must be audited too.
    final |= {
        name for name in OF_OPERATORS if name.startswith("POST ") and name.endswith("/messages")
    }
    assert final == AUDITED


@pytest.mark.parametrize("route", sorted(AUDITED))
def test_an_operators_request_is_logged_before_it_runs(asked: CapturedLogs, route: str) -> None:
    """P8"""
    method, path = route.split()[0], path_of(route, ENTRY_ID)
    ids = {"waitlist_id": "bakery", "entry_id": ENTRY_ID}
    answer = asked.service.operator(method, path, json=BODIES[method])
    assert answer.status_code < 500
    (line,) = audit(asked)
    assert line.pop("time")
    assert line.pop("by").startswith("arn:aws:iam::")
    id_ = answer.headers["X-Correlation-Id"]
    assert line == {
        "level": "INFO",
        "service": "audit",
        "audit": route,
        "correlation_id": id_,
        **{name: value for name, value in ids.items() if f"{{{name}}}" in route},
    }


def test_a_process_that_dies_has_logged_who_asked(
    asked: CapturedLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[dict[str, Any]] = []
    monkeypatch.setattr(Leaves, "erase", lambda *_: logged.extend(audit(asked)))
    asked.service.operator("DELETE", ADMIN_ENTRY)
    assert [line["entry_id"] for line in logged] == [ENTRY_ID]


def test_actions_of_the_history_are_not_logged_twice(asked: CapturedLogs) -> None:
    for route in ("POST {}/entries/{}/bump", "PATCH {}/entries/{}"):
        DRIVES[route.format("/v1/admin/waitlists/{waitlist_id}", "{entry_id}")](asked.service)
    assert audit(asked) == []


def test_an_export_is_audited_once_and_each_further_page_names_the_operator() -> None:
    with captured_logs(log_level="INFO") as kept:
        prepare(kept.service)
        kept.forget()
        for query in ("", "&cursor=MQ"):
            answer = kept.service.operator("GET", f"{ADMIN}/entries?limit=1{query}")
            assert answer.status_code == 200
        (line,) = audit(kept)
        first, following = kept.lines("public")
    assert "by" not in first
    assert (following["by"], following["waitlist_id"]) == (line["by"], "bakery")


def test_a_cursor_hides_no_deletion_from_the_audit_log(asked: CapturedLogs) -> None:
    asked.service.operator("DELETE", f"{ADMIN_ENTRY}?cursor=MQ")
    (line,) = audit(asked)
    assert line["entry_id"] == ENTRY_ID


def test_a_further_page_of_a_history_names_operator_and_entry() -> None:
    """A client may put personal data into a URL, so the audit log contains no URLs (promise P8)."""
    with captured_logs(log_level="INFO") as kept:
        prepare(kept.service)
        kept.forget()
        kept.service.is_wrong = True
        kept.service.operator("GET", f"{ADMIN_ENTRY}?include=history&cursor={quote(CUSTOMER)}")
        assert audit(kept) == []
        (line,) = kept.lines("public")
    assert line["entry_id"] == ENTRY_ID
    assert line["by"].startswith("arn:aws:iam::")
    assert found_in([str(line)]) == []


def test_the_audit_log_holds_ids_alone(asked: CapturedLogs) -> None:
    """The audit log contains nothing from a request's body, and no text that a client puts into a
    URL (promise P8).
    """
    service = asked.service
    for path in (f"{ADMIN}/entries/{quote(CUSTOMER)}", f"{ADMIN}?customer={quote(CUSTOMER)}"):
        service.is_wrong = True
        service.operator("DELETE", path)
    service.operator("POST", f"{ADMIN_ENTRY}/token")
    service.operator("POST", f"{ADMIN}/import", json={"entries": [SIGNUP]})
    service.operator("POST", f"{ADMIN}/import/tokens", json={"entries": [SIGNUP]})
    texts = [str(line) for line in audit(asked)]
    assert len(texts) >= 3
    assert found_in(texts) == []
    assert tokens_found_in(texts, service.issued) == []


@pytest.mark.parametrize(
    "event",
    [
        None,
        {},
        {"routeKey": "GET /v1/health"},
        {"routeKey": f"DELETE {'/v1/admin/waitlists/{waitlist_id}'}"},
        {"routeKey": "$default", "requestContext": {"authorizer": {"iam": {"userArn": "arn"}}}},
    ],
)
def test_requests_of_other_callers_are_not_in_the_audit_log(event: object) -> None:
    """P5"""
    assert read_audit_fields(event) is None


@pytest.mark.parametrize("parameters", [None, [], {"waitlist_id": 5}, {"waitlist_id": "a\n{x}"}])
def test_a_parameter_of_another_form_is_left_out(parameters: Any) -> None:
    """P8"""
    event = {
        "routeKey": "DELETE /v1/admin/waitlists/{waitlist_id}",
        "requestContext": {"authorizer": {"iam": {"userArn": "arn:aws:iam::1:user/ada"}}},
        "pathParameters": parameters,
    }
    found = read_audit_fields(event)
    assert found is not None
    assert set(found) == {"audit", "by"}
