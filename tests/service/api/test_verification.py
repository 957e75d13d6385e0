"""Tests guests who must verify their email address.

They get a place when they sign up, but no offer until the address is verified.
"""

import json
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.admissions import Admissions
from tests.support.dynamodb import TABLE
from tests.support.faults import Crash, Wire, before, crash_after
from tests.support.gateway import Answer
from tests.support.stores import empty_redis
from tests.support.tables import items_of, new_table
from tests.support.world import SECRET, RedisClock, World
from tools.local.http_message import HttpRequest
from tools.local.mailbox import PATH, Mailbox
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.entries import queries
from waitlist_api.records.entry import SHARDS, entry_pk, shard_of
from waitlist_api.records.table import Table
from waitlist_shared.ids import entry_id_of

MINUTE = 60
KEY = "one-signup-of-ada"


class Guests(Admissions):
    """Guests who sign up with an address and verify it.

    The tests read the links in messages through an operator's route.
    """

    def join(self, address: str, key: str | None = None, **profile: Any) -> Answer:
        body = {"profile": {"email": address, **profile}}
        return self.world.request("POST", f"{self.path}/entries", body=body, key=key)

    def id_of(self, name: str) -> str:
        person = self.world.identities.identify(self.waitlist_id, None, {"email": name})
        entry_id = entry_id_of(self.waitlist_id, person.customer_id)
        self.names[entry_id] = name
        return entry_id

    def of(self, address: str) -> Any:
        path = f"{self.admin_path}/entries/{self.id_of(address)}"
        query = "include=history"
        return self.world.request("GET", path, query=query, operator=True).json

    def history(self, address: str) -> list[str]:
        return [one["event"] for one in self.of(address)["history"]]

    def link(self, address: str) -> str:
        path = f"{self.admin_path}/entries/{self.id_of(address)}/link"
        answer = self.world.request("POST", path, operator=True)
        assert answer.status == 200, answer.text
        return str(urlsplit(answer.json["url"]).fragment)

    def code(self, address: str) -> str:
        name, _, code = self.link(address).partition("=")
        assert name == "v"
        return code

    def verify(self, code: str) -> Answer:
        return self.world.request("POST", f"{self.path}/verify", body={"code": code})


ADA, BOB = "ada@example.com", "bob@example.com"
RULES = {"field": "email", "verify": "before_offer", "verify_minutes": 60}


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def guests(wire: Wire) -> Guests:
    table, clock = wire.client(new_table()), RedisClock.standing()
    guests = Guests(World.on(table, empty_redis(), wire.client, redis_clock=clock))
    assert guests.configure(identity=RULES).status == 201
    return guests


def test_a_place_is_taken_at_once_and_offered_when_it_is_verified(guests: Guests) -> None:
    guests.join(ADA)
    guests.join(BOB)
    ada = guests.of(ADA)
    assert (ada["position"], ada["ready"], ada["not_ready"]) == (1, False, ["unverified"])
    assert guests.claimed() == []
    verified = guests.verify(guests.code(BOB))
    # Ada has not verified her address, so she does not count in other people's positions.
    assert (verified.status, verified.json["position"], verified.json["ready"]) == (200, 1, True)
    path = f"{guests.path}/entries/{verified.json['entry_id']}"
    polled = guests.world.request("GET", path, token=verified.json["entry_token"])
    assert polled.json["not_ready"] is None
    assert guests.claimed(2) == [BOB]
    assert guests.history(BOB) == ["joined", "verification_asked", "verified", "offered"]


def test_a_customer_who_verifies_again_after_a_call_sees_where_to_come(guests: Guests) -> None:
    guests.join(ADA)
    code = guests.code(ADA)
    assert guests.verify(code).json["call"] is None
    (claim,) = guests.claim(call={"to": "Room 2"}).json["claims"]
    assert guests.verify(code).json["call"] == claim["call"]


def seen(answer: Answer) -> tuple[Any, ...]:
    """Return a response without its request id, which is never the same twice."""
    headers = {name: text for name, text in answer.headers.items() if "correlation" not in name}
    return answer.status, answer.text, headers


