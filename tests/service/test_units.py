"""Counts the DynamoDB units and other priced units that each request uses.

`waitlist cost` and docs/operate/sizing.md must contain the same numbers.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest

from tests.service.api.test_verification import Guests
from tests.service.messages.stage import Context
from tests.support.admissions import Admissions
from tests.support.constants import replaced_constants
from tests.support.dynamodb import TABLE
from tests.support.flood import ENTRY, FLOOD, LIST, OFFER, Dearest
from tests.support.shards import SHARDS_OF_A_STACK
from tests.support.stores import empty_redis
from tests.support.units import MeteredTable, units_of
from tests.support.world import SECRET, RedisClock, World
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.clock import iso
from waitlist_api.messages.batch import Batches
from waitlist_api.messages.compose import Letterhead, Message
from waitlist_api.messages.limits import Limits
from waitlist_api.messages.sender import Sender
from waitlist_api.queue.client import QueueClient
from waitlist_api.records.broadcasts import BroadcastRecords
from waitlist_api.records.deliveries import Deliveries, Delivery
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.invitations import InvitationRecords
from waitlist_api.records.invitees import Invitees
from waitlist_api.records.ledger import Ledger
from waitlist_api.records.message_counts import MessageCounts
from waitlist_api.records.message_limits import Budgets, Targets
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.table import Table
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_cli.operations.cost import (
    MESSAGE,
    MESSAGE_BYTES,
    MINUTE,
    OPERATIONS,
    WATCHED,
    Operation,
)
from waitlist_shared.correlation import Correlation
from waitlist_shared.telemetry import Telemetry

PROFILE = {"name": "Ann Example", "email": "ann.example@example.com", "phone": "+1 202 555 0142"}
ANN = PROFILE["email"]
PROFILE_OF_GUEST = {"name": PROFILE["name"], "phone": PROFILE["phone"]}
PLACES = 50


@pytest.fixture
def people() -> Admissions:
    people = Admissions(World.on(MeteredTable(), empty_redis(), redis_clock=RedisClock.standing()))
    people.configure(admission={"pass_seconds": 3600})
    people.sign_up("first", profile=PROFILE)
    return people


def counted(
    people: Admissions, call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> Operation:
    """Return the units that a call uses. Reads of the settings are left out, because the function
    caches them.
    """
    sent: list[object] = []
    send = QueueClient.send

    def counting(client: QueueClient, request: Any) -> Any:
        sent.append(request)
        return send(client, request)

    table = people.world.dynamodb
    before = events(table)
    with monkeypatch.context() as patch, units_of(table) as units:
        patch.setattr(QueueClient, "send", counting)
        call()
    return Operation(
        writes=units.writes,
        reads=units.reads,
        table_calls=units.calls,
        queue_calls=len(sent),
        events=events(table) - before,
    )


def largest(letter: str) -> dict[str, list[str]]:
    """Return attributes of nearly the maximum size. A write stores them twice, in the table and in
    its index.
    """
    return {f"a{number}": [f"{value:02d}{letter * 62}" for value in range(15)] for number in "12"}


def events(table: MeteredTable) -> int:
    return sum(sort.startswith("HISTORY#") for _, sort in table.items)


def assert_is(name: str, found: Operation) -> None:
    expected = {**asdict(OPERATIONS[name]), "signatures": 0}
    assert asdict(found) == expected, name


def test_each_step_of_an_entry_costs_as_much_as_documented(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def uses(name: str, call: Callable[[], Any]) -> None:
        assert_is(name, counted(people, call, monkeypatch))

    uses("signup", lambda: people.sign_up("ann", profile=PROFILE))
    people.sign_up("bob", profile=PROFILE)
    uses("look", lambda: people.poll("ann"))
    uses("board", lambda: people.world.request("GET", f"{people.path}/board"))
    people.admit(2)
    uses("enter", lambda: people.enter("ann"))
    uses("exit", lambda: people.exit("ann"))
    uses("leave", lambda: people.leave("bob"))


def test_a_verified_signup_costs_as_much_as_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    guests = Guests(World.on(MeteredTable(), empty_redis(), redis_clock=RedisClock.standing()))
    guests.configure(identity={"field": "email", "verify": "before_offer"})
    guests.join("first@example.com", **PROFILE_OF_GUEST)
    joined = counted(guests, lambda: guests.join(ANN, **PROFILE_OF_GUEST), monkeypatch)
    assert_is("signup to verify", joined)
    code = guests.code(ANN)
    assert_is("verify", counted(guests, lambda: guests.verify(code), monkeypatch))


def test_the_most_expensive_request_of_each_route_costs_as_much_as_documented(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each request is as expensive as possible: profiles and attributes have the maximum size both
    before and after it.
    """
    people = Admissions(World.on(MeteredTable(), empty_redis(), redis_clock=RedisClock.standing()))
    people.configure(
        admission={"offer_seconds": 600, "pass_seconds": 3600},
        rest={"times": 10},
        confirm={"every_days": 30, "answer_days": 7},
        messages={"kinds": ["joined"]},
        rejoin="always",
    )
    until = iso(people.world.clock.millis + 3_600_000)
    entry = f"{people.path}/entries/{people.id_of('ann')}"
    of_form = {"a1": largest("x")["a1"]}

    def uses(route: str, call: Callable[[], Any], expected: Dearest | None = None) -> None:
        expected = expected or FLOOD[route]
        found = counted(people, call, monkeypatch)
        assert found == replace(expected.operation, signatures=0), route
        units = people.world.dynamodb.units
        assert units.writes - units.index_writes == expected.table, route

    def act(verb: str, **body: Any) -> None:
        answer = people._by_customer("ann", verb, body or None)
        assert answer.status == 200, answer.text

    def patch(**body: Any) -> None:
        answer = people.world.request("PATCH", entry, body=body, token=people.token_of("ann"))
        assert answer.status == 200, answer.text

    def unsubscribe() -> None:
        stay = people.stay_of("ann")
        code = EntryTokens(SECRET).unsubscribe_code(people.waitlist_id, people.id_of("ann"), stay)
        headers = {"content-type": "application/x-www-form-urlencoded"}
        path = f"{people.path}/unsubscribe/{code}"
        text = "List-Unsubscribe=One-Click"
        answer = people.world.request("POST", path, raw_body=text, headers=headers)
        assert answer.status == 200, answer.text

    assert people.sign_up("ann", profile={"a": "x" * 900}, attributes=of_form).status == 201
    uses(f"PATCH {ENTRY}", lambda: patch(profile={"a": "y" * 900}, messages="off"))
    people.leave("ann")
    assert people.sign_up("ann", attributes=largest("x")).status == 201
    uses(f"POST {ENTRY}/rest", lambda: act("rest", until=until))
    uses(f"POST {ENTRY}/resume", lambda: act("resume", rest_until=until))
    asked = people.world.request("POST", f"{people.admin_path}/confirm", body={}, operator=True)
    assert asked.json["asked"] == 1
    uses(f"POST {ENTRY}/confirm", lambda: act("confirm"))
    uses(f"POST {LIST}/unsubscribe/{{code}}", unsubscribe)
    one_offer = Dearest(replace(OFFER.operation, queue_calls=1), OFFER.table)
    uses("an offer", lambda: people.admit(1), one_offer)
    uses(f"POST {ENTRY}/enter", lambda: act("enter"))
    uses(
        f"GET {ENTRY}/pass",
        lambda: people.world.request("GET", f"{entry}/pass", token=people.token_of("ann")),
    )
    uses(f"POST {ENTRY}/exit", lambda: act("exit"))
    assert people.sign_up("ann", attributes=largest("y")).status == 201
    uses(f"DELETE {ENTRY}", lambda: people.leave("ann"))
    assert people.sign_up("ann", attributes=largest("x")).status == 201
    people.admit(1)
    uses(f"POST {ENTRY}/decline", lambda: act("decline", to="leave"))


