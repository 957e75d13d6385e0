"""Tests that the fuzz test notices false statements in an OpenAPI document."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.e2e.fuzz.campaign import Campaign


def _of(document: Any, path: str, method: str) -> Any:
    return document["paths"][path][method]


def _without_a_status(document: Any) -> None:
    del _of(document, "/v1/waitlists/{waitlist_id}", "get")["responses"]["404"]


def _with_a_missing_field(document: Any) -> None:
    document["components"]["schemas"]["WaitlistAnswer"]["required"].append("owner")


def _with_a_longer_page(document: Any) -> None:
    for parameter in _of(document, "/v1/admin/waitlists", "get")["parameters"]:
        if parameter["name"] == "limit":
            parameter["schema"]["maximum"] = 200


def _without_a_needed_field(document: Any) -> None:
    document["components"]["schemas"]["ReplayBody"]["required"] = []


def _with_a_token(document: Any) -> None:
    _of(document, "/v1/waitlists/{waitlist_id}", "get")["security"] = [{"jwt": []}]


def _with_another_request_id(document: Any) -> None:
    document["components"]["headers"]["CorrelationId"]["schema"]["pattern"] = "^[0-9]{40}$"


# Each false statement comes with the operation that reveals it and the failure that Schemathesis
# must report.
LIES = {
    _without_a_status: ("GET /v1/waitlists/{waitlist_id}", "Undocumented status code"),
    _with_a_missing_field: ("GET /v1/waitlists/{waitlist_id}", "Response violates schema"),
    _with_a_longer_page: ("GET /v1/admin/waitlists", "Schema-valid request rejected"),
    _without_a_needed_field: ("POST /v1/admin/webhook/replay", "Schema-valid request rejected"),
    _with_a_token: ("GET /v1/waitlists/{waitlist_id}", "API accepts invalid authentication"),
    _with_another_request_id: (
        "GET /v1/waitlists/{waitlist_id}",
        "Response header does not conform",
    ),
}
OPERATIONS = "--include-operation-id-regex=^(getWaitlist|listWaitlists|replayWebhook)$"


def test_each_false_statement_of_a_document_is_found(accounts: Campaign, tmp_path: Path) -> None:
    document = json.loads(accounts.stack.document.read_text(encoding="utf-8"))
    for lie in LIES:
        lie(document)
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    campaign = replace(accounts, stack=replace(accounts.stack, document=path, asked=(OPERATIONS,)))
    outcome = campaign.run_briefly("--phases=examples,coverage")
    assert not outcome.is_clean
    for lie, (operation, finding) in LIES.items():
        assert finding in outcome.of(operation), (lie.__name__, outcome.report)