def test_every_address_gets_the_same_answer_in_the_same_time_by_the_same_calls(
    guests: Guests, wire: Wire
) -> None:
    """The response to a signup does not reveal what the service knows about the address."""

    def answered(address: str, key: str | None = None, **profile: Any) -> tuple[Any, ...]:
        wire.disarm()
        began = guests.world.clock.millis
        answer = seen(guests.join(address, key, **profile))
        return answer, guests.world.clock.millis - began, guests.world.clock.millis // 10**9

    new = answered(ADA, KEY)
    assert new[0][:2] == (202, '{"status":"check_your_inbox"}')
    calls = wire.names
    assert calls == ["PutItem", "Invoke", "TransactWriteItems"]
    known = [answered(ADA, KEY), answered(ADA, KEY, name="Ada"), answered("Ada+2@Example.com")]
    guests.verify(guests.code(ADA))
    known.append(answered(ADA))
    assert [name for name in wire.names if name != "GetItem"] == calls
    guests.world.request(
        "POST", f"{guests.admin_path}/entries/{guests.id_of(ADA)}/remove", body={}, operator=True
    )
    guests.configure(identity=RULES, rejoin="never")
    known += [answered(ADA), answered(BOB)]
    path = f"{guests.admin_path}/entries/{guests.id_of(BOB)}/remove"
    guests.world.request("POST", path, body={"ban": True}, operator=True)
    known.append(answered(BOB))
    assert {str(one) for one in known} == {str(new)}


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"capacity": 1}, "waitlist_full"),
        ({"open": False}, "waitlist_closed"),
        ({"closes_at": "2026-01-01T00:00:00Z"}, "waitlist_closed"),
        ({"opens_at": "2030-01-01T00:00:00Z"}, "not_open_yet"),
    ],
)
def test_a_list_that_takes_nobody_refuses_known_and_new_alike(
    guests: Guests, settings: dict[str, Any], code: str
) -> None:
    guests.join(ADA)
    # The function's settings may be up to 30 seconds old.
    Guests(World.on(guests.world.dynamodb, guests.world.redis)).configure(
        identity=RULES, **settings
    )
    refused = [guests.join(address) for address in (ADA, BOB)]
    assert [one.code for one in refused] == [code] * 2
    assert seen(refused[0]) == seen(refused[1])


def test_a_message_is_asked_for_once_more_at_most_so_often(guests: Guests) -> None:
    guests.join(ADA)
    asked = []
    for _ in range(16):
        guests.world.advance(MINUTE)
        guests.join(ADA)
        asked.append(guests.history(ADA).count("verification_asked"))
    # The service sends one message right after the signup, and more after 1, 3, 7 and 15 minutes.
    assert asked == [2, 2, 3, 3, 3, 3, 4, *[4] * 7, 5, 5]
    guests.verify(guests.code(ADA))
    guests.world.advance(MINUTE)
    guests.join(ADA)
    assert guests.history(ADA)[-2:] == ["verified", "link_asked"]
    assert guests.link(ADA).startswith(f"t={guests.id_of(ADA)}.")
    # The pause before the next message doubles each time, but is never longer than a day.
    for number in range(2, 14):
        guests.world.advance(24 * 60 * MINUTE)
        guests.join(ADA)
        assert guests.history(ADA).count("link_asked") == number


def test_entries_that_are_not_verified_in_time_leave_and_others_stay(guests: Guests) -> None:
    guests.join(ADA)
    guests.join(BOB)
    code = guests.code(ADA)
    guests.verify(guests.code(BOB))
    guests.world.advance(59 * MINUTE)
    guests.world.maintenance.run_all()
    assert [guests.of(one)["status"] for one in (ADA, BOB)] == ["waiting", "waiting"]
    guests.world.maintain()
    assert [guests.of(one)["status"] for one in (ADA, BOB)] == ["left", "waiting"]
    left = guests.of(ADA)["history"][-1]
    assert (left["event"], left["by"], left["reason"]) == ("left", "maintenance", "not verified")
    assert guests.stats().json["waiting"] == 1
    # The next signup gets a new deadline and new codes.
    guests.join(ADA)
    assert guests.verify(code).code == "code_refused"
    guests.world.maintain()
    assert guests.of(ADA)["not_ready"] == ["unverified"]
    assert guests.verify(guests.code(ADA)).status == 200


