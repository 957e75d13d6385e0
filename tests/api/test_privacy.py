"""P8: nothing personal is in Redis, in a log line, in a metric or in an answer to a stranger."""

import json
import logging
from io import StringIO
from secrets import token_hex
from typing import Any

import pytest
from aws_lambda_powertools import Logger

from tests.support.memory_table import MemoryTable
from tests.support.people import People
from tests.support.snapshot import Snapshot
from tests.support.stores import fake_redis
from tests.support.world import SECRET, World
from waitlist_api.api import Api
from waitlist_api.auth import EntryTokens

CUSTOMER = "ada.lovelace@example.com"
STRANGER = "charles.babbage@example.com"
PERSONAL = {"name": "Augusta King", "phone": "+44 20 7946 0123"}
LANGUAGE = "Analytical-English"
KEY = "idempotency-key-of-the-client"
SECRETS = [CUSTOMER, STRANGER, *PERSONAL.values(), LANGUAGE, KEY, "Augusta", "lovelace"]


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> StringIO:
    caplog.set_level(logging.DEBUG)
    return StringIO()


@pytest.fixture
def people(log: StringIO) -> People:
    """A deployment that logs all it can, into a text."""
    world = World.on(MemoryTable(), fake_redis())
    # Loggers of one name share the first one's stream.
    logger = Logger(service=f"privacy-{token_hex(8)}", level="DEBUG", stream=log)
    world.api = Api(world.services, EntryTokens(SECRET), logger)
    people = People(world)
    people.configure()
    return people


def live_through_everything(people: People) -> None:
    """Have the customer do and suffer whatever there is to do, well and badly."""
    fields: dict[str, Any] = {"profile": PERSONAL, "attributes": {"language": LANGUAGE}}
    people.all_sign_up("bob")
    assert people.sign_up(CUSTOMER, key=KEY, **fields).status == 201
    people.sign_up(CUSTOMER, key=KEY, **fields)
    people.sign_up(CUSTOMER, **fields)
    people.sign_up(STRANGER + "\n", **fields)
    people.sign_up(CUSTOMER, key="x", profile=list(PERSONAL.values()))
    people.world.request("POST", f"{people.path}/entries", raw_body=f'{{"{CUSTOMER}": NaN')
    people.look(CUSTOMER)
    people.bump(CUSTOMER, key=KEY, places=1, reason=f"for {PERSONAL['name']}")
    people.page()
    people.person(CUSTOMER)
    people.world.redis.flushall()
    people.look(CUSTOMER)
    people.world.maintain()
    people.leave(CUSTOMER)
    people.sign_up(CUSTOMER, key="again", **fields)


def fail(_: object) -> Any:
    raise RuntimeError("broken in the middle")


def test_nothing_personal_is_logged(
    people: People,
    log: StringIO,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """P8: not even of what is refused."""
    live_through_everything(people)
    printed = "".join(capfd.readouterr())
    logged = log.getvalue()
    assert "already_on_list" in logged
    for secret in SECRETS:
        assert secret not in logged + caplog.text + printed, secret


def test_a_defect_is_logged_without_the_request(
    people: People, log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P8: its traceback holds no values, its answer holds no traceback."""
    monkeypatch.setattr(people.world.services.joining, "sign_up", fail)
    answer = people.sign_up(CUSTOMER, key=KEY, profile=PERSONAL)
    assert (answer.status, answer.code) == (500, "internal_error")
    assert "broken" not in answer.text
    assert "RuntimeError" not in answer.text
    assert "RuntimeError" in log.getvalue()
    for secret in SECRETS:
        assert secret not in log.getvalue(), secret


def test_nothing_personal_is_in_redis(people: People) -> None:
    """P8: opaque ids only."""
    live_through_everything(people)
    contents = Snapshot.of(people.world.dynamodb, people.world.redis).keys
    text = json.dumps(contents, default=str)
    assert people.id_of(CUSTOMER) in text
    for secret in SECRETS:
        assert secret not in text, secret


def test_no_id_tells_whose_it_is(people: People) -> None:
    """P8: ids stand in URLs."""
    assert people.sign_up(CUSTOMER).json["entry_id"] == people.id_of(CUSTOMER)
    assert people.id_of(CUSTOMER) != People(people.world, "florist").id_of(CUSTOMER)
    assert people.id_of(CUSTOMER).isalnum()


def test_the_clients_key_is_not_on_record(people: People) -> None:
    """P8: it is a secret of the client's, so that only a digest is kept."""
    people.sign_up(CUSTOMER, key=KEY)
    people.bump(CUSTOMER, key=KEY, places=1)
    assert KEY not in json.dumps(people.world.dynamodb.scan()["Items"])


def test_an_erased_person_is_nowhere(people: People) -> None:
    """P8: at once, before maintenance has run."""
    live_through_everything(people)
    assert PERSONAL["name"] in json.dumps(people.world.dynamodb.scan()["Items"])
    assert people.erase(CUSTOMER).status == 204
    text = json.dumps(people.world.dynamodb.scan()["Items"])
    for secret in SECRETS:
        assert secret not in text, secret
