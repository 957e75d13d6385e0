"""Tests for customers who change their email address. The entry keeps the old address until the
customer has verified the new one.
"""

import json
from contextlib import suppress
from typing import Any

import pytest

from tests.service.api.test_verification import Guests, seen
from tests.support.dynamodb import TABLE
from tests.support.faults import Crash, Wire, before, crash_after
from tests.support.gateway import Answer
from tests.support.stores import empty_redis
from tests.support.tables import items_of, new_table
from tests.support.world import SECRET, RedisClock, World
from tools.local.http_message import HttpRequest
from tools.local.mailbox import PATH, Mailbox
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.records.entry import entry_pk
from waitlist_api.records.table import Table

ADA, BOB, NEW = "ada@example.com", "bob@example.com", "ada@example.org"
RULES = {"field": "email", "verify_minutes": 60}
MINUTE, DAY = 60, 86_400


class Movers(Guests):
    """Guests who sign up, verify an address and change it.

    The tests read the links in messages through an operator route.
    """

    def joins(self, address: str) -> Any:
        answer = self.join(address)
        assert answer.status == 201, answer.text
        self.entry_tokens[address] = answer.json["entry_token"]
        return answer.json

    def change(self, address: str, new: Any, **profile: Any) -> Answer:
        path, body = self.entry(address), {"profile": {"email": new, **profile}}
        return self.world.request("PATCH", path, body=body, token=self.entry_tokens[address])

    def new_address(self, address: str) -> Any:
        path = f"{self.admin_path}/entries/{self.id_of(address)}/link"
        return self.world.request("POST", path, operator=True).json["new_address"]

    def code_to(self, address: str) -> str:
        return str(self.new_address(address)["url"].partition("#v=")[2])

    def move(self, address: str, new: str) -> Answer:
        assert self.change(address, new).status == 202
        return self.verify(self.code_to(address))

    def find(self, address: str) -> Answer:
        path = f"{self.admin_path}/find"
        return self.world.request("POST", path, body={"email": address}, operator=True)

    def ask_link(self, address: str) -> Answer:
        return self.world.request("POST", f"{self.path}/links", body={"email": address})

    def finish_intents(self) -> None:
        """Run only the maintenance step that removes expired aliases, because a full run would be
        slow after several days.
        """
        self.world.advance(2 * MINUTE)
        self.world.maintenance.intent_finisher.finish_intents()

    def at_key_of(self, address: str) -> Any:
        entry_id = self.id_of(address)
        return self.world.services.entries.ledger.read_stored(self.waitlist_id, entry_id)


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def movers(wire: Wire) -> Movers:
    table, clock = wire.client(new_table()), RedisClock.standing()
    movers = Movers(World.on(table, empty_redis(), wire.client, redis_clock=clock))
    assert movers.configure(identity=RULES, rejoin="always").status == 201
    return movers


def test_an_entry_answers_to_the_new_address_when_it_is_verified(movers: Movers) -> None:
    movers.joins(BOB)
    ada = movers.joins(ADA)
    asked = movers.change(ADA, NEW, name="Ada")
    assert (asked.status, asked.headers["cache-control"]) == (202, "no-store")
    known = {"email": ADA, "name": "Ada"}
    answer = {"entry_id": ada["entry_id"], "profile": known, "status": "check_your_inbox"}
    assert asked.json == answer
    assert movers.find(NEW).code == "entry_not_found"
    assert movers.new_address(ADA)["to"] == NEW
    keys = sorted(movers.world.redis.keys())
    verified = movers.verify(movers.code_to(ADA))
    assert (verified.status, verified.json["entry_id"]) == (200, ada["entry_id"])
    assert (verified.json["position"], verified.json["entry_token"]) == (2, ada["entry_token"])
    person = movers.find(NEW).json
    assert person["profile"] == {"email": NEW, "name": "Ada"}
    events = [one["event"] for one in person["history"]]
    assert events == ["joined", "address_change_asked", "edited", "address_changed"]
    assert movers.new_address(ADA) is None
    assert sorted(movers.world.redis.keys()) == keys
    # Both the old and the new address belong to this person, so neither can be used for a second
    # place.
    for address in (NEW, ADA, "Ada+x@Example.org"):
        assert movers.join(address).code == "already_on_list"
        assert movers.find(address).json["entry_id"] == ada["entry_id"]
    shown = movers.world.request(
        "POST",
        f"{movers.path}/entries",
        body={"profile": {"email": NEW}},
        token=ada["entry_token"],
    )
    assert (shown.status, shown.json["entry_id"]) == (200, ada["entry_id"])
    assert movers.stats().json["waiting"] == 2


