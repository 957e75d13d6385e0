"""Tests guests who are identified by an email address or a phone number.

Each person has at most one place, however they spell the address.
"""

import base64
import hmac
import re
from typing import Any

import pytest

from tests.service.api.conftest import new_list
from tests.service.api.refusing import nothing_changes
from tests.service.api.test_guest_data import refused
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.world import SECRET, World
from waitlist_api.auth.credentials import EntryTokens
from waitlist_shared.ids import entry_id_of

KEY = "one-signup-of-ada"
MAILS = (
    "ada@bücher.example",
    "  ADA@BÜCHER.example\t",
    "Ada@xn--bcher-kva.example",
    "ada@bu\u0308cher.example",
    "ada@\uff42ücher\u3002EXAMPLE",
    '"ada"@bücher.example',
    "ada+news@bücher.example",
    "ada+@bücher.example",
)
OTHER_MAILS = (
    "ada@bücher.example.com",
    "a.da@bücher.example",
    "ad\u0430@bücher.example",
    "ada@bucher.example",
    "ada-news@bücher.example",
    "+ada@bücher.example",
    "adá@bücher.example",
    "ada@straße.example",
    "ada@strasse.example",
)
NO_MAILS: tuple[Any, ...] = (
    None,
    "",
    7,
    ["ada@example.com"],
    "ada",
    "ada@",
    "Ada <ada@example.com>",
    "ada@example.com, bob@example.com",
    "ada@localhost",
    "ada@[127.0.0.1]",
    '"a b"@example.com',
    "ada\x00@example.com",
    "a" * 400 + "@example.com",
)
ARABIC_DIGITS = {ord("0") + one: 0x660 + one for one in range(10)}
NUMBERS = (
    "+49 151 23456789",
    "tel:+49-151-23456789",
    "0049 (0)151 / 234 567 89",
    "+49.151.23456789",
    "+" + "49 151 23456789".translate(ARABIC_DIGITS),
    "\uff0b4915123456789",
)
OTHER_NUMBERS = (
    "+49 151 23456788",
    "+49 1512 3456789 0",
    "+48 151 234 567",
    "+39 06 698 11",
    "+39 6 698 11",
)
NO_NUMBERS = (
    "0151 23456789",
    "151",
    "+49",
    "+49 151 23456789 x5",
    "+1 800 FLOWERS",
    "+1 5550100",
    None,
)


@pytest.fixture(scope="module")
def by_mail() -> People:
    return new_list(identity={"field": "email"})


@pytest.fixture(scope="module")
def by_phone() -> People:
    return new_list(identity={"field": "phone"})


def join(people: People, address: Any, key: str | None = None, body: Any = None) -> Answer:
    identity = people.world.services.waitlist_cache.find(people.waitlist_id).settings.identity
    assert identity is not None
    body = body or {"profile": {identity.field: address}}
    return people.world.request("POST", f"{people.path}/entries", body=body, key=key)


def test_a_person_is_one_entry_with_the_address_as_it_was_typed(by_mail: People) -> None:
    first = join(by_mail, " Bob@Example.COM ", key=KEY)
    assert first.status == 201
    entry = by_mail.world.request(
        "GET", f"{by_mail.admin_path}/entries/{first.json['entry_id']}", operator=True
    ).json
    assert entry["profile"] == {"email": " Bob@Example.COM "}
    assert entry["customer_id"].startswith("email-")
    assert entry["entry_id"] == entry_id_of("bakery", entry["customer_id"])
    token = first.json["entry_token"]
    path = f"{by_mail.path}/entries/{first.json['entry_id']}"
    assert by_mail.world.request("GET", path, token=token).json["status"] == "waiting"


