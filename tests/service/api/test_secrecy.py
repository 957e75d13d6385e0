"""Tests that strangers who know an email address cannot find out whether its owner is on the
waitlist.

The service sends the same response and makes the same calls to AWS and Redis whether it knows the
address or not. `make bench` measures whether both cases take the same time.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.test_verification import ADA, BOB, RULES, Guests, seen
from tests.support.admissions import Admissions
from tests.support.faults import Wire
from tests.support.gateway import Answer
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import SECRET, RedisClock, World
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.clock import iso
from waitlist_queue.scripts import FOLDER, script_named

STRANGER = "nobody@example.com"
FORM = {
    "fields": [
        {"name": "email", "label": "Mail", "type": "email", "required": True},
        {"name": "size", "label": "Size", "type": "select", "options": ["s", "l"]},
    ]
}
NEW = ["PutItem", "Invoke", "TransactWriteItems"]
Seen = tuple[Any, ...]


class Watched(Guests):
    """Guests whose requests are observed.

    The tests compare the responses and the calls to AWS and Redis.
    """

    wire: Wire

    @classmethod
    def on(cls, **settings: Any) -> "Watched":
        wire = Wire()
        table, clock = wire.client(new_table()), RedisClock.standing()
        guests = cls(World.on(table, empty_redis(), wire.client, redis_clock=clock))
        guests.wire = wire
        # If Redis does not have a script yet, the first request that needs it makes one extra call.
        for path in FOLDER.glob("*.lua"):
            guests.world.redis.script_load(script_named(path.stem).source)
        assert guests.configure(**{"identity": RULES, **settings}).status == 201
        return guests

    def ask(self, request: Callable[..., Answer], *sent: str) -> tuple[Seen, list[str], int]:
        """Return the response, the calls to AWS, and how many times a Lua script was called by its
        hash.
        """
        # Load the settings into the cache first, so that no observed request has to read them.
        self.world.services.waitlist_cache.look_up(self.waitlist_id)
        self.wire.disarm()
        before = self._scripts()
        answer = seen(request(*sent))
        return answer, self.wire.names, self._scripts() - before

    def _scripts(self) -> int:
        return int(self.world.redis.info("commandstats")["cmdstat_evalsha"]["calls"])

    def links(self, address: str) -> Answer:
        body = {"email": address}
        return self.world.request("POST", f"{self.path}/links", body=body)

    def change(self, address: str, new: str) -> Answer:
        key = (self.waitlist_id, self.id_of(address))
        record = self.world.services.entries.get(*key)
        assert record is not None
        token = EntryTokens(SECRET).issue(*key, record.ticket or 0)
        path, body = f"{self.path}/entries/{key[1]}", {"profile": {"email": new}}
        return self.world.request("PATCH", path, body=body, token=token)

    def move(self, address: str, new: str) -> None:
        assert self.change(address, new).status == 202
        path = f"{self.admin_path}/entries/{self.id_of(address)}/link"
        link = self.world.request("POST", path, operator=True).json["new_address"]["url"]
        assert self.verify(link.partition("#v=")[2]).status == 200

    def remove(self, name: str, key: str | None = None, **body: Any) -> Answer:
        path = f"{self.admin_path}/entries/{self.id_of(name)}/remove"
        return self.world.request("POST", path, body=body, operator=True)


@pytest.fixture
def guests() -> Watched:
    return Watched.on()


def test_no_state_of_an_address_is_seen_by_signup_or_links() -> None:
    guests = Watched.on(rejoin="never", admission={"pass_seconds": 60})
    states = ("unverified", "verified", "offered", "parked", "admitted", "left", "banned", "erased")
    address = {state: f"{state}@example.com" for state in states}
    for state in states:
        guests.join(address[state])
        if state in ("offered", "parked", "admitted"):
            guests.verify(guests.code(address[state]))
            assert guests.claimed() == [address[state]]
    for state in ("verified", "left"):
        guests.verify(guests.code(address[state]))
    guests.park(address["parked"])
    guests.complete(address["admitted"])
    guests.remove(address["left"])
    guests.remove(address["banned"], ban=True)
    path = f"{guests.admin_path}/entries/{guests.id_of(address['erased'])}"
    assert guests.world.request("DELETE", path, operator=True).status == 204
    # For a minute after an erasure, the service keeps a record without personal data.
    guests.world.maintain()
    link = guests.ask(guests.links, STRANGER)
    assert link[0][:2] == (202, '{"status":"check_your_inbox"}')
    for state in states:
        assert guests.ask(guests.links, address[state]) == link, state
    new = guests.ask(guests.join, STRANGER)
    assert new[1:] == (NEW, 1)
    for state in states:
        assert guests.ask(guests.join, address[state]) == new, state


def test_known_and_unknown_addresses_cause_the_same_calls(guests: Watched) -> None:
    """The requests run in random order, so that differences between known and new addresses cannot
    come from earlier requests.
    """
    chance = random.Random(33)
    known = [f"known-{one}@example.com" for one in range(20)]
    for one in known:
        guests.join(one)
        if chance.random() < 0.5:
            guests.verify(guests.code(one))
    addresses = [*known, *(f"new-{one}@example.com" for one in range(20))]
    chance.shuffle(addresses)
    work = [guests.ask(guests.join, one) for one in addresses]
    assert work == [work[0]] * len(work)
    assert work[0][1:] == (NEW, 1)


def test_a_strangers_own_positions_do_not_show_whether_an_address_was_new() -> None:
    """A stranger watches two places of their own, the public total and the public board. None of
    these shows whether an address that signs up was new.
    """
    guests = Watched.on(segments=[["size"]], page=FORM)

    def sign_up_and_verify(address: str) -> tuple[str, str]:
        attributes = {"size": "s"}
        body = {"profile": {"email": address}, "attributes": attributes}
        guests.world.request("POST", f"{guests.path}/entries", body=body)
        entry = guests.verify(guests.code(address)).json
        return f"{guests.path}/entries/{entry['entry_id']}", entry["entry_token"]

    def join(address: str) -> None:
        body = {"profile": {"email": address}, "attributes": {"size": "s"}}
        assert guests.world.request("POST", f"{guests.path}/entries", body=body).status == 202

    def shown() -> list[Any]:
        guests.world.advance(6)
        looks = [
            guests.world.request("GET", path, query="segment=size", token=token).json
            for path, token in places
        ]
        public = [guests.world.request("GET", guests.path).json["total"]]
        board = guests.world.request("GET", f"{guests.path}/board").json
        return [*looks, *public, board["total"], board["cuts"]]

    places = [sign_up_and_verify("before@example.com")]
    join(ADA)
    places.append(sign_up_and_verify("behind@example.com"))
    seen_before = shown()
    assert [one["position"] for one in seen_before[:2]] == [1, 2]
    assert [one["segments"][0]["position"] for one in seen_before[:2]] == [1, 2]
    for address in (ADA, STRANGER):
        join(address)
        assert shown() == seen_before, address
    places.append(sign_up_and_verify("last@example.com"))
    assert shown()[2]["position"] == 3


def test_with_hidden_counts_no_public_answer_shows_a_signup() -> None:
    """If the number of people were visible, a stranger could sign up with somebody's address and
    see whether the number grows.
    """
    guests = Watched.on(hide_counts=True, admission={"rate": {"count": 1, "per": "minute"}})
    for one in (ADA, BOB):
        guests.join(one)
    guests.verify(guests.code(BOB))
    guests.world.maintain()

    def public() -> list[Seen]:
        paths = (guests.path, f"{guests.path}/board")
        return [seen(guests.world.request("GET", path)) for path in paths]

    before = public()
    assert '"total":null' in before[0][1]
    assert '"estimated_wait":{' in before[0][1]
    assert before[1][0] == 404
    for one in (ADA, STRANGER):
        guests.join(one)
        assert public() == before, one


def test_with_hidden_counts_no_answer_to_a_customer_has_a_total() -> None:
    """Each request that returns a position is sent twice, because the second response may
    differ.
    """
    people = Admissions(World.on(new_table(), empty_redis(), redis_clock=RedisClock.standing()))
    people.configure(
        hide_counts=True,
        admission={},
        rest={"max_days": 1, "times": 5},
        segments=[["size"]],
        confirm={"every_days": 30},
    )
    people.all_sign_up("bob")
    answers = [people.sign_up("ada", key="k", attributes={"size": "s"}) for _ in range(2)]
    token, path = people.token_of("ada"), f"{people.path}/entries/{people.id_of('ada')}"

    def send(method: str, verb: str = "", body: Any = None, query: str = "") -> Answer:
        answer = people.world.request(
            method, f"{path}{verb}", body=body, query=query, token=token, key="k" * 16
        )
        assert answer.status == 200, answer.text
        return answer

    answers += [send("GET"), send("GET", query="segment=size")]
    until = iso(people.world.clock.millis + 3_600_000)
    answers += [send("POST", "/rest", {"until": until}) for _ in range(2)]
    answers += [send("POST", "/resume", {"rest_until": until}) for _ in range(2)]
    answers.append(send("POST", "/confirm"))
    people.admit(2)
    offered_until = send("GET").json["offered_until"]
    decline = {"to": "back", "offered_until": offered_until}
    answers += [send("POST", "/decline", decline) for _ in range(2)]
    people.world.maintain()
    answers.append(send("POST", "/decline", decline))
    shown = [one.json for one in answers]
    assert all(one["position"] is not None for one in shown)
    assert [one["total"] for one in shown] == [None] * len(shown)
    assert all(each["total"] is None for one in shown for each in one.get("segments") or ())


@pytest.mark.parametrize(
    ("settings", "body"),
    [
        ({}, {"profile": {"email": "ada at example.com"}}),
        ({"page": FORM}, {"profile": {"phone": "1"}}),
        ({"page": FORM}, {"attributes": {"size": "xl"}}),
        ({"max_guest_bytes": 40}, {"profile": {"note": "x" * 40}}),
        ({"identity": {**RULES, "blocked_domains": ["example.com"]}}, {}),
        ({"capacity": 1}, {}),
        ({"open": False}, {}),
        ({"closes_at": "2026-01-01T00:00:00Z"}, {}),
        ({"opens_at": "2030-01-01T00:00:00Z"}, {}),
    ],
)
def test_a_refusal_says_the_same_by_the_same_calls(
    guests: Watched, settings: dict[str, Any], body: dict[str, Any]
) -> None:
    def join(address: str) -> Answer:
        profile = {"email": address, **body.get("profile", {})}
        sent = {**body, "profile": profile}
        return guests.world.request("POST", f"{guests.path}/entries", body=sent)

    guests.join(ADA)
    guests.configure(**{"identity": RULES, **settings})
    refused = [guests.ask(join, one) for one in (ADA, BOB)]
    assert refused[0] == refused[1]
    assert refused[0][0][0] >= 400


def test_a_change_of_rejoin_counts_at_once_for_who_left(guests: Watched) -> None:
    """A change to `rejoin` applies at once to customers who have left, even if a function has the
    old settings in its cache.
    """
    guests.configure(identity=RULES, rejoin="never")
    guests.join(ADA)
    guests.leave(ADA)
    operator = Watched(World.on(guests.world.dynamodb, guests.world.redis))
    operator.configure(identity=RULES, rejoin="after_leaving")
    assert guests.join(ADA).status == 202
    assert guests.of(ADA)["status"] == "waiting"


def test_all_invalid_codes_get_the_same_response(guests: Watched) -> None:
    """All invalid codes get the same response, which does not say why a code is invalid."""
    other = Guests(guests.world, "butcher")
    other.configure(identity=RULES)
    other.join(ADA)
    for one in (ADA, BOB):
        guests.join(one)
    codes = [guests.code(ADA), guests.code(BOB), other.code(ADA)]
    made_up = [code[:-4] + "AAAA" for code in codes]
    for one in made_up:
        answer, calls, scripts = guests.ask(guests.verify, one)
        assert (answer[0], calls, scripts) == (403, [], 0)
    guests.leave(ADA)
    path = f"{guests.admin_path}/entries/{guests.id_of(BOB)}"
    assert guests.world.request("DELETE", path, operator=True).status == 204
    guests.join("old@example.com")
    codes.append(guests.code("old@example.com"))
    guests.world.advance(62 * 60)
    answers = {str(seen(guests.verify(one))) for one in [*codes, *made_up]}
    assert len(answers) == 1
    assert "code_refused" in answers.pop()


def test_only_operators_find_people(guests: Watched) -> None:
    guests.join(ADA)
    path = f"{guests.admin_path}/find"

    def find(address: str) -> Answer:
        return guests.world.request("POST", path, body={"email": address})

    asked = [guests.ask(find, one) for one in (ADA, STRANGER)]
    assert asked == [asked[0]] * 2
    assert (asked[0][0][0], asked[0][1:]) == (401, ([], 0))


@pytest.mark.parametrize("verify", ["off", "before_offer"])
def test_entering_an_address_does_not_reveal_whether_it_is_known(verify: str) -> None:
    """A customer enters somebody else's address. The response and the calls to AWS are the same,
    whatever that person has done on the waitlist.
    """
    guests = Watched.on(identity={**RULES, "verify": verify})
    states = ("admitted", "waiting", "left", "banned", "erased", "moved")
    address = {state: f"{state}@example.com" for state in states}
    for one in (*address.values(), ADA):
        guests.join(one)
        guests.id_of(one)
    if verify != "off":
        guests.verify(guests.code(address["admitted"]))
    assert guests.claimed() == [address["admitted"]]
    guests.complete(address["admitted"])
    guests.remove(address["left"])
    guests.remove(address["banned"], ban=True)
    path = f"{guests.admin_path}/entries/{guests.id_of(address['erased'])}"
    assert guests.world.request("DELETE", path, operator=True).status == 204
    address["moved to"] = BOB
    guests.move(address["moved"], BOB)

    def change(new: str) -> Answer:
        return guests.change(ADA, new)

    unknown = guests.ask(change, STRANGER)
    assert unknown[0][0] == 202
    assert STRANGER not in str(unknown)
    for state, one in address.items():
        # A customer may enter only a limited number of new addresses per day.
        guests.world.advance(24 * 3600)
        assert guests.ask(change, one) == unknown, state


def test_a_changed_address_costs_one_more_read(guests: Watched) -> None:
    """Signing up with an address that somebody else has changed to takes one more read from
    DynamoDB than signing up with an unknown address. The responses are the same.
    """
    guests.join(ADA)
    guests.verify(guests.code(ADA))
    guests.move(ADA, BOB)
    for request, read_at in ((guests.join, 1), (guests.links, 1)):
        new, calls, scripts = guests.ask(request, STRANGER)
        calls.insert(read_at, "GetItem")
        assert guests.ask(request, BOB) == (new, calls, scripts)
        guests.remove(STRANGER)


def test_errors_of_an_import_name_no_address(guests: Watched) -> None:
    guests.join(BOB)
    path = f"{guests.admin_path}/import"
    refused = []
    for one in (BOB, STRANGER):
        rows = [
            {"profile": {"email": one}, "priority": 1000},
            {"profile": {"email": one, "a": "x" * 40_000}},
            {"profile": {"email": f"{one} or so"}},
            {"profile": {"email": one}, "joined_at": one},
        ]
        answer = guests.world.request("POST", path, body={"entries": rows}, operator=True)
        assert one not in answer.text
        refused.append(answer.json["results"])
    assert [one["outcome"] for one in refused[0]] == ["refused"] * 4
    assert refused[0] == refused[1]
