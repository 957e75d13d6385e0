"""A waitlist can be exported and then imported.

The report says which data the import leaves out.
"""

import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.plain_http import plain_client
from tests.unit.cli.conftest import Bakery, new_bakery
from tests.unit.cli.typed import Typed
from waitlist_api.http.schemas.admin_entries import AdminEntryAnswer
from waitlist_cli.client.ranks import rank_of
from waitlist_cli.imports import exported
from waitlist_cli.imports.columns import Columns
from waitlist_cli.imports.exported import FIELDS, read_exported_row
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import EXPORT_COLUMNS, Source
from waitlist_cli.imports.run import NO_ADDRESS
from waitlist_cli.operations.export import ALWAYS, IF_ANY, IF_ASKED, Sheet, texts_of
from waitlist_shared import ranks

REST_UNTIL = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT09:00:00.000Z")
TERMS = {"text": "I agree to the terms.", "version": "2026-11"}
PAGE = [
    {"name": "email", "label": "Email", "type": "email"},
    {"name": "terms", "label": TERMS["text"], "type": "checkbox", "version": "2026-11"},
    {"name": "utm_source", "label": "Source", "type": "hidden"},
]
# The policy makes no offers before 2040, so nobody's status changes during the test.
POLICY = ("--schedule", "1 at 2040-01-01T00:00:00Z", "--max-inside", "50")
FORMS: Mapping[str, Sequence[str]] = {
    "csv": (),
    "csv --all-columns": ("--all-columns",),
    "jsonl": ("--format", "jsonl"),
}
NUMBERS_AND_MORE = {
    "party": 4,
    "vip": True,
    "empty": "",
    "nothing": None,
    "nested": {"a": [1, "=1"]},
    "phone": "+49 30 901820",
    "number": "0123456789012345678",
    "amount": "4.9E+11",
    "lines": "one;=1\r\ntwo\x1b[2J",
    "\x1b[2J": "name",
    "a.b": " blanks ",
}
# Fields that have the same values after an export and an import.
SAME = (
    *("customer_id", "priority", "joined_at", "rank", "profile", "attributes", "language"),
    *("rest_until", "confirmed_at", "messages_off", "unreachable", "ban_reason"),
)


@dataclass(frozen=True)
class Life:
    bakery: Bakery

    @property
    def name(self) -> str:
        return self.bakery.waitlist_id

    def do(self, verb: str, customer: str, *words: str) -> Any:
        return self.bakery.typed.json(verb, self.name, "--customer", customer, *words)

    def join(self, customer: str, **body: Any) -> dict[str, Any]:
        return self.bakery.sign_up(customer, **body)[0]

    def claim(self, customer: str) -> str:
        self.join(customer)
        self.do("bump", customer, "--priority", "250")
        (claim,) = self.bakery.typed.json("claim", self.name)["claims"]
        assert claim["customer_id"] == customer
        return str(claim["claim_token"])

    def as_customer(self, entry: Mapping[str, Any], verb: str) -> None:
        path = f"/v1/waitlists/{self.name}/entries/{entry['entry_id']}/{verb}"
        headers = {"Authorization": f"Bearer {entry['entry_token']}"}
        with plain_client() as http:
            answer = http.post(f"{self.bakery.typed.url}{path}", headers=headers)
            assert answer.status_code in (200, 204), answer.text

    def import_person(self, **person: Any) -> None:
        row = dict.fromkeys(EXPORT_COLUMNS) | {"status": "waiting"} | person
        text = json.dumps(row)
        self.bakery.typed.run("import", self.name, "-", "--format", "jsonl", stdin=text)


def ask_and_confirm_people(life: Life) -> None:
    life.join("asked")
    confirmed = life.join("confirmed")
    life.bakery.typed.run("confirm", life.name, "--yes")
    life.do("confirm", "confirmed", "--token", confirmed["entry_token"])


def move_some(life: Life) -> None:
    for customer in ("to-the-front", "prioritised", "passed", "to-the-back", "reinstated"):
        profile = {"email": f"{customer}@example.com", "terms": TERMS["text"]}
        profile |= {"utm_source": "=news"}
        life.join(customer, profile=profile, attributes={"language": ["de", "en"]})
    life.do("bump", "to-the-front", "--front")
    life.do("bump", "prioritised", "--priority", "7")
    life.do("bump", "passed", "--places", "2")
    life.do("bump", "to-the-back", "--back")
    life.do("remove", "reinstated")
    life.do("reinstate", "reinstated")


