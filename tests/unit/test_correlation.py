"""A request keeps its correlation id.

If it has none, or one in an unknown format, it gets a new id.
"""

import logging

import pytest

from waitlist_shared.correlation import Correlation, accept_client_id, read_correlation_id

ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
UUID = "0193b3a0-5a5a-7000-8000-0123456789ab"


@pytest.mark.parametrize("value", [UUID, UUID.upper(), ULID])
def test_a_client_may_choose_a_uuid_or_a_ulid(value: str) -> None:
    assert accept_client_id(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "ada.lovelace@example.com",
        "customer-12345",
        "+442079460123",
        "442079460123",
        "Ada-Lovelace",
        # This id is as long as a ULID but is not one. A ULID begins with a digit from 0 to 7 and
        # never contains the letters I, L, O or U.
        "AUGUSTAADAKINGBYRONDEFGHJK",
        "01ARZ3NDEKTSV4RRFFQ69GILOU",
        f"{UUID}\n",
        f"{UUID},{UUID}",
        f"{UUID}0",
        "0" * 10_000,
        "",
        None,
        7,
    ],
)
def test_a_value_that_could_name_a_person_is_not_accepted_as_an_id(value: object) -> None:
    """P8"""
    assert accept_client_id(value) == ""


@pytest.mark.parametrize(
    ("message", "id_"),
    [
        ({"correlation_id": "JKJaXmPLvHcESHA="}, "JKJaXmPLvHcESHA="),
        ({"correlation_id": "ada@example.com"}, ""),
        ({"correlation_id": "a" * 65}, ""),
        ({"correlation_id": ["a"]}, ""),
        ({"correlation_id": None}, ""),
        ({}, ""),
        (None, ""),
        ("correlation_id", ""),
    ],
)
def test_an_id_in_a_message_is_read_only_if_its_characters_are_safe(
    message: object, id_: str
) -> None:
    """P8"""
    assert read_correlation_id(message) == id_


def test_log_records_carry_the_current_correlation_id(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `mark_log_records` changes how the whole process creates log records. monkeypatch undoes this
    # after the test.
    monkeypatch.setattr(logging, "_logRecordFactory", logging.getLogRecordFactory())
    correlation, logger = Correlation(), logging.getLogger("a library's")
    correlation.mark_log_records()
    correlation.mark_log_records()
    correlation.id = ULID
    logger.warning("within")
    correlation.id = ""
    logger.warning("after")
    assert [getattr(one, "correlation_id", None) for one in caplog.records] == [ULID, None]