def test_the_asker_learns_nothing_of_the_new_address(movers: Movers, wire: Wire) -> None:
    """A customer who asks for a new address gets the same response whether the address is new,
    known or banned. Only the owner of the address gets a message.
    """
    movers.joins(ADA)
    others = {name: f"{name}@example.net" for name in ("waiting", "left", "banned")}
    for address in others.values():
        movers.joins(address)
    movers.leave(others["left"])
    path = f"{movers.admin_path}/entries/{movers.id_of(others['banned'])}/remove"
    movers.world.request("POST", path, body={"ban": True}, operator=True)
    said, outcomes = [], {}
    for name, address in {"free": NEW, **others}.items():
        movers.world.advance(DAY)
        movers.change(ADA, ADA)
        wire.disarm()
        said.append((seen(movers.change(ADA, address)), wire.names))
        verified = movers.verify(movers.code_to(ADA))
        outcomes[name] = verified.json.get("code", verified.status)
        if verified.status == 200:
            movers.world.advance(DAY)
            movers.move(ADA, ADA)
    assert said == [said[0]] * 4
    assert said[0][0][0] == 202
    taken = "already_on_list"
    assert outcomes == {"free": 200, "waiting": taken, "left": 200, "banned": taken}
    assert "keeps its current address" in verified.json["detail"]
    for address in (ADA, others["waiting"]):
        assert movers.find(address).json["profile"] == {"email": address}


def test_links_go_to_the_present_address_alone(movers: Movers) -> None:
    """After a change of address, a link sent to the old address no longer works."""
    movers.configure(identity={**RULES, "verify": "before_offer"})
    movers.join(ADA)
    old = movers.code(ADA)
    movers.entry_tokens[ADA] = movers.verify(old).json["entry_token"]
    assert movers.move(ADA, NEW).status == 200
    assert movers.verify(old).code == "code_refused"
    movers.claimed()
    movers.complete(ADA)
    assert movers.verify(old).code == "code_refused"


def test_an_admitted_entry_does_not_move(movers: Movers) -> None:
    """Admission cancels an unconfirmed change of address. The code of an earlier, completed change
    still opens the entry.
    """
    movers.joins(ADA)
    movers.change(ADA, NEW)
    moved = movers.code_to(ADA)
    movers.verify(moved)
    movers.change(ADA, "ada@example.net")
    pending = movers.code_to(ADA)
    movers.claimed()
    movers.complete(ADA)
    assert movers.verify(pending).code == "code_refused"
    assert movers.change(ADA, ADA).code == "already_admitted"
    assert movers.new_address(ADA) is None
    opened = movers.verify(moved).json
    assert (opened["status"], opened["entry_token"]) == ("admitted", movers.entry_tokens[ADA])
    assert movers.find(NEW).json["profile"] == {"email": NEW}
    assert movers.at_key_of("ada@example.net") is None


def test_the_message_goes_to_the_new_address_once(movers: Movers) -> None:
    movers.joins(ADA)
    mailbox = Mailbox(
        Table(movers.world.dynamodb, TABLE),
        EntryTokens(SECRET),
        "http://127.0.0.1:8080",
        movers.world.clock.now_millis,
    )

    def mails() -> list[Any]:
        request = HttpRequest("GET", f"{PATH}.json", (("host", "127.0.0.1:8080"),))
        messages: list[Any] = json.loads(mailbox(request).body)["messages"]
        return messages

    movers.change(ADA, NEW)
    movers.change(ADA, NEW)
    assert movers.history(ADA).count("address_change_asked") == 1
    (mail,) = mails()
    assert (mail["kind"], mail["to"]) == ("address", NEW)
    assert movers.verify(mail["text"].partition("#v=")[2].strip()).status == 200
    movers.world.advance(MINUTE)
    movers.ask_link(ADA)
    movers.ask_link(NEW)
    assert [(one["kind"], one["to"]) for one in mails()[1:]] == [("link", NEW)]