def make_some_wait_for_more(life: Life) -> None:
    life.join("held-back")
    life.do("ready", "held-back", "--no", "--reason", "papers missing; =1")
    life.join("held-back-without-reason")
    life.do("ready", "held-back-without-reason", "--no")
    token = life.join("resting")["entry_token"]
    life.do("rest", "resting", "--token", token, "--until", REST_UNTIL)
    life.do("release", "delayed", "--token", life.claim("delayed"), "--delay", "3600")


def let_some_have_no_messages(life: Life) -> None:
    life.bakery.turn_messages_off(life.join("without-messages"))
    life.import_person(customer_id="unreachable", unreachable=True, language="fr")
    life.import_person(
        customer_id="odd", profile=NUMBERS_AND_MORE, attributes={"language": ["a;b", "=c"]}
    )


def take_some_off_the_queue(life: Life) -> None:
    life.claim("claimed")
    life.join("offered")
    life.do("admit-person", "offered")
    life.do("park", "parked", "--token", life.claim("parked"), "--reason", "a dead letter")


def end_some_stays(life: Life) -> None:
    for customer in ("inside", "exited"):
        entry = life.join(customer)
        life.do("admit-person", customer)
        life.as_customer(entry, "enter")
        if customer == "exited":
            life.as_customer(entry, "exit")
    life.do("complete", "admitted", "--token", life.claim("admitted"))
    for customer in ("left", "banned"):
        life.join(customer)
    life.do("remove", "left")
    life.do("remove", "banned", "--ban", "--reason", "sold the place")
    life.do("remove", "banned-before", "--ban")


@pytest.fixture(scope="module")
def settings(typed: Typed, tmp_path_factory: pytest.TempPathFactory) -> Any:
    fields = tmp_path_factory.mktemp("fields") / "fields.json"
    fields.write_text(json.dumps(PAGE), "utf-8")

    def make() -> Bakery:
        bakery = new_bakery(typed)
        name = bakery.waitlist_id
        typed.run("page", name, "--fields", str(fields))
        typed.run("policy", name, *POLICY)
        typed.run("edit", name, "--rest-max-days", "9", "--rest-times", "3")
        numbers = ("--sms-countries", "DE", "--sms-number-types", "fixed_line")
        kinds = ("--messages", "offered,left")
        typed.run("edit", name, "--confirm-every-days", "90", *kinds, *numbers)
        return bakery

    return make


@pytest.fixture(scope="module")
def old(settings: Any) -> Bakery:
    life = Life(settings())
    ask_and_confirm_people(life)
    move_some(life)
    make_some_wait_for_more(life)
    let_some_have_no_messages(life)
    take_some_off_the_queue(life)
    end_some_stays(life)
    return life.bakery


def read_everyone(bakery: Bakery) -> dict[str, Any]:
    text = bakery.typed.run("export", bakery.waitlist_id, "--status", "all", "--format", "jsonl")
    people = [json.loads(line) for line in text.splitlines()]
    people.sort(key=lambda one: one["rank"] or math.inf)
    return {one["customer_id"]: one for one in people}


def expect_after_import(person: Mapping[str, Any]) -> dict[str, Any]:
    if person["banned_at"]:
        return {"customer_id": person["customer_id"], "ban_reason": person["ban_reason"]}
    reasons = set(person["not_ready"] or ()) - {"delayed"}
    reason = person["held_back_reason"]
    if person["status"] == "parked":
        reasons, reason = {"held_back"}, f"parked: {person['park_reason']}"
    same = {name: person[name] for name in SAME}
    return {**same, "status": "waiting", "not_ready": reasons, "held_back_reason": reason}