def test_a_stranger_who_signs_an_address_up_does_not_shut_its_person_out(guests: Guests) -> None:
    guests.configure(identity=RULES, rejoin="never")
    guests.join(ADA)
    guests.world.advance(61 * MINUTE)
    guests.world.maintain()
    assert guests.of(ADA)["status"] == "left"
    guests.join(ADA)
    assert guests.verify(guests.code(ADA)).json["status"] == "waiting"
    guests.leave(ADA)
    guests.join(ADA)
    assert guests.of(ADA)["status"] == "left"


CONSENT: dict[str, list[dict[str, Any]]] = {
    "fields": [
        {"name": "name", "label": "Name", "type": "text"},
        {"name": "terms", "label": "I agree", "type": "checkbox", "required": True},
    ]
}


def test_the_newest_signup_with_an_unverified_address_determines_the_data(guests: Guests) -> None:
    """A stranger has signed up with somebody's address. When the owner signs up, their data
    replaces the stranger's, and the place stays the same.
    """
    guests.configure(identity=RULES, page=CONSENT, segments=[["size"]], messages={"kinds": []})
    stranger = {"profile": {"email": "ADA@EXAMPLE.COM", "name": "Mallory", "terms": "I agree"}}
    owner = {"profile": {"email": ADA, "name": "Ada", "terms": "I agree"}}

    def join(body: dict[str, Any], size: str, language: str) -> Answer:
        sent = {**body, "attributes": {"size": size}}
        headers = {"accept-language": language}
        return guests.world.request("POST", f"{guests.path}/entries", body=sent, headers=headers)

    join(stranger, "s", "en")
    guests.join(BOB, terms="I agree")
    guests.configure(
        identity=RULES,
        page={"fields": [CONSENT["fields"][0], {**CONSENT["fields"][1], "version": "2"}]},
        segments=[["size"]],
        messages={"kinds": []},
    )
    # The owner signs up right after the stranger, too soon for the service to send a second link.
    assert join(owner, "l", "fr").status == 202
    ada = guests.of(ADA)
    consent = {"text": "I agree", "version": "2"}
    assert ada["profile"] == {"email": ADA, "name": "Ada", "terms": consent}
    assert (ada["attributes"], ada["position"]) == ({"size": "l"}, 1)
    record = guests.world.services.entries.get(guests.waitlist_id, guests.id_of(ADA))
    assert record is not None
    assert record.contact.language == "fr"
    assert guests.history(ADA) == ["joined", "verification_asked"]
    code = guests.code(ADA)
    assert guests.verify(code).json["position"] == 1
    # The address is already verified, so another signup changes nothing.
    guests.world.advance(MINUTE)
    assert join(stranger, "s", "en").status == 202
    assert guests.of(ADA)["profile"] == ada["profile"]
    assert guests.of(ADA)["attributes"] == {"size": "l"}
    assert guests.claimed(filter={"size": "s"}) == []
    assert guests.claimed(filter={"size": "l"}) == [ADA]


def test_the_link_goes_to_the_newest_spelling(guests: Guests) -> None:
    guests.join("A.D.A@gmail.com")
    guests.world.advance(MINUTE)
    guests.join("ada+list@gmail.com")
    assert guests.of("ada@gmail.com")["profile"] == {"email": "ada+list@gmail.com"}
    assert guests.history("ada@gmail.com") == ["joined", *["verification_asked"] * 2]


def test_an_address_in_another_spelling_may_be_reached_again(guests: Guests) -> None:
    """An email to one spelling of an address has bounced. If the customer signs up with a different
    spelling, the service sends messages again.
    """
    guests.join("A.D.A@gmail.com")
    entries, key = guests.world.services.entries, ("bakery", guests.id_of("ada@gmail.com"))
    record = entries.get(*key)
    assert record is not None
    guests.world.services.recipients.mark_unreachable(*key, record.ticket or 0)
    for spelled, is_unreachable in (("A.D.A@gmail.com", True), ("ada@gmail.com", False)):
        guests.join(spelled)
        record = entries.get(*key)
        assert record is not None
        assert record.contact.unreachable is is_unreachable, spelled