def test_new_addresses_are_given_ever_more_rarely(movers: Movers) -> None:
    """People mistype addresses, so the service accepts three new addresses without a pause. After
    that, the customer must wait 1 minute before the next one, then 2, then 4, and so on.
    """
    movers.joins(ADA)
    taken = []
    for minute in range(9):
        answers = [movers.change(ADA, f"ada{minute}-{one}@example.org") for one in range(4)]
        taken.append([one.status for one in answers].count(202))
        refused = answers[-1]
        assert (refused.status, refused.code) == (429, "too_many_changes")
        assert 0 < int(refused.headers["retry-after"]) <= 8 * MINUTE
        movers.world.advance(MINUTE)
    assert taken == [3, 1, 0, 1, 0, 0, 0, 1, 0]
    assert movers.change(ADA, "ada7-0@example.org").status == 202, "a repeat asks for nothing"
    asked = movers.history(ADA).count("address_change_asked")
    assert asked == sum(taken)


def test_the_last_address_that_was_given_counts(movers: Movers) -> None:
    """Only the last new address that a customer has entered counts. Entering the current address
    cancels the change.
    """
    movers.joins(ADA)
    movers.change(ADA, "adda@example.org")
    mistyped = movers.code_to(ADA)
    movers.change(ADA, NEW)
    right = movers.code_to(ADA)
    refused = movers.verify(mistyped)
    assert refused.code == "code_refused"
    assert "enter the new address again" in refused.json["detail"]
    assert movers.change(ADA, ADA).status == 200
    assert movers.new_address(ADA) is None
    assert movers.verify(right).code == "code_refused"
    assert movers.move(ADA, NEW).status == 200
    repeated = movers.verify(right)
    assert (repeated.status, movers.history(ADA).count("address_changed")) == (200, 1)


def test_a_list_that_takes_other_addresses_by_now_takes_no_code(movers: Movers) -> None:
    movers.joins(ADA)
    movers.change(ADA, NEW)
    code = movers.code_to(ADA)
    for identity in ({"field": "phone"}, None, {**RULES, "blocked_domains": ["example.org"]}):
        movers.configure(identity=identity)
        assert movers.verify(code).code == "code_refused"
    movers.configure(identity=RULES)
    assert movers.verify(code).status == 200


@pytest.mark.parametrize("field", ["nobody", "", None, 7, "eve@trash.example"])
def test_an_address_that_a_signup_would_be_refused_for_is_refused(
    movers: Movers, field: Any
) -> None:
    movers.configure(identity={**RULES, "blocked_domains": ["trash.example"]})
    movers.joins(ADA)
    refused = movers.change(ADA, field)
    assert (refused.status, refused.code) == (422, "invalid_request")
    assert refused.json["errors"][0]["field"] == "body.profile.email"
    assert movers.new_address(ADA) is None


def test_a_second_move_frees_the_first_new_address_and_back_frees_both(movers: Movers) -> None:
    movers.joins(ADA)
    assert movers.move(ADA, NEW).status == 200
    third = "ada@example.net"
    assert movers.move(ADA, third).status == 200
    assert movers.at_key_of(NEW) is None
    assert movers.joins(NEW)["position"] == 2
    assert movers.move(ADA, ADA).status == 200
    assert movers.at_key_of(third) is None
    assert movers.find(ADA).json["profile"] == {"email": ADA}
    assert movers.joins(third)["position"] == 3


def test_the_next_stay_by_either_address_is_of_the_same_entry(movers: Movers) -> None:
    """After Ada has changed her address, both addresses belong to the same entry, so a new signup
    or a ban counts for both.
    """
    ada = movers.joins(ADA)
    movers.change(ADA, NEW)
    code = movers.code_to(ADA)
    movers.verify(code)
    movers.leave(ADA)
    assert movers.verify(code).code == "code_refused"
    movers.world.advance(MINUTE)
    for address in (NEW, ADA):
        again = movers.join(address).json
        assert again["entry_id"] == ada["entry_id"]
        assert movers.find(NEW).json["profile"] == {"email": address}
        assert movers.verify(code).code == "code_refused"
        movers.entry_tokens[ADA] = again["entry_token"]
        movers.leave(ADA)
        movers.world.advance(MINUTE)
    movers.configure(identity=RULES, rejoin="never")
    assert movers.join(NEW).code == "already_left"
    path = f"{movers.admin_path}/entries/{movers.find(NEW).json['entry_id']}"
    movers.world.request("POST", f"{path}/remove", body={"ban": True}, operator=True)
    assert [movers.join(one).code for one in (NEW, ADA)] == ["banned"] * 2