def pick_fields(person: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    found = {**person, "not_ready": set(person["not_ready"] or ())}
    return {name: found[name] for name in expected}


NOTES = {
    exported.OFFERED: 2,
    exported.PARKED: 1,
    exported.DELAYED: 1,
    exported.ASKED: 1,
    exported.LEFT_OUT["left"]: 1,
    exported.LEFT_OUT["admitted"]: 3,
    exported.UNKNOWN: 1,
}


@pytest.mark.parametrize("form", FORMS)
def test_importing_an_export_creates_the_same_list(
    old: Bakery, settings: Any, tmp_path: Path, form: str
) -> None:
    """After an export and an import, the new waitlist has the same people in the same order, and
    the report says which data is missing.

    Repeating the import changes nothing (promises P1 and P3).
    """
    path = str(tmp_path / ("people.jsonl" if form == "jsonl" else "people.csv"))
    words = ("--status", "all", "--output", path, *FORMS[form])
    old.typed.run("export", old.waitlist_id, *words)
    new: Bakery = settings()
    before = read_everyone(old)
    tried = old.typed.json("import", new.waitlist_id, path, "--dry-run")
    report = old.typed.json("import", new.waitlist_id, path)
    waiting = [name for name, one in before.items() if one["rank"]]
    counts = {name: report[name] for name in ("joined", "banned", "left_out", "refused")}
    assert counts == {"joined": len(waiting), "banned": 1, "left_out": 5, "refused": 0}
    assert {one["note"]: one["rows"] for one in report["notes"]} == {
        **NOTES,
        NO_ADDRESS: sum(not {"email", "phone"} & before[one]["profile"].keys() for one in waiting),
    }
    there = {name: before[name] for name in [*waiting, "banned"]}
    after = read_everyone(new)
    assert list(after) == list(there)
    for name, person in there.items():
        expected = expect_after_import(person)
        assert pick_fields(after[name], expected) == expected
    assert [one["customer_id"] for one in tried["first"]] == waiting[:10]
    assert (tried["banned"], tried["left_out"]) == (report["banned"], report["left_out"])
    again = old.typed.json("import", new.waitlist_id, path)
    assert (again["joined"], again["already"]) == (0, report["joined"])
    assert read_everyone(new).keys() == after.keys()


def test_an_export_is_imported_with_addresses_as_identities(
    old: Bakery, settings: Any, tmp_path: Path
) -> None:
    """An operator exports people and imports them into a waitlist that identifies people by
    address, as docs/operate/identity.md describes.

    Banned people are imported even if they have no address.
    """
    path = str(tmp_path / "people.csv")
    old.typed.run("export", old.waitlist_id, "--status", "all", "--output", path)
    new: Bakery = settings()
    old.typed.run("edit", new.waitlist_id, "--identity", "email")
    result = old.typed("--json", "import", new.waitlist_id, path, "--identity", "email")
    report = json.loads(result.stdout)
    assert (report["joined"], report["banned"], report["left_out"]) == (5, 1, 5)
    assert [one["reason"] for one in report["reasons"]] == ["no email in profile.email"]
    people = [one for one in read_everyone(new).values() if one["status"] == "waiting"]
    former = [
        one for one in read_everyone(old).values() if one["rank"] and one["profile"].get("email")
    ]
    assert [one["profile"] for one in people] == [one["profile"] for one in former]
    assert [one["rank"] for one in people] == [one["rank"] for one in former]
    assert {one["customer_id"][:6] for one in people} == {"email-"}
    # People without an address keep their customer ids and their places in the queue.
    rest = old.typed.json("import", new.waitlist_id, str(tmp_path / "people.refused.csv"))
    assert (rest["joined"], rest["refused"]) == (report["refused"], 0)
    ranks_there = [one["rank"] for one in read_everyone(old).values() if one["rank"]]
    assert [one["rank"] for one in read_everyone(new).values() if one["rank"]] == ranks_there


def test_an_unverified_address_stays_unverified_after_an_import(
    typed: Typed, tmp_path: Path
) -> None:
    """P5"""

    def verifying() -> Bakery:
        bakery = new_bakery(typed)
        words = ("--identity", "email", "--verify", "before_offer")
        typed.run("edit", bakery.waitlist_id, *words)
        return bakery

    old, new = verifying(), verifying()
    path = f"{typed.url}/v1/waitlists/{old.waitlist_id}/entries"
    with plain_client() as http:
        for name in ("ada", "bob"):
            assert http.post(path, json={"profile": {"email": f"{name}@example.com"}}).is_success
    ada, _ = typed.json("head", old.waitlist_id)["entries"]
    typed.run("verify", old.waitlist_id, ada["entry_id"])
    file = str(tmp_path / "people.csv")
    typed.run("export", old.waitlist_id, "--output", file)
    typed.run("import", new.waitlist_id, file, "--identity", "email")
    shown = typed.json("head", new.waitlist_id)["entries"]
    assert [(one["profile"]["email"], one["not_ready"]) for one in shown] == [
        ("ada@example.com", None),
        ("bob@example.com", ["unverified"]),
    ]


def test_every_field_of_an_entry_is_exported_and_imported() -> None:
    """An export contains every field of an entry.

    An import either restores the field or reports that it is lost.
    """
    fields = AdminEntryAnswer.model_fields.keys() - {"profile", "attributes"}
    assert fields == FIELDS.keys()
    assert fields == {*ALWAYS, *IF_ANY, *IF_ASKED, "total"}
    assert {name for name, use in FIELDS.items() if use != "implied"} <= {
        *ALWAYS,
        *IF_ANY,
        "room_until",
    }


ROW = {"status": "waiting", "priority": "0", "joined_at": "2026-03-01T09:00:00.000Z"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": "confirmed"}, "is not a status that an export writes"),
        ({"messages_off": "WAHR"}, "is neither yes nor no"),
        ({"rank": "8.97E+15"}, "is not a number in the format of an export"),
        ({"rest_until": "soon"}, "is not a time in the format of an export"),
    ],
)
def test_a_field_that_a_spreadsheet_has_changed_is_refused(
    change: dict[str, str], reason: str
) -> None:
    """P5"""
    with pytest.raises(InvalidRow, match=reason.replace("+", r"\+")):
        read_exported_row(ROW | change)