def test_data_that_new_settings_refuse_are_not_kept(guests: Guests) -> None:
    """A function with old settings in its cache accepts a signup that the new settings refuse. The
    service does not keep that signup's data.
    """
    guests.join(ADA)
    operator = Guests(World.on(guests.world.dynamodb, guests.world.redis))
    operator.configure(identity=RULES, max_guest_bytes=40)
    assert guests.join(ADA, note="x" * 40).status == 202
    assert guests.of(ADA)["profile"] == {"email": ADA}


def test_a_signup_that_is_refused_changes_no_data(guests: Guests) -> None:
    guests.join(ADA)
    guests.configure(identity=RULES, max_guest_bytes=40)
    assert guests.join(ADA, note="x" * 40).code == "invalid_request"
    guests.configure(identity=RULES, open=False)
    assert guests.join(ADA, note="x").code == "waitlist_closed"
    assert guests.of(ADA)["profile"] == {"email": ADA}


@pytest.mark.parametrize("state", ["left", "banned", "removed and unverified"])
def test_no_signup_changes_the_data_of_a_stay_that_has_ended(guests: Guests, state: str) -> None:
    guests.configure(identity=RULES, rejoin="never")
    guests.join(ADA, name="Ada")
    if state == "left":
        guests.verify(guests.code(ADA))
    path = f"{guests.admin_path}/entries/{guests.id_of(ADA)}/remove"
    body = {"ban": True} if state == "banned" else {}
    guests.world.request("POST", path, body=body, operator=True)
    guests.join(ADA, name="Mallory")
    if state == "removed and unverified":
        # A stranger may have made the removed signup, so the owner of the address can sign up
        # again.
        assert guests.of(ADA)["not_ready"] == ["unverified"]
        return
    assert guests.of(ADA)["status"] == "left"
    assert guests.of(ADA)["profile"].get("name") in ("Ada", None)


@pytest.mark.parametrize("step", range(3))
def test_a_signup_during_a_verification_does_not_change_verified_data(
    guests: Guests, wire: Wire, step: int
) -> None:
    """Once a customer has verified their address, no later signup with the same address changes
    their data.
    """
    guests.join(ADA, name="Ada")
    code = guests.code(ADA)
    seen_by_ada: list[Any] = []

    def verify() -> None:
        assert guests.verify(code).status == 200
        seen_by_ada.append(guests.of(ADA)["profile"])

    guests.world.services.waitlist_cache.look_up(guests.waitlist_id)
    wire.arm(step, before(verify))
    assert guests.join(ADA, name="Mallory").status == 202
    wire.disarm()
    assert seen_by_ada == [{"email": ADA, "name": "Ada"}]
    assert guests.of(ADA)["profile"] == seen_by_ada[0]
    guests.world.maintain()
    assert guests.of(ADA)["not_ready"] is None


@pytest.mark.parametrize("ends", ["not verified", "removed", "verified and left"])
def test_the_event_that_asks_for_verification_expires_with_its_signup(
    guests: Guests, ends: str
) -> None:
    """When a signup has ended, all its events get an expiry date, including the event that contains
    the verification deadline (promise P8).
    """
    guests.configure(identity=RULES, retention_days=1)
    guests.join(ADA)
    if ends == "removed":
        guests.remove(ADA)
    elif ends == "verified and left":
        guests.verify(guests.code(ADA))
        guests.remove(ADA)
    guests.world.advance(61 * MINUTE)
    guests.world.maintain()
    assert guests.of(ADA)["status"] == "left"
    pk = entry_pk("bakery", guests.id_of(ADA))
    items = [one for one in items_of(guests.world.dynamodb) if one["pk"]["S"] == pk]
    assert len(items) > 3
    assert [one["sk"]["S"] for one in items if "expires_at" not in one] == []


