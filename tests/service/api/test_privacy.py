"""P8: nothing personal is in Redis, in a log line, in a metric or in an answer to a stranger."""

import json
import logging
import re
from io import StringIO
from secrets import token_hex
from typing import Any

import pytest
from aws_lambda_powertools import Logger

from tests.support.admissions import Admissions
from tests.support.people import People
from tests.support.snapshot import Snapshot
from tests.support.stores import fake_redis
from tests.support.tables import new_table
from tests.support.world import SECRET, World
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.entries.signup import Signups
from waitlist_api.http.api import Api
from waitlist_api.http.schemas.segments import SEGMENT_NAMES
from waitlist_queue import keys

CUSTOMER = "ada.lovelace@example.com"
STRANGER = "charles.babbage@example.com"
PERSONAL = {"name": "Augusta King", "phone": "+44 20 7946 0123"}
LANGUAGE = "Analytical-English"
FRENCH, GENDER, UNKNOWN = "Difference-French", "Countess", "Jacquard-Weaving"
KEY = "idempotency-key-of-the-client"
SECRETS = [
    CUSTOMER,
    STRANGER,
    *PERSONAL.values(),
    *(LANGUAGE, FRENCH, GENDER, UNKNOWN),
    KEY,
    "Augusta",
    "lovelace",
]


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> StringIO:
    caplog.set_level(logging.DEBUG)
    # Another test that composes a whole function leaves its own log level.
    caplog.set_level(logging.DEBUG, "waitlist_api")
    return StringIO()


@pytest.fixture
def people(log: StringIO) -> Admissions:
    """A deployment that logs all it can, into a text."""
    world = World.on(new_table(), fake_redis())
    # Loggers of one name share the first one's stream.
    logger = Logger(service=f"privacy-{token_hex(8)}", level="DEBUG", stream=log)
    world.api = Api(world.services, EntryTokens(SECRET), logger)
    people = Admissions(world)
    people.configure(segments=[["gender", "language"], ["language"]])
    return people


def live_through_everything(people: Admissions) -> None:
    """Have the customer do and suffer whatever there is to do, well and badly."""
    attributes = {"language": LANGUAGE, "gender": GENDER}
    fields: dict[str, Any] = {"profile": PERSONAL, "attributes": attributes}
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
    live_in_segments(people)
    people.world.redis.flushall()
    people.look(CUSTOMER)
    people.world.maintain()
    people.leave(CUSTOMER)
    people.sign_up(CUSTOMER, key="again", **fields)


def live_in_segments(people: Admissions) -> None:
    """Have the customer be counted, edited and claimed by what they are."""
    assert people.look(CUSTOMER, "segment=language").json["segments"]
    assert people.segments().json["segments"]
    speaks_both = {"language": [LANGUAGE, FRENCH], "gender": GENDER}
    assert people.edit(CUSTOMER, attributes=speaks_both, reason=FRENCH).status == 200
    people.edit(CUSTOMER, attributes={"language": [UNKNOWN] * 17})
    people.edit(CUSTOMER, attributes={"language": UNKNOWN + "\n"}, profile=UNKNOWN)
    people.edit(STRANGER, attributes={"language": UNKNOWN})
    for filter_ in ({"language": UNKNOWN}, {"gender": UNKNOWN}, {UNKNOWN: UNKNOWN}):
        people.claim(filter=filter_)
    people.look(CUSTOMER, f"segment={UNKNOWN}")
    assert people.claimed(filter={"language": FRENCH, "gender": GENDER}) == [CUSTOMER]
    people.release(CUSTOMER, reason=FRENCH)
    people.configure(segments=[["gender"]])
    people.claim(filter={"gender": GENDER})
    people.world.maintain()
    assert people.claimed(filter={"gender": GENDER}) == [CUSTOMER]
    people.release(CUSTOMER)


def fail(*_: object) -> Any:
    raise RuntimeError("broken in the middle")


def test_nothing_personal_is_logged(
    people: Admissions,
    log: StringIO,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """P8: not even of what is refused."""
    live_through_everything(people)
    printed = "".join(capfd.readouterr())
    logged = log.getvalue()
    # Otherwise the search had no content; tests/service/privacy covers refused values.
    assert "rebuild starts" in caplog.text
    for secret in SECRETS:
        assert secret not in logged + caplog.text + printed, secret


def test_a_defect_is_logged_without_the_request(
    people: People, log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P8: its traceback holds no values, its answer holds no traceback."""
    monkeypatch.setattr(Signups, "sign_up", fail)
    answer = people.sign_up(CUSTOMER, key=KEY, profile=PERSONAL)
    assert (answer.status, answer.code) == (500, "internal_error")
    assert "broken" not in answer.text
    assert "RuntimeError" not in answer.text
    assert "RuntimeError" in log.getvalue()
    for secret in SECRETS:
        assert secret not in log.getvalue(), secret


def test_nothing_personal_is_in_redis(people: Admissions) -> None:
    """P8: opaque ids only, also of who is in which segment."""
    live_through_everything(people)
    assert people.world.redis.hget(keys.tags(people.waitlist_id), people.id_of(CUSTOMER))
    contents = Snapshot.of(people.world.dynamodb, people.world.redis).redis.keys
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


def test_a_refusal_repeats_no_value(people: Admissions) -> None:
    """P8: a refused value may be personal."""
    people.sign_up(CUSTOMER, attributes={"language": LANGUAGE})
    eight = [f"{LANGUAGE}-{number}" for number in range(8)]
    for answer in (
        people.claim(filter={"gender": GENDER}),
        people.claim(filter={"language": LANGUAGE + "\n"}),
        people.look(CUSTOMER, f"segment={LANGUAGE}"),
        people.edit(CUSTOMER, attributes={"language": eight, "gender": eight}),
        people.edit(CUSTOMER, attributes={"language": [LANGUAGE, 5]}),
        people.sign_up(STRANGER, attributes={"language": eight, "gender": eight}),
    ):
        assert answer.status == 422, answer.text
        assert LANGUAGE not in answer.text
        assert GENDER not in answer.text


def test_no_route_takes_a_value_in_its_address() -> None:
    """P8: addresses stand in logs; a query carries names of attributes alone."""
    named = re.compile(SEGMENT_NAMES)
    assert named.fullmatch("gender,language")
    for value in ("Spanish", "language=spanish", "language:spanish", "language Spanish"):
        assert not named.fullmatch(value)


def test_an_erased_person_is_nowhere(people: Admissions) -> None:
    """P8: at once, before maintenance has run."""
    live_through_everything(people)
    assert PERSONAL["name"] in json.dumps(people.world.dynamodb.scan()["Items"])
    assert people.erase(CUSTOMER).status == 204
    text = json.dumps(people.world.dynamodb.scan()["Items"])
    for secret in SECRETS:
        assert secret not in text, secret