def test_the_loss_of_attempts_is_noted() -> None:
    assert read_exported_row(ROW | {"attempts": "2"}).notes == (exported.ATTEMPTS,)
    assert read_exported_row(ROW | {"attempts": 0}).notes == ()


def test_the_loss_of_a_call_number_is_noted() -> None:
    assert read_exported_row(ROW | {"call_number": "A042"}).notes == (exported.NUMBERED,)


def test_a_status_column_of_another_program_becomes_a_profile_field() -> None:
    """A file without entry ids comes from another program, so an import must not mistake its
    `status` column for this service's status.
    """
    columns = Columns()
    row = {"customer_id": "ada", "status": "left", "rank": "1"}
    assert columns.read(row).entry == {
        "customer_id": "ada",
        "profile": {"status": "left", "rank": "1"},
    }


def test_ids_in_json_are_not_checked_for_changes_by_a_spreadsheet() -> None:
    row = {"entry_id": "a" * 26, "customer_id": "12345.0", **ROW, "priority": 0}
    entry = Columns(splits_values=False).read(row).entry
    assert (entry or {})["customer_id"] == "12345.0"
    with pytest.raises(InvalidRow, match="changed to a fraction"):
        Columns().read(row)


def test_a_cell_that_an_operator_has_changed_is_imported() -> None:
    row = {"customer_id": "ada", "profile.party": "5", "profile.vip": "yes"}
    row["profile"] = '{"party": 4, "vip": true, "note": ""}'
    entry = Columns().read(row).entry
    assert entry is not None
    assert entry["profile"] == {"party": "5", "vip": True, "note": ""}


@given(st.integers(0, 255), st.datetimes(datetime(2020, 1, 1), datetime(2080, 1, 1)))  # noqa: DTZ001
def test_the_command_line_computes_the_ranks_of_the_service(
    priority: int, moment: datetime
) -> None:
    """The command line computes ranks exactly as the service does, so a dry run shows the order
    that the import will create (promise P1).
    """
    aware = moment.replace(tzinfo=UTC)
    assert rank_of(priority, aware) == ranks.rank_of(priority, ranks.ticket_at(aware))


TEXT = st.text(max_size=8) | st.sampled_from(
    ["4", "4.0", "yes", "a;b", "=1", " ", "\x1b", "1\r\n2", "\u202e"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
PROFILES = st.dictionaries(TEXT | st.sampled_from(["email", "phone", "terms"]), VALUES, max_size=4)


@hypothesis.settings(max_examples=40)
@given(st.lists(PROFILES, min_size=1, max_size=3), st.booleans())
def test_a_csv_keeps_every_profile(profiles: list[dict[str, Any]], has_questions: bool) -> None:
    """Exporting people to CSV and importing them leaves every profile unchanged, whatever values
    guests and programs have stored.

    No line of the file can control a terminal (promise P3).
    """
    own = {"status": "waiting", "priority": 0, "joined_at": "2026-03-01T09:00:00.000Z"}
    people = [
        {"entry_id": "a" * 26, "customer_id": f"c{number}", **own, "profile": one, "attributes": {}}
        for number, one in enumerate(json.loads(json.dumps(profiles)))
    ]
    sheet = Sheet([("profile", "email")] if has_questions else ())
    text = "".join(texts_of(iter(people), "csv", sheet))
    assert not [one for one in text if ord(one) < 32 and one not in "\t\r\n"]
    source = Source(io.BytesIO(text.encode("utf-8", "surrogatepass")), "people.csv", "csv", ",")
    found = [Columns().read(record.fields).entry or {} for record in source.records()]
    assert [one.get("profile", {}) for one in found] == [one["profile"] for one in people]
