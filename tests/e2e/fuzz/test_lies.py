"""A document that is not true is found out: the campaign would fail where it should."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.fuzz.campaign import GUESTS, Campaign, campaign_of

BRIEFLY = ("--max-examples=20", "--generation-deterministic", "--continue-on-failure")


@pytest.fixture(scope="module")
def guests() -> Iterator[Campaign]:
    # Not that of the whole run, which deletes the waitlist of the examples.
    with campaign_of(GUESTS) as campaign:
        yield campaign


def _of(document: Any, path: str, method: str) -> Any:
    return document["paths"][path][method]


def _without_a_status(document: Any) -> None:
    del _of(document, "/v1/waitlists/{waitlist_id}", "get")["responses"]["404"]


def _with_a_field_that_is_none(document: Any) -> None:
    document["components"]["schemas"]["WaitlistAnswer"]["required"].append("owner")


def _with_another_type(document: Any) -> None:
    answer = document["components"]["schemas"]["WaitlistAnswer"]["properties"]
    answer["open"] = {"type": "string"}


def _with_a_longer_page(document: Any) -> None:
    for parameter in _of(document, "/v1/admin/waitlists", "get")["parameters"]:
        if parameter["name"] == "limit":
            parameter["schema"]["maximum"] = 200


def _without_a_needed_field(document: Any) -> None:
    document["components"]["schemas"]["WaitlistBody"]["required"] = []


def _with_a_lock_that_is_none(document: Any) -> None:
    _of(document, "/v1/waitlists/{waitlist_id}", "get")["security"] = [{"entry_token": []}]


def _with_another_id_of_requests(document: Any) -> None:
    document["components"]["headers"]["CorrelationId"]["schema"]["pattern"] = "^[0-9]{40}$"


LIES = {
    _without_a_status: ("getWaitlist", "Undocumented status code"),
    _with_a_field_that_is_none: ("getWaitlist", "Response violates schema"),
    _with_another_type: ("getWaitlist", "Response violates schema"),
    _with_a_longer_page: ("listWaitlists", "Schema-valid request rejected"),
    _without_a_needed_field: ("putWaitlist", "Schema-valid request rejected"),
    _with_a_lock_that_is_none: ("getWaitlist", "API accepts invalid authentication"),
    _with_another_id_of_requests: ("getWaitlist", "Response header does not conform"),
}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__.strip("_"))
def test_a_document_that_is_not_true_is_found_out(
    guests: Campaign, tmp_path: Path, lie: Any
) -> None:
    document = json.loads(GUESTS.document.read_text(encoding="utf-8"))
    lie(document)
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    operation, finding = LIES[lie]
    only = (f"--include-operation-id={operation}", "--phases=examples,coverage")
    outcome = guests.run(*BRIEFLY, *only, document=path)
    assert not outcome.is_clean
    assert finding in outcome.report