def test_a_code_is_good_for_its_stay_its_list_and_its_time_and_may_be_sent_again(
    guests: Guests,
) -> None:
    other = Guests(guests.world, "butcher")
    other.configure(identity=RULES)
    other.join(ADA)
    guests.join(ADA)
    code = guests.code(ADA)
    spoilt = [code[:-1] + ("A" if code[-1] != "A" else "B"), f"{'0' * 8}.{'A' * 80}"]
    for wrong in (other.code(ADA), *spoilt):
        assert guests.verify(wrong).code == "code_refused"
    assert guests.verify("no code").code == "invalid_request"
    first = guests.verify(code)
    assert seen(guests.verify(code)) == seen(first)
    assert guests.history(ADA).count("verified") == 1
    assert guests.claimed() == [ADA]
    assert guests.verify(code).json["status"] == "offered"
    guests.complete(ADA)
    assert guests.verify(code).json["status"] == "admitted"
    guests.world.advance(60 * MINUTE)
    assert guests.verify(code).status == 200
    # The code contains only the minute in which it was made, so it can last up to a minute longer.
    guests.world.advance(MINUTE + 1)
    assert guests.verify(code).code == "code_refused"


def test_an_operator_verifies_an_address_without_a_code(guests: Guests) -> None:
    """An operator can verify an address without a code. The request names the time of the signup,
    so it cannot verify a later signup by mistake.
    """

    def mark(**body: Any) -> Answer:
        path = f"{guests.admin_path}/entries/{guests.id_of(ADA)}/verify"
        return guests.world.request("POST", path, body=body, operator=True)

    guests.join(ADA)
    joined_at = guests.of(ADA)["joined_at"]
    marked = mark(reason="passport", joined_at=joined_at)
    assert (marked.status, marked.json["ready"], marked.json["not_ready"]) == (200, True, None)
    assert mark(joined_at=joined_at).json == marked.json
    assert guests.history(ADA) == ["joined", "verification_asked", "verified"]
    said = guests.of(ADA)["history"][-1]
    assert (said["by"].startswith("arn:aws:iam::"), said["reason"]) == (True, "passport")
    guests.world.advance(61 * MINUTE)
    guests.world.maintain()
    assert guests.claimed() == [ADA]
    guests.complete(ADA)
    assert mark(joined_at=joined_at).code == "already_admitted"

    guests.configure(identity=RULES, rejoin="always")
    guests.world.advance(MINUTE)
    guests.join(ADA)
    assert mark(joined_at=joined_at).code == "not_waiting"
    assert guests.of(ADA)["not_ready"] == ["unverified"]
    guests.leave(ADA)
    assert mark().code == "not_waiting"


def test_the_event_verification_asked_has_its_own_timestamp(guests: Guests) -> None:
    """Each of an entry's events needs its own logical timestamp, because webhooks identify events
    by their timestamps.
    """
    guests.join(ADA)
    guests.verify(guests.code(ADA))
    guests.admit_one(ADA)
    pk = entry_pk("bakery", guests.id_of(ADA))
    keys = [one["sk"]["S"] for one in items_of(guests.world.dynamodb) if one["pk"]["S"] == pk]
    stamps = [one.split("#")[1] for one in keys if one.startswith("HISTORY#")]
    assert len(stamps) == len(set(stamps)) == 4


def test_an_entry_is_verified_or_leaves_never_both(guests: Guests, wire: Wire) -> None:
    """A customer verifies the address after the deadline, while maintenance is ending the signup.
    Either the address is verified or the signup ends, but never both.
    """
    guests.join(ADA)
    guests.world.advance(59 * MINUTE)
    code = guests.code(ADA)
    guests.world.advance(3 * MINUTE)
    # Maintenance reads some shards of the index, and then the record twice. The customer verifies
    # the address before maintenance writes the record.
    first = guests.world.clock.millis // 60_000
    step = (shard_of(guests.id_of(ADA)) - first) % SHARDS + 3
    verified = []
    wire.arm(step, before(lambda: verified.append(guests.verify(code).status)))
    guests.world.maintenance.intent_finisher.finish_intents()
    assert (wire.names[step], verified) == ("UpdateItem", [200])
    assert (guests.of(ADA)["status"], guests.of(ADA)["ready"]) == ("waiting", True)