def test_a_second_signup_gets_no_token_but_its_own_repeat_does(by_mail: People) -> None:
    first = join(by_mail, "cyd@example.com", key=KEY)
    again = join(by_mail, "cyd@example.com", key=KEY)
    assert (again.status, again.json["entry_token"]) == (200, first.json["entry_token"])
    for key in (None, "another-key-of-cyd"):
        second = join(by_mail, "CYD@example.com", key=key)
        assert (second.status, second.json["code"]) == (409, "already_on_list")
        assert "entry_token" not in second.json
    way, field = re.findall(r'POST (\S+) with \{"(\w+)": …\}', second.json["detail"])[0]
    by_mail.world.advance(60)
    assert by_mail.world.request("POST", way, body={field: "CYD@example.com"}).status == 202
    path = f"{by_mail.admin_path}/entries/{first.json['entry_id']}"
    history = by_mail.world.request("GET", path, operator=True).json["history"]
    assert [one["event"] for one in history] == ["joined", "link_asked"]
    reused = join(by_mail, "CYD@example.com", key=KEY)
    assert (reused.status, reused.json["code"]) == (422, "idempotency_key_reused")


@pytest.mark.parametrize("address", ["ada+\u00f6@example.com", "ad\u0430@bücher.example"])
def test_an_address_that_takes_no_mail_is_refused_where_mail_is_needed(address: str) -> None:
    """Amazon SES requires ASCII before the `@` of an address, but the domain may contain any
    letters.
    """
    people = new_list(identity={"field": "email", "verify": "before_offer"})
    (message,) = refused(join(people, address)).values()
    assert "ASCII" in message
    assert people.stats().json["waiting"] == 0
    assert join(people, "ada@bücher.example").status == 202
    rows: Any = [{"profile": {"email": address}}]
    assert people.bring(*rows).json["joined"] == 1
    # SES cannot send to these addresses. A waitlist that does not verify addresses accepts them in
    # signups, but not when somebody changes their address.
    people.configure(identity={"field": "email"})
    known = join(people, "Bob@example.com").json
    path, token = f"{people.path}/entries/{known['entry_id']}", known["entry_token"]
    body = {"profile": {"email": f"bob-{address}"}}
    changed = people.world.request("PATCH", path, body=body, token=token)
    assert refused(changed) == {"body.profile.email": message}
    named = join(people, f"cyd-{address}").json
    path, token = f"{people.path}/entries/{named['entry_id']}", named["entry_token"]
    body = {"profile": {"email": f"CYD-{address}"}}
    assert people.world.request("PATCH", path, body=body, token=token).status == 200


@pytest.mark.parametrize(
    ("field", "same", "others", "none"),
    [
        ("email", MAILS, OTHER_MAILS, NO_MAILS),
        ("phone", NUMBERS, OTHER_NUMBERS, NO_NUMBERS),
    ],
)
def test_every_spelling_is_one_person_and_a_near_miss_another(
    field: str, same: tuple[str, ...], others: tuple[str, ...], none: tuple[Any, ...]
) -> None:
    people = new_list(identity={"field": field})
    assert [join(people, one).status for one in same] == [201] + [409] * (len(same) - 1)
    assert [join(people, one).status for one in others] == [201] * len(others)
    refusals = [refused(join(people, one)) for one in none]
    assert all(one == refusals[0] for one in refusals), "it says what is meant, not what was sent"
    assert list(refusals[0]) == [f"body.profile.{field}"]
    assert people.stats().json["waiting"] == 1 + len(others)


def test_plus_and_the_dots_of_gmail_are_a_setting() -> None:
    same, different = (
        new_list(identity={"field": "email", "plus_addresses": one})
        for one in ("same", "different")
    )
    for spelling in ("ada.l+a@gmail.com", "adal@gmail.com", "ada.l@googlemail.com"):
        join(same, spelling)
        join(different, spelling)
    assert same.stats().json["waiting"] == 1
    assert different.stats().json["waiting"] == 3


def test_a_list_of_a_region_takes_its_numbers_without_the_country() -> None:
    people = new_list(identity={"field": "phone", "region": "DE"})
    answers = [
        join(people, one).status for one in ("0151 23456789", "+4915123456789", "+33 6 12345678")
    ]
    assert answers == [201, 409, 201]
    refusal = refused(people.configure(identity={"field": "phone", "region": "ZZ"}))
    assert "country" in refusal["body.identity.region"]


def test_blocked_domains_and_those_below_them_are_refused() -> None:
    people = new_list(identity={"field": "email", "blocked_domains": ["trash.example"]})
    for address in ("a@TRASH.example", "a@in.trash.example"):
        assert "domain" in refused(join(people, address))["body.profile.email"]
    assert join(people, "a@nottrash.example").status == 201