def test_an_erasure_forgets_both_addresses(movers: Movers) -> None:
    """An erasure removes an earlier signup with the new address too."""
    movers.joins(NEW)
    movers.leave(NEW)
    movers.joins(ADA)
    movers.move(ADA, NEW)
    movers.change(ADA, "ada@example.net")
    movers.world.request(
        "DELETE", f"{movers.admin_path}/entries/{movers.id_of(ADA)}", operator=True
    )
    movers.world.maintain()
    items = movers.world.dynamodb.scan(TableName=TABLE)["Items"]
    kept = [one["pk"]["S"] for one in items if one["pk"]["S"].startswith("ENTRY#")]
    assert kept == []
    assert movers.joins(NEW)["entry_id"] == movers.id_of(NEW)


def test_an_erasure_leaves_no_event_of_a_function_whose_clock_is_ahead(movers: Movers) -> None:
    """An erasure removes all of the customer's events, even an event from a function whose clock is
    ahead of Redis' clock (promise P8).
    """
    movers.joins(ADA)
    movers.world.clock.advance(600)
    assert movers.change(ADA, NEW).status == 202
    assert movers.hold_back(ADA).status == 200
    assert movers.history(ADA) == ["joined", "address_change_asked", "held_back"]
    path = f"{movers.admin_path}/entries/{movers.id_of(ADA)}"
    assert movers.world.request("DELETE", path, operator=True).status == 204
    movers.world.maintain()
    pk = entry_pk("bakery", movers.id_of(ADA))
    assert [one["sk"] for one in items_of(movers.world.dynamodb) if one["pk"]["S"] == pk] == []


def test_a_stale_alias_is_taken_over_and_found_by_maintenance(movers: Movers) -> None:
    """An alias leads from a customer's new address to their entry. After the entry has expired,
    other people can use the address, and maintenance removes unused aliases.
    """
    movers.configure(identity=RULES, retention_days=1, rejoin="always")
    news = [f"ada{one}@example.org" for one in range(3)]
    for number, new in enumerate(news):
        address = f"ada{number}@example.com"
        movers.joins(address)
        movers.move(address, new)
        movers.leave(address)
    movers.world.advance(DAY + MINUTE)
    assert movers.joins(news[0])["entry_id"] == movers.id_of(news[0])
    brought = movers.bring({"profile": {"email": news[1]}}).json["results"]
    assert [(one["outcome"], one["entry_id"]) for one in brought] == [
        ("joined", movers.id_of(news[1]))
    ]
    movers.finish_intents()
    assert movers.at_key_of(news[2]) is None
    assert movers.find(news[0]).status == 200


def test_a_refused_signup_over_a_stale_alias_changes_nothing(movers: Movers) -> None:
    movers.configure(identity=RULES, retention_days=1, capacity=1, rejoin="always")
    movers.joins(ADA)
    movers.move(ADA, NEW)
    movers.leave(ADA)
    movers.world.advance(DAY + MINUTE)
    movers.joins(BOB)
    assert movers.join(NEW).code == "waitlist_full"
    assert movers.find(NEW).code == "entry_not_found"
    movers.world.advance(DAY + MINUTE)
    movers.finish_intents()
    assert movers.at_key_of(NEW) is None


def test_an_address_to_which_another_entry_moved_stays_taken(movers: Movers) -> None:
    """If a customer changes to an address and then leaves, only that customer can sign up with the
    address again.
    """
    movers.joins(BOB)
    movers.move(BOB, NEW)
    movers.leave(BOB)
    movers.joins(ADA)
    assert movers.move(ADA, NEW).code == "already_on_list"
    assert movers.joins(NEW)["entry_id"] == movers.id_of(BOB)


def test_the_address_of_an_expired_entry_is_free(movers: Movers) -> None:
    """Bob was admitted. DynamoDB may delete his expired record days later."""
    movers.configure(identity=RULES, retention_days=1, rejoin="never")
    movers.joins(BOB)
    movers.id_of(BOB)
    movers.claimed()
    movers.complete(BOB)
    movers.joins(ADA)
    assert movers.change(ADA, BOB).status == 202
    assert movers.verify(movers.code_to(ADA)).code == "already_on_list"
    movers.world.advance(2 * DAY)
    assert movers.at_key_of(BOB) is not None
    assert movers.move(ADA, BOB).status == 200
    assert movers.find(BOB).json["entry_id"] == movers.id_of(ADA)


