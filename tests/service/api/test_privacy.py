"""Tests that Redis, the logs, the metrics and the responses to strangers contain no personal data
(promise P8).
"""

import json
import logging
import re
from io import StringIO
from secrets import token_hex

import pytest
from aws_lambda_powertools import Logger

from tests.support.admissions import Admissions
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import SECRET, World
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.http.api import Api
from waitlist_api.http.schemas.segments import SEGMENT_NAMES

CUSTOMER = "ada.lovelace@example.com"
STRANGER = "charles.babbage@example.com"
LANGUAGE = "Analytical-English"
FRENCH, GENDER, UNKNOWN = "Difference-French", "Countess", "Jacquard-Weaving"
KEY = "idempotency-key-of-the-client"


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> StringIO:
    caplog.set_level(logging.DEBUG)
    # Another test may have changed this logger's level.
    caplog.set_level(logging.DEBUG, "waitlist_api")
    return StringIO()


@pytest.fixture
def people(log: StringIO) -> Admissions:
    world = World.on(new_table(), empty_redis())
    # Powertools loggers with the same name share a stream. This logger has a new name, so it writes
    # to `log`.
    logger = Logger(service=f"privacy-{token_hex(8)}", level="DEBUG", stream=log)
    world.api = Api(world.services.container, EntryTokens(SECRET), logger)
    people = Admissions(world)
    people.configure(segments=[["gender", "language"], ["language"]])
    return people


def test_no_id_reveals_its_customer(people: People) -> None:
    """Entry ids appear in URLs, so an id must not reveal its customer (promise P8)."""
    assert people.sign_up(CUSTOMER).json["entry_id"] == people.id_of(CUSTOMER)
    assert people.id_of(CUSTOMER) != People(people.world, "florist").id_of(CUSTOMER)
    assert people.id_of(CUSTOMER).isalnum()


def test_the_clients_key_is_not_on_record(people: People) -> None:
    """A client's idempotency key is a secret, so the service stores only its digest (promise
    P8).
    """
    people.sign_up(CUSTOMER, key=KEY)
    people.bump(CUSTOMER, key=KEY, places=1)
    assert KEY not in json.dumps(people.world.dynamodb.scan()["Items"])


def test_a_refusal_repeats_no_value(people: Admissions) -> None:
    """Errors do not repeat the refused value, which may be personal (promise P8)."""
    people.sign_up(CUSTOMER, attributes={"language": LANGUAGE})
    eight = [f"{LANGUAGE}-{number}" for number in range(8)]
    for answer in (
        people.claim(filter={"gender": GENDER}),
        people.claim(filter={"language": LANGUAGE + "\n"}),
        people.poll(CUSTOMER, f"segment={LANGUAGE}"),
        people.edit(CUSTOMER, attributes={"language": eight, "gender": eight}),
        people.edit(CUSTOMER, attributes={"language": [LANGUAGE, 5]}),
        people.sign_up(STRANGER, attributes={"language": eight, "gender": eight}),
    ):
        assert answer.status == 422, answer.text
        assert LANGUAGE not in answer.text
        assert GENDER not in answer.text


def test_no_route_takes_a_value_in_its_address() -> None:
    """URLs are logged, so a query may contain attribute names but not their values (promise P8)."""
    named = re.compile(SEGMENT_NAMES)
    assert named.fullmatch("gender,language")
    for value in ("Spanish", "language=spanish", "language:spanish", "language Spanish"):
        assert not named.fullmatch(value)
