"""What a signup does next depends on the customer's record."""

from typing import Any

import pytest
from msgspec.structs import replace

from waitlist_api.entries.signup_step import (
    Create,
    FinishLeave,
    Refuse,
    Replay,
    Resume,
    SignupCommand,
    Terms,
    find_refusal,
    next_step,
)
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.facets import Joined
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared.limits import MAX_COMBINATIONS

NOW_MILLIS = 2_000
ANN = SignupCommand(waitlist_id="bakery", customer_id="ann", idempotency_key="k1")
OTHER_KEY = replace(ANN, idempotency_key="k2")
OTHER_BODY = replace(ANN, profile={"name": "Ann"})
NO_KEY = replace(ANN, idempotency_key="")
WITH_TOKEN = replace(NO_KEY, stay_shown=7)
FORMER_TOKEN = replace(NO_KEY, stay_shown=6)
SIGNED_IN = replace(NO_KEY, proven=True)


def record(status: Any, **fields: Any) -> EntryRecord:
    return EntryRecord(
        waitlist_id="bakery",
        entry_id=ANN.entry_id,
        customer_id="ann",
        status=status,
        join_id="00000001",
        updated_millis=1,
        ticket=7,
        **{"joined": Joined(key=ANN.signup_key, body=ANN.signup_body), **fields},
    )


def bakery(**settings: Any) -> WaitlistRecord:
    return WaitlistRecord(
        waitlist_id="bakery",
        settings=WaitlistSettings(name="Bakery", **settings),
        version=1,
        created_millis=1,
        updated_millis=1,
        segments_version=1,
    )


def decide_step(command: SignupCommand, existing: EntryRecord | None, **settings: Any) -> Any:
    waitlist = bakery(**settings)
    terms = Terms(waitlist, find_refusal(waitlist, command))
    step = next_step(command, existing, terms, NOW_MILLIS)
    return step.error.code if isinstance(step, Refuse) else step


def test_a_new_customer_joins_an_open_list() -> None:
    assert decide_step(ANN, None) == Create()
    assert decide_step(ANN, None, open=False) == "waitlist_closed"


@pytest.mark.parametrize("existing", [None, "left"])
def test_attributes_that_make_too_many_segments_are_refused(existing: str | None) -> None:
    many = [str(number) for number in range(MAX_COMBINATIONS + 1)]
    command = replace(OTHER_KEY, attributes={"language": many})
    former = existing and record(existing)
    refusal = decide_step(command, former or None, segments=(("language",),), rejoin="always")
    assert refusal == "invalid_request"


@pytest.mark.parametrize("status", ["joining", "waiting", "offered", "parked", "left", "admitted"])
def test_an_idempotency_key_with_another_body_is_refused(status: str) -> None:
    assert decide_step(OTHER_BODY, record(status)) == "idempotency_key_reused"


@pytest.mark.parametrize("status", ["waiting", "offered", "parked"])
@pytest.mark.parametrize("command", [ANN, WITH_TOKEN, SIGNED_IN])
def test_a_customer_who_is_on_the_list_gets_their_position(
    command: SignupCommand, status: str
) -> None:
    """If a customer on the waitlist signs up again, the response contains their position, even if
    the waitlist has since closed (promise P2).
    """
    assert decide_step(command, record(status)) == Replay(record(status))
    assert decide_step(command, record(status), open=False) == Replay(record(status))


@pytest.mark.parametrize("status", ["joining", "waiting", "offered", "parked"])
@pytest.mark.parametrize("command", [OTHER_KEY, NO_KEY, FORMER_TOKEN])
def test_a_caller_who_proves_nothing_learns_no_position(
    command: SignupCommand, status: str
) -> None:
    assert decide_step(command, record(status)) == "already_on_list"


@pytest.mark.parametrize("command", [ANN, WITH_TOKEN, SIGNED_IN])
def test_an_interrupted_signup_is_resumed(command: SignupCommand) -> None:
    """If a signup was interrupted, repeating the request completes it.

    Customers keep their place (promise P2).
    """
    assert decide_step(command, record("joining")) == Resume(record("joining"))


@pytest.mark.parametrize("command", [ANN, OTHER_KEY, NO_KEY])
def test_an_interrupted_leave_is_finished_first(command: SignupCommand) -> None:
    assert decide_step(command, record("leaving")) == FinishLeave(record("leaving"))


@pytest.mark.parametrize("status", ["left", "admitted"])
def test_a_late_copy_of_a_signup_does_not_bring_the_customer_back(status: str) -> None:
    """P2"""
    assert decide_step(ANN, record(status), rejoin="always") == Replay(record(status))


@pytest.mark.parametrize(
    ("rejoin", "status", "expected"),
    [
        ("always", "left", None),
        ("always", "admitted", None),
        ("after_leaving", "left", None),
        ("after_leaving", "admitted", "already_admitted"),
        ("never", "left", "already_left"),
        ("never", "admitted", "already_admitted"),
    ],
)
def test_the_list_decides_who_may_join_again(
    rejoin: str, status: str, expected: str | None
) -> None:
    former = record(status)
    assert decide_step(OTHER_KEY, former, rejoin=rejoin) == (expected or Create(former))
    closed = decide_step(OTHER_KEY, former, rejoin=rejoin, open=False)
    assert closed == (expected or "waitlist_closed")


@pytest.mark.parametrize("command", [ANN, NO_KEY])
def test_a_stay_whose_retention_has_ended_is_ignored(command: SignupCommand) -> None:
    former = record("left", expires_at=NOW_MILLIS // 1000)
    assert decide_step(command, former, rejoin="never") == Create(former)