def test_the_most_expensive_requests_with_verification_cost_as_much_as_documented(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guests = Guests(World.on(MeteredTable(), empty_redis(), redis_clock=RedisClock.standing()))
    guests.configure(identity={"field": "email", "verify": "before_offer"}, rejoin="always")

    def uses(route: str, call: Callable[[], Any]) -> None:
        found, units = counted(guests, call, monkeypatch), guests.world.dynamodb.units
        assert found == FLOOD[route].operation, route
        assert units.writes - units.index_writes == FLOOD[route].table, route

    def join(letter: str) -> None:
        attributes = {name: values[:14] for name, values in largest(letter).items()}
        body = {"profile": {"email": ANN}, "attributes": attributes}
        answer = guests.world.request("POST", f"{guests.path}/entries", body=body)
        assert answer.status == 202, answer.text

    def ask_link() -> None:
        answer = guests.world.request("POST", f"{guests.path}/links", body={"email": ANN})
        assert answer.status == 202, answer.text

    join("x")
    guests.world.advance(61)
    uses(f"POST {LIST}/links", ask_link)
    code = guests.code(ANN)
    uses(f"POST {LIST}/verify", lambda: guests.verify(code))
    path = f"{guests.admin_path}/entries/{guests.id_of(ANN)}/remove"
    assert guests.world.request("POST", path, body={}, operator=True).status == 204
    uses(f"POST {LIST}/entries", lambda: join("z"))


def test_many_offers_cost_as_much_as_documented(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A maintenance run makes many offers with one call to the private function, and reads all the
    entries' records in one call.
    """
    people.all_sign_up(*(f"another-person-{number}" for number in range(PLACES - 1)))
    found = counted(people, lambda: people.admit(PLACES), monkeypatch)
    assert found.queue_calls == 1
    per_offer = OPERATIONS["offer"]
    assert (found.writes, found.reads) == (per_offer.writes * PLACES, per_offer.reads * PLACES)
    assert found.events == per_offer.events * PLACES


class Sent:
    def send(self, _message: Message, _ids: Delivery | None) -> None: ...


def test_a_message_costs_as_much_as_documented(
    people: Admissions, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    people.configure(messages={"kinds": ["joined"]})
    people.sign_up("ann", profile=PROFILE)
    table, now_millis = Table(people.world.dynamodb, TABLE), people.world.clock.now_millis
    sender = Sender(
        EntryRecords(table, now_millis),
        WaitlistRecords(table),
        Deliveries(table),
        Recipients(table, now_millis),
        Ledger(table),
        Limits(
            targets=Targets(table),
            budgets=Budgets(table),
            tokens=EntryTokens(SECRET),
            mails_per_day=50_000,
            sms_parts_per_day=1_000,
        ),
        InvitationRecords(table, now_millis, Invitees(table)),
        BroadcastRecords(table, now_millis),
        {"mail": Sent()},
        Letterhead("https://example.net", EntryTokens(SECRET)),
        now_millis,
    )
    telemetry = Telemetry("messages", namespace="test", log_level="INFO", environ={})
    batches = Batches(sender, MessageCounts(table), None, "", telemetry, Correlation())
    found = {
        "waitlist_id": people.waitlist_id,
        "entry_id": people.id_of("ann"),
        "event": "joined",
        "stamp": str(people.stay_of("ann") * 10),
        "by": "customer",
    }
    record = {"messageId": "1", "eventSource": "aws:sqs", "body": json.dumps(found)}
    capsys.readouterr()
    used = counted(people, lambda: batches.handle({"Records": [record]}, Context()), monkeypatch)
    assert used == MESSAGE
    text = capsys.readouterr().out
    line = json.loads(text)
    assert line["sent"] == 1
    assert MESSAGE_BYTES * 0.8 < len(text) <= MESSAGE_BYTES
    of_each, of_service = (one["Metrics"] for one in line["_aws"]["CloudWatchMetrics"])
    # A metric with the `outcome` dimension costs as much as one metric for the service plus one for
    # each outcome.
    dimensions = 1 + len(("ok", "retried"))
    assert len(of_each) * dimensions + len(of_service) == WATCHED["full"]["messages"].busy


def test_a_minute_of_maintenance_costs_as_much_as_documented(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test measures what an unused stack with one waitlist costs.

    Some maintenance runs use slightly more.
    """
    people.leave("first")
    runs = []
    with replaced_constants(SHARDS=SHARDS_OF_A_STACK):
        for _ in range(30):
            people.world.advance(60)
            runs.append(counted(people, people.world.maintenance.run_all, monkeypatch))
    assert Counter(runs).most_common(1)[0][0] == MINUTE