@pytest.mark.parametrize("step", range(3))
@pytest.mark.parametrize("retried", [True, False], ids=["retried", "by maintenance"])
def test_an_interrupted_signup_is_completed_or_leaves_nothing(
    guests: Guests, wire: Wire, step: int, retried: bool
) -> None:
    wire.arm(step, crash_after)
    with suppress(Crash):
        guests.join(ADA)
    wire.disarm()
    if retried:
        assert guests.join(ADA).status == 202
    guests.world.maintain()
    if guests.of(ADA).get("code") == "entry_not_found":
        assert not retried
        return
    assert guests.history(ADA) == ["joined", "verification_asked"]
    assert guests.of(ADA)["not_ready"] == ["unverified"]
    guests.world.advance(61 * MINUTE)
    guests.world.maintain()
    assert guests.of(ADA)["status"] == "left"


def rank_of_ada(guests: Guests) -> int | None:
    record = guests.world.services.entries.get(guests.waitlist_id, guests.id_of(ADA))
    return record.rank if record else None


@pytest.mark.parametrize("step", range(3))
def test_two_devices_that_sign_up_at_once_get_one_entry(
    guests: Guests, wire: Wire, step: int
) -> None:
    """Two devices sign up with two spellings of the same address at the same time, and verify it.
    There is only one entry.
    """
    answers: list[Answer] = []
    wire.arm(step, before(lambda: answers.append(guests.join("Ada+2@Example.com"))))
    answers.append(guests.join(ADA))
    wire.disarm()
    guests.join(BOB)
    assert len({str(seen(one)) for one in answers}) == 1
    # The later signup replaces the profile. The second spelling signs up before the first one at
    # step 0, and after it at all other steps.
    spelled = ADA if step == 0 else "Ada+2@Example.com"
    assert guests.of(ADA)["profile"] == {"email": spelled}
    assert guests.stats().json["waiting"] == 2
    assert guests.history(ADA).count("joined") == 1
    codes = [guests.code(ADA), guests.code(ADA)]
    rank = rank_of_ada(guests)
    verified: list[Answer] = []
    wire.arm(step, before(lambda: verified.append(guests.verify(codes[1]))))
    verified.append(guests.verify(codes[0]))
    wire.disarm()
    assert [(one.status, one.json["position"]) for one in verified] == [(200, 1)] * 2
    assert verified[0].json["entry_token"] == verified[1].json["entry_token"]
    assert guests.history(ADA).count("verified") == 1
    guests.world.maintain()
    assert (rank_of_ada(guests), guests.of(ADA)["ready"]) == (rank, True)
    assert guests.stats().json["waiting"] == 2


def test_a_link_is_asked_for_by_the_address_and_the_answer_says_nothing(
    guests: Guests, wire: Wire
) -> None:
    """Customers who have lost their link can ask for a new one, even if the waitlist does not
    verify addresses.
    """
    guests.configure(identity={**RULES, "verify": "off"})
    guests.join(ADA)
    guests.world.advance(MINUTE)
    answers, calls = [], []
    for address in ("Ada+phone@Example.com", BOB, ADA):
        wire.disarm()
        began = guests.world.clock.millis
        body = {"email": address}
        answers.append(seen(guests.world.request("POST", f"{guests.path}/links", body=body)))
        calls.append((wire.names, guests.world.clock.millis - began))
    assert answers[0][:2] == (202, '{"status":"check_your_inbox"}')
    assert (answers, calls) == ([answers[0]] * 3, [calls[0]] * 3)
    assert guests.history(ADA) == ["joined", "link_asked"]
    assert guests.of(BOB)["code"] == "entry_not_found"