def test_a_customer_can_move_to_an_address_that_already_leads_to_the_entry(movers: Movers) -> None:
    """A customer has changed to a new address, and an operator has set the old one again. The
    customer can then change to the new address once more.
    """
    movers.joins(ADA)
    movers.move(ADA, NEW)
    path, body = f"{movers.admin_path}/entries/{movers.id_of(ADA)}", {"profile": {"email": ADA}}
    assert movers.world.request("PATCH", path, body=body, operator=True).status == 200
    assert movers.move(ADA, NEW).status == 200
    assert movers.find(NEW).json["profile"] == {"email": NEW}
    movers.world.advance(DAY + MINUTE)
    movers.finish_intents()
    assert movers.join(NEW).code == "already_on_list"


def test_maintenance_leaves_an_alias_that_is_in_use(movers: Movers) -> None:
    movers.joins(ADA)
    movers.move(ADA, NEW)
    for _ in range(3):
        movers.world.advance(DAY + MINUTE)
        movers.finish_intents()
    assert movers.find(NEW).json["entry_id"] == movers.id_of(ADA)
    alias = movers.at_key_of(NEW)
    movers.delete_waitlist()
    movers.world.maintain()
    movers.world.maintain()
    assert movers.world.services.entries.ledger.read_stored("bakery", alias.entry_id) is None


def test_rows_of_an_import_are_the_entry_by_either_address(movers: Movers) -> None:
    """If an imported row contains a customer's old address, the response contains no entry token,
    because the old mailbox may belong to a stranger by now.
    """
    rows: list[Any] = [{"profile": {"email": one}} for one in (ADA, NEW, BOB)]
    movers.bring(rows[0])
    token = movers.world.request(
        "POST", f"{movers.admin_path}/entries/{movers.id_of(ADA)}/token", operator=True
    )
    movers.entry_tokens[ADA] = token.json["entry_token"]
    movers.move(ADA, NEW)
    for options in ({"dry_run": True}, {"on_list": "replace"}):
        results = movers.bring(*rows, entry_tokens=True, **options).json["results"]
        outcomes = [one["outcome"] for one in results]
        assert outcomes == ["already", "already", "joined"]
        assert {one["entry_id"] for one in results[:2]} == {movers.id_of(ADA)}
    assert results[0]["entry_token"] is None
    (alone,) = movers.bring(rows[1], entry_tokens=True).json["results"]
    assert alone["entry_token"] == movers.entry_tokens[ADA]
    movers.leave(ADA)
    movers.world.advance(MINUTE)
    (again,) = movers.bring(rows[1], ended="rejoin").json["results"]
    assert (again["outcome"], again["entry_id"]) == ("joined", movers.id_of(ADA))


def test_an_imports_row_has_a_token_only_if_it_names_the_present_address(movers: Movers) -> None:
    """An imported row gets an entry token only if it contains the customer's current address."""

    def tokens(*addresses: str, **options: Any) -> dict[str, tuple[str, bool]]:
        rows: list[Any] = [{"profile": {"email": one}} for one in addresses]
        results = movers.bring(*rows, entry_tokens=True, **options).json["results"]
        return {
            address: (one["outcome"], one["entry_token"] is not None)
            for address, one in zip(addresses, results, strict=True)
        }

    movers.joins(ADA)
    movers.move(ADA, NEW)
    assert tokens(ADA, on_list="replace") == {ADA: ("already", False)}
    assert movers.history(ADA)[-1] == "address_changed"
    replacing: Any = {"on_list": "replace"}
    assert tokens(NEW, ADA, **replacing) == {NEW: ("joined", True), ADA: ("already", False)}
    assert tokens(ADA, NEW) == {ADA: ("already", False), NEW: ("already", True)}
    twice = movers.bring(*[{"profile": {"email": ADA}}] * 2, entry_tokens=True).json["results"]
    assert [one["entry_token"] for one in twice] == [None, None]
    for present, other in ((ADA, NEW), (NEW, ADA)):
        movers.remove(ADA)
        movers.world.advance(MINUTE)
        movers.joins(present)
        assert tokens(other, **replacing) == {other: ("already", False)}
        assert tokens(other, present, **replacing) == {
            other: ("already", False),
            present: ("joined", True),
        }
        assert tokens(present) == {present: ("already", True)}
        assert movers.find(NEW).json["profile"] == {"email": present}


def test_a_reinstated_stay_answers_to_the_new_address(movers: Movers) -> None:
    movers.joins(ADA)
    movers.move(ADA, NEW)
    movers.leave(ADA)
    assert movers.reinstate(ADA).status == 200
    assert movers.join(NEW).code == "already_on_list"
    assert movers.find(NEW).json["profile"] == {"email": NEW}


