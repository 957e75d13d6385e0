"""Which ids may be logged, and what carries them."""

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
        # As long as a ULID, which begins with a digit from 0 to 7 and has no I, L, O or U.
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
def test_a_value_that_could_name_a_person_is_no_id(value: object) -> None:
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
def test_a_message_carries_an_id_of_safe_characters(message: object, id_: str) -> None:
    """P8"""
    assert read_correlation_id(message) == id_


def test_log_records_carry_the_id_of_what_is_worked_on(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Put back what this replaces for the whole process.
    monkeypatch.setattr(logging, "_logRecordFactory", logging.getLogRecordFactory())
    correlation, logger = Correlation(), logging.getLogger("a library's")
    correlation.mark_log_records()
    correlation.mark_log_records()
    correlation.id = ULID
    logger.warning("within")
    correlation.id = ""
    logger.warning("after")
    assert [getattr(one, "correlation_id", None) for one in caplog.records] == [ULID, None]