def test_a_rebuild_knows_who_is_not_verified(guests: Guests) -> None:
    guests.join(ADA)
    guests.join(BOB)
    guests.verify(guests.code(BOB))
    guests.world.redis.flushall()
    guests.world.maintain()
    assert guests.of(ADA)["not_ready"] == ["unverified"]
    assert guests.claimed(2) == [BOB]


def test_the_local_mailbox_has_the_links_of_a_list_that_verifies(guests: Guests) -> None:
    table = Table(guests.world.dynamodb, TABLE)
    mailbox = Mailbox(
        table, EntryTokens(SECRET), "http://127.0.0.1:8080", guests.world.clock.now_millis
    )

    def read(path: str = f"{PATH}.json", host: str = "127.0.0.1:8080") -> Any:
        response = mailbox(HttpRequest("GET", path, (("host", host),)))
        return response.body.decode() if response.status == 200 else response.status

    guests.configure(name="<b>Bread</b>", identity=RULES)
    guests.join(f" {ADA}")
    (mail,) = json.loads(read())["messages"]
    assert (mail["channel"], mail["kind"], mail["to"]) == ("mail", "verify", ADA)
    code = mail["text"].partition("#v=")[2].strip()
    assert guests.verify(code).status == 200
    guests.world.advance(MINUTE)
    guests.join(ADA)
    assert [one["kind"] for one in json.loads(read())["messages"]] == ["verify", "link"]
    assert "<b>Bread" not in read(PATH)
    assert read(host="evil.example.com") == 403
    guests.join(ADA)
    guests.leave(ADA)
    assert len(json.loads(read())["messages"]) == 2, "the stay has ended before the third"


def test_a_list_is_deleted_with_those_who_are_not_verified(guests: Guests) -> None:
    guests.join(ADA)
    guests.world.request("DELETE", guests.admin_path, operator=True)
    guests.world.maintain()
    guests.world.maintain()
    assert not [
        one for one in guests.world.dynamodb.scan(TableName=TABLE)["Items"] if "place" in one
    ]


def test_people_who_are_not_verified_or_are_asked_are_listed_and_counted(guests: Guests) -> None:
    def listed(query: str) -> tuple[list[str], str | None]:
        answer = guests.page(query)
        assert answer.status == 200, answer.text
        names = [guests.names[one["entry_id"]] for one in answer.json["entries"]]
        return names, answer.json["cursor"]

    names = [f"guest-{one}@example.com" for one in range(5)]
    for one in names:
        guests.join(one)
        guests.id_of(one)
    for one in (names[1], names[3]):
        guests.verify(guests.code(one))
    unverified = [names[0], names[2], names[4]]
    assert listed("only=unverified") == (unverified, None)
    first, cursor = listed("only=unverified&limit=2")
    assert (first, listed(f"only=unverified&cursor={cursor}")) == (
        unverified[:2],
        ([names[4]], None),
    )
    assert listed("only=unverified&ready=true") == ([], None)
    assert listed("only=asked") == ([], None)
    guests.configure(identity=RULES, confirm={"every_days": 30})
    assert guests.ask_all().json["asked"] == 2
    assert listed("only=asked") == ([names[1], names[3]], None)
    stats = guests.stats().json
    assert (stats["unverified"], stats["asked"]) == (3, 2)
    # Losing Redis does not change these counts.
    guests.world.redis.flushall()
    guests.world.maintain()
    stats = guests.stats().json
    assert (stats["not_ready"], stats["unverified"], stats["asked"]) == (3, 3, 2)
    guests.hold_back(names[3])
    assert listed("only=asked&ready=true") == ([names[1]], None)
    refused = guests.page("status=parked&only=asked")
    assert [one["field"] for one in refused.json["errors"]] == ["query.only"]


def test_a_page_with_a_filter_reads_at_most_a_thousand_entries(
    guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "LOOKED_AT", 100)
    guests.bring(*({"profile": {"email": f"{one}@example.com"}} for one in range(101)))
    first = guests.page("only=asked").json
    assert (first["entries"], first["cursor"] is None) == ([], False)
    rest = guests.page(f"only=asked&cursor={first['cursor']}").json
    assert rest == {"entries": [], "cursor": None}