def test_an_earlier_signup_is_repeated_also_when_its_domain_is_blocked_since() -> None:
    people = new_list(identity={"field": "email"})
    join(people, "ada@trash.example", key=KEY)
    people.configure(identity={"field": "email", "blocked_domains": ["trash.example"]})
    assert join(people, "ada@trash.example", key=KEY).status == 200


def test_the_api_requires_what_the_form_requires() -> None:
    fields = [
        {"name": "email", "label": "Email", "type": "email", "required": True},
        {"name": "city", "label": "City", "kept_in": "attributes", "required": True},
        {"name": "name", "label": "Name", "required": True},
    ]
    people = new_list(identity={"field": "email"}, page={"fields": fields})
    profile = {"email": "ada@example.com", "name": "  "}
    lacking = join(people, "ada@example.com", body={"profile": profile})
    assert list(refused(lacking)) == ["body.attributes.city", "body.profile.name"]
    whole = {"profile": {"email": "ada@example.com", "name": "Ada"}, "attributes": {"city": "Nord"}}
    assert join(people, "ada@example.com", body=whole).status == 201


def test_a_form_without_the_address_takes_it_all_the_same() -> None:
    people = new_list(
        identity={"field": "email"}, page={"fields": [{"name": "name", "label": "Name"}]}
    )
    assert join(people, "ada@example.com").status == 201
    wrong = [{"name": "email", "label": "Email", "type": "email", "kept_in": "attributes"}]
    answer = people.configure(identity={"field": "email"}, page={"fields": wrong})
    assert answer.status == 422


def test_a_guest_states_an_id_or_an_address_never_both(by_mail: People, people: People) -> None:
    assert list(refused(by_mail.sign_up("ada", profile={"email": "ada@example.com"}))) == [
        "body.customer_id"
    ]
    body = {"profile": {"email": "ada@example.com"}}
    answer = people.world.request("POST", f"{people.path}/entries", body=body)
    assert refused(answer) == {"body.customer_id": "is required"}


def test_an_operators_change_counts_at_once_for_a_signup_that_needs_it(people: People) -> None:
    """A function's settings may be up to 30 seconds old."""
    people.sign_up("ada")
    other = World.on(people.world.dynamodb, people.world.redis)
    People(other).configure(identity={"field": "email"})
    body = {"profile": {"email": "ada@example.com"}}
    assert people.world.request("POST", f"{people.path}/entries", body=body).status == 201


def test_each_list_has_other_digests_and_an_erased_address_the_same_again() -> None:
    """The service stores a digest of each address. Without the service's secret, nobody can work
    out which address a digest belongs to (promise P8).
    """
    people = new_list(identity={"field": "email"})
    first = join(people, "ada@example.com").json["entry_id"]
    elsewhere = People(people.world, "butcher")
    elsewhere.configure(identity={"field": "email"})
    tokens = EntryTokens(SECRET)
    assert tokens.identity_key("bakery") != tokens.identity_key("butcher")
    mac = hmac.digest(tokens.identity_key("bakery"), b"email\0ada@example.com", "sha256")
    digest = base64.b32encode(mac).decode().lower()[:32]
    assert first == entry_id_of("bakery", f"email-{digest}")
    assert join(elsewhere, "ada@example.com").json["entry_id"] != first
    path = f"{people.admin_path}/entries/{first}"
    assert people.world.request("DELETE", path, operator=True).status == 204
    people.world.maintain()
    assert join(people, "ada@example.com").json["entry_id"] == first


def test_an_operator_finds_a_person_by_any_spelling(people: People) -> None:
    def find(**address: Any) -> Answer:
        path = f"{people.admin_path}/find"
        return people.world.request("POST", path, body=address, operator=True)

    assert "identity" in refused(find(email="ada@example.com"))["body.email"]
    people.configure(identity={"field": "email"})
    entry_id = join(people, "Ada@Example.com").json["entry_id"]
    found = find(email=" ada+x@example.com ").json
    assert (found["entry_id"], found["profile"]) == (entry_id, {"email": "Ada@Example.com"})
    assert find(email="bob@example.com").code == "entry_not_found"
    for wrong in ({"email": "ada"}, {"phone": "+4930901820"}, {}):
        assert list(refused(find(**wrong))) == ["body.email"]