def test_an_entry_of_a_stated_id_gets_an_address(movers: Movers) -> None:
    """A customer who was imported by id and so has no address can add one."""
    body: Any = {"entries": [{"customer_id": "ada"}]}
    movers.world.request("POST", f"{movers.admin_path}/import", body=body, operator=True)
    entry_id = next(iter(movers.page().json["entries"]))["entry_id"]
    path = f"{movers.admin_path}/entries/{entry_id}"
    token = movers.world.request("POST", f"{path}/token", operator=True).json["entry_token"]
    body = {"profile": {"email": NEW}}
    own = f"{movers.path}/entries/{entry_id}"
    assert movers.world.request("PATCH", own, body=body, token=token).status == 202
    url = movers.world.request("POST", f"{path}/link", operator=True).json["new_address"]["url"]
    assert movers.verify(url.partition("#v=")[2]).json["entry_id"] == entry_id
    assert movers.join(NEW).code == "already_on_list"


@pytest.mark.parametrize("step", range(5))
def test_an_interrupted_address_change_is_completed_or_leaves_nothing(
    movers: Movers, wire: Wire, step: int
) -> None:
    """A change of address that is interrupted at any step and repeated takes full effect once."""
    movers.joins(ADA)
    movers.move(ADA, NEW)
    movers.change(ADA, "ada@example.net")
    code = movers.code_to(ADA)
    wire.arm(step, crash_after)
    with suppress(Crash):
        movers.verify(code)
    wire.disarm()
    where = movers.find(ADA).json["profile"]["email"]
    assert movers.find(where).json["entry_id"] == movers.id_of(ADA)
    assert movers.verify(code).json["entry_id"] == movers.id_of(ADA)
    assert movers.find("ada@example.net").json["profile"] == {"email": "ada@example.net"}
    assert movers.history(ADA).count("address_changed") == 2
    movers.world.advance(DAY + MINUTE)
    movers.finish_intents()
    assert movers.at_key_of(NEW) is None
    assert movers.joins(NEW)["entry_id"] == movers.id_of(NEW)


RACES: dict[str, Any] = {
    "leaves": lambda one: one.leave(ADA),
    "gives another address": lambda one: one.change(ADA, "ada@example.net"),
    "signs the new address up": lambda one: one.join(NEW),
    "imports the new address": lambda one: one.bring({"profile": {"email": NEW}}),
    "erases": lambda one: one.world.request(
        "DELETE", f"{one.admin_path}/entries/{one.id_of(ADA)}", operator=True
    ),
    "leaves and joins": lambda one: (one.leave(ADA), one.world.advance(1), one.joins(ADA)),
}
OUTCOMES = {
    "leaves": "code_refused",
    "gives another address": "code_refused",
    "signs the new address up": "already_on_list",
    "imports the new address": "already_on_list",
    "erases": "code_refused",
    "leaves and joins": "code_refused",
}


@pytest.mark.parametrize("race", RACES)
def test_another_request_between_read_and_write_wins(movers: Movers, wire: Wire, race: str) -> None:
    movers.joins(ADA)
    movers.change(ADA, NEW)
    code = movers.code_to(ADA)
    wire.disarm()
    verified: list[str | None] = []
    step = 3
    wire.arm(step, before(lambda: RACES[race](movers)))
    verified.append(movers.verify(code).code)
    assert wire.names[step] == "TransactWriteItems"
    assert verified == [OUTCOMES[race]]
    assert movers.find(NEW).code in (None, "", "entry_not_found")
    at_key = movers.at_key_of(NEW)
    assert at_key is None or at_key.status == "waiting"


def test_a_signup_of_the_new_address_that_meets_the_move_is_that_entry(
    movers: Movers, wire: Wire
) -> None:
    """If somebody signs up with the new address while a change to it is being completed, the signup
    is refused.
    """
    movers.joins(ADA)
    movers.change(ADA, NEW)
    code = movers.code_to(ADA)
    wire.arm(0, before(lambda: movers.verify(code)))
    assert movers.join(NEW).code == "already_on_list"
    assert movers.stats().json["waiting"] == 1
    item = movers.world.dynamodb.get_item(
        TableName=TABLE,
        Key={"pk": {"S": entry_pk("bakery", movers.id_of(NEW))}, "sk": {"S": "RECORD"}},
    )["Item"]
    assert item["status"] == {"S": "moved"}
    assert NEW not in str(item)
