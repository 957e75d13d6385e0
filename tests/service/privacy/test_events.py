"""Promise P8: after any request to any route, the event bus contains only ids of a person."""

import json
from collections.abc import Iterator

import pytest

from tests.service.privacy.deployment import Deployment, deployed
from tests.service.privacy.drives import DRIVES, ENTRY_ID, prepare
from tests.service.privacy.marks import WORD, found_in, tokens_found_in
from tools.local.bus import details_of, events_of

FIELDS = {"event", "waitlist_id", "entry_id", "stamp", "at"}
KINDS = {"customer", "operator", "maintenance"}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    with deployed(monkeypatch, issuer=False) as service:
        yield service


@pytest.mark.parametrize("route", DRIVES)
def test_events_hold_no_personal_data(service: Deployment, route: str) -> None:
    """The events contain no customer id, profile, attribute or reason, no entry token, and no
    operator's name (promise P8).
    """
    prepare(service)
    DRIVES[route](service)
    service.maintain()
    assert WORD in json.dumps(service.table.records), "nothing was recorded that could get out"
    events = events_of(service.table.records)
    details = details_of(service.table.records)
    assert ENTRY_ID in {detail["entry_id"] for detail in details}
    assert found_in([json.dumps(event) for event in events]) == []
    # The whole stream is searched, although the bus only gets a part of it.
    assert service.token in service.issued
    records = [json.dumps(record) for record in service.table.records]
    assert tokens_found_in(records, service.issued) == []
    for detail in details:
        assert set(detail) == FIELDS | ({"by", "jti"} if detail["event"] != "erased" else set())
        assert detail.get("by", "operator") in KINDS, "an ARN may hold a name"


def test_an_operators_action_is_recorded_with_the_name(service: Deployment) -> None:
    """If actions were recorded without a name, the test above would search for nothing."""
    prepare(service)
    drive = DRIVES["POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/bump"]
    drive(service)
    assert '"by": {"S": "arn:' in json.dumps(service.table.records)