def test_a_ban_holds_for_every_spelling() -> None:
    people = new_list(identity={"field": "email"})
    entry_id = join(people, "ada@example.com").json["entry_id"]
    path = f"{people.admin_path}/entries/{entry_id}/remove"
    people.world.request("POST", path, body={"ban": True}, operator=True)
    answer = join(people, "Ada+again@example.com")
    assert (answer.status, answer.json["code"]) == (403, "banned")


def test_anyone_sees_which_field_a_signup_needs(by_phone: People) -> None:
    shown = by_phone.world.request("GET", by_phone.path).json["identity"]
    assert shown == {"field": "phone", "verify": "off"}
    settings = {"field": "phone", "verify": "off", "verify_minutes": 1440, "plus_addresses": "same"}
    kept = by_phone.world.request("GET", by_phone.admin_path, operator=True).json["identity"]
    assert kept == {**settings, "region": None, "blocked_domains": []}


def test_rows_of_an_import_are_the_people_of_their_addresses(by_mail: People) -> None:
    """A dry run of an import changes nothing. For each row, the real import returns a link that
    opens that person's place in the queue.
    """
    signed_up = join(by_mail, "gus@example.org").json
    rows = [
        {"profile": {"email": " Gus@Example.ORG "}},
        {"profile": {"email": "eve@example.org"}},
        {"profile": {"email": "Eve+x@Example.org"}},
        {"profile": {"email": "nobody"}},
        {"customer_id": "no-address"},
        {},
    ]
    path, body = f"{by_mail.admin_path}/import/tokens", {"entries": rows}
    with nothing_changes(by_mail.world):
        asked: Any = {**body, "dry_run": True}
        tried = by_mail.world.request("POST", path, body=asked, operator=True)
    outcomes = ["already", "joined", "already", "refused", "joined", "refused"]
    assert [one["outcome"] for one in tried.json["results"]] == outcomes
    imported = by_mail.world.request("POST", path, body=body, operator=True).json["results"]
    assert [one["outcome"] for one in imported] == outcomes
    ids = [one["entry_id"] for one in imported]
    assert ids == [one["entry_id"] for one in tried.json["results"]]
    assert (ids[0], ids[1]) == (signed_up["entry_id"], ids[2])
    assert imported[0]["warning"] == "signed_up_by_guest"
    assert "nobody" not in tried.text.replace("no-address", "")
    fields = [one["errors"][0]["field"] for one in imported if one["errors"]]
    assert fields == ["body.profile.email"] * 2
    eve = imported[1]
    fragment = eve["link"].partition("#t=")[2]
    assert fragment == f"{eve['entry_id']}.{eve['entry_token']}"
    assert eve["link"].startswith("https://api.example.com/w/bakery#t=")
    assert {one["link"] for one in tried.json["results"]} == {None}
    assert join(by_mail, "eve@example.org").code == "already_on_list"


def test_a_row_says_if_its_customer_id_is_not_the_person_of_its_address(by_mail: People) -> None:
    """An import warns if a row's customer id does not belong to the row's address. Otherwise the
    owner of the address could end up with a second place unnoticed.
    """
    path = f"{by_mail.admin_path}/import"
    address = {"email": "zoe@example.org"}
    rows: Any = [
        {"customer_id": "zoe", "profile": address},
        {"customer_id": "walk-in", "profile": {"name": "Zed"}},
    ]
    body: Any = {"entries": rows}
    results = by_mail.world.request("POST", path, body=body, operator=True).json
    assert [one["warning"] for one in results["results"]] == ["another_address", None]
    assert (results["joined"], results["warnings"]) == (2, 1)
    by_address: Any = {"entries": [{"profile": {"email": "yan@example.org"}}]}
    by_mail.world.request("POST", path, body=by_address, operator=True)
    listed = by_mail.page("status=waiting").json["entries"]
    same: Any = {
        "entries": [
            {"customer_id": listed[-1]["customer_id"], "profile": {"email": "YAN@example.org"}}
        ]
    }
    again = by_mail.world.request("POST", path, body=same, operator=True).json["results"][0]
    assert (again["outcome"], again["warning"]) == ("already", None)
