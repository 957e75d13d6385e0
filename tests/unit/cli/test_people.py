"""Tests of the commands about people, against the real service."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.fake_service import problem as refusal
from tests.unit.cli.people_files import write_csv
from tests.unit.cli.typed import Typed, problem
from waitlist_cli.client.ids import entry_id_of

# The settings that `signup` reads for a waitlist that asks no questions.
UNASKED: dict[str, Any] = {"identity": None, "page": None, "segments": [], "timezone": "UTC"}


def of(bakery: Bakery, name: str) -> list[str]:
    return [bakery.waitlist_id, "--customer", name]


def test_a_person_is_found_by_entry_id_or_by_customer_id(typed: Typed, bakery: Bakery) -> None:
    entry = bakery.sign_up("ada", profile={"name": "Ada"})[0]
    by_entry = typed.json("show", bakery.waitlist_id, entry["entry_id"])
    by_customer = typed.json("show", *of(bakery, "ada"))
    assert by_entry == by_customer
    assert (by_entry["profile"], by_entry["position"]) == ({"name": "Ada"}, 1)
    assert "name=Ada" in typed.run("show", *of(bakery, "ada"))


def test_a_position_is_shown_to_the_operator_and_to_the_customer(
    typed: Typed, bakery: Bakery
) -> None:
    """P6"""
    _, bob = bakery.sign_up("ada", "bob")
    shown = typed.json("position", *of(bakery, "bob"))
    assert (shown["position"], shown["total"], shown["status"]) == (2, 2, "waiting")
    own = typed.json("position", *of(bakery, "bob"), "--token", bob["entry_token"])
    assert (own["position"], own["poll_after_seconds"]) == (2, 1)
    assert "waiting, position 2 of 2" in typed.run("position", *of(bakery, "bob"))
    result = typed("position", *of(bakery, "bob"), "--token", "foreign")
    assert result.exit_code == 4


@pytest.mark.parametrize("name", ["people.csv", "people.tsv"])
def test_files_of_people_may_have_another_delimiter(
    bakery: Bakery, tmp_path: Path, name: str
) -> None:
    """`bump` reads files of people with the same options as `import`, such as `--delimiter`.

    It refuses a row whose id a spreadsheet has damaged.
    """
    bakery.sign_up("ada", "bob", "cyd")
    tab = ";" if name.endswith("csv") else "\t"
    path = tmp_path / name
    path.write_text(f"name{tab}customer_id\nÄ{tab} cyd \nB{tab}bob\n", "cp1252")
    words = ("--file", str(path), "--delimiter", ";", "--encoding", "cp1252")
    bakery.typed.run("bump", bakery.waitlist_id, *words, "--front")
    assert bakery.line() == ["cyd", "bob", "ada"]
    for customer in ("bob", "cyd"):
        bakery.typed.run("remove", bakery.waitlist_id, "--customer", customer)
    bakery.typed.run("reinstate", bakery.waitlist_id, *words)
    assert bakery.line() == ["cyd", "bob", "ada"]
    path.write_text(f"name{tab}customer_id\nÄ{tab}4.9E+11\n", "cp1252")
    result = bakery.typed("bump", bakery.waitlist_id, *words, "--back")
    assert (result.exit_code, "a spreadsheet has rounded" in result.stderr) == (2, True)
    result = bakery.typed("reinstate", bakery.waitlist_id, *words)
    refused = tmp_path / name.replace(".", ".refused.")
    assert (result.exit_code, f"Ä{tab}4.9" in refused.read_text("cp1252").replace('"', "")) == (
        1,
        True,
    )


def test_a_customer_rests_and_resumes(typed: Typed, bakery: Bakery) -> None:
    ada, _ = bakery.sign_up("ada", "bob")
    until = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT09:00:00.000Z")
    own = (*of(bakery, "ada"), "--token", ada["entry_token"])
    off = typed("rest", *own, "--until", until)
    next_step = (
        "To allow customers to let others pass them in the queue, run `waitlist edit WAITLIST "
        "--rest-max-days 30 --rest-times 3`.\n"
    )
    assert (off.exit_code, off.stderr.endswith(next_step)) == (1, True)
    typed.run("edit", bakery.waitlist_id, "--rest-times", "1")
    assert "position 1 of 2, not ready: resting until" in typed.run("rest", *own, "--until", until)
    assert typed.json("position", *of(bakery, "ada"))["rest_until"] == until
    typed.run("ready", *of(bakery, "bob"), "--no")
    shown = typed.run("head", bakery.waitlist_id)
    assert [line.split("\t")[3:6:2] for line in shown.splitlines()[1:]] == [
        ["ada", "resting"],
        ["bob", "held back"],
    ]
    typed.run("ready", *of(bakery, "bob"))
    for option, name in (("--ready", "bob"), ("--not-ready", "ada")):
        shown = typed.json("head", bakery.waitlist_id, option)["entries"]
        assert [one["customer_id"] for one in shown] == [name]
        lines = typed.run("export", bakery.waitlist_id, option).splitlines()
        assert (len(lines), name in lines[1]) == (2, True)
    for option in ("--unverified", "--asked"):
        assert typed.json("head", bakery.waitlist_id, option)["entries"] == []
        assert len(typed.run("export", bakery.waitlist_id, option).splitlines()) == 1
    assert typed("head", bakery.waitlist_id, "--unverified", "--asked").exit_code == 2
    look = json.loads(typed.run("--json", "watch", bakery.waitlist_id, "--looks", "1"))
    assert (look["waiting"], look["not_ready"]) == (2, 1)
    result = typed("resume", *of(bakery, "ada"))
    assert (result.exit_code, "--token" in result.stderr) == (2, True)
    for _repeat in range(2):
        assert "not ready" not in typed.run("resume", *own)
    result = typed("rest", *own, "--until", until)
    assert (result.exit_code, "(rests_used_up)" in result.stderr) == (1, True)
    assert typed("rest", *own, "--until", "soon").exit_code == 2


def test_customers_are_asked_whether_they_still_wait(typed: Typed, bakery: Bakery) -> None:
    ada, _ = bakery.sign_up("ada", "bob")
    result = typed("confirm", bakery.waitlist_id, "--yes")
    assert (result.exit_code, "(confirm_off)" in result.stderr) == (1, True)
    typed.run("edit", bakery.waitlist_id, "--confirm-every-days", "90")
    assert "2 people would be asked" in typed.run("confirm", bakery.waitlist_id, "--dry-run")
    assert typed("confirm", bakery.waitlist_id).exit_code == 2, "no terminal, and no --yes"
    assert typed("confirm", bakery.waitlist_id, "--customer", "", "--yes").exit_code == 2
    for asked in (2, 0):
        assert typed.json("confirm", bakery.waitlist_id, "--yes")["asked"] == asked
    assert "asked\t2" in typed.run("stats", bakery.waitlist_id)
    own = (*of(bakery, "ada"), "--token", ada["entry_token"])
    assert "to confirm by" in typed.run("position", *own)
    assert "must confirm by" in str(typed.json("explain", *of(bakery, "ada")))
    for _repeat in range(2):
        assert "to confirm by" not in typed.run("confirm", *own)
    assert typed("confirm", *of(bakery, "ada")).exit_code == 2


def test_a_customer_leaves_and_an_operator_removes(typed: Typed, bakery: Bakery) -> None:
    ada, *_ = bakery.sign_up("ada", "bob", "cyd")
    typed.run("leave", *of(bakery, "ada"), "--token", ada["entry_token"])
    assert bakery.line() == ["bob", "cyd"]
    shown = typed.json("remove", *of(bakery, "bob"), "--reason", "by phone")
    assert shown == {"entry_id": entry_id_of(bakery.waitlist_id, "bob"), "outcome": "removed"}
    assert bakery.line() == ["cyd"]
    last = typed.json("history", *of(bakery, "bob"))["history"][-1]
    assert (last["event"], last["reason"]) == ("left", "by phone")


def test_an_operator_bans_and_unbans_a_customer(typed: Typed, bakery: Bakery) -> None:
    bakery.sign_up("ada")
    entry_id = entry_id_of(bakery.waitlist_id, "ada")
    for name in ("ada", "eve"):
        shown = typed.json("remove", *of(bakery, name), "--ban", "--reason", "sold the place")
        assert shown == {"entry_id": entry_id_of(bakery.waitlist_id, name), "outcome": "banned"}
    assert bakery.line() == []
    banned = typed.run("export", bakery.waitlist_id, "--status", "banned")
    assert entry_id in banned
    assert "sold the place" in banned
    whys = [typed.json("explain", *of(bakery, name))["why"] for name in ("ada", "eve")]
    assert [why[1].startswith("Banned by") for why in whys] == [True, True]
    assert whys[1][0] == "The customer has never been on the list."
    result = typed("signup", bakery.waitlist_id, "ada")
    assert (result.exit_code, "banned" in result.stderr) == (1, True)
    for _repeat in range(2):
        shown = typed.json("unban", *of(bakery, "ada"), "--reason", "an error")
        assert shown["outcome"] == "unbanned"
    bakery.sign_up("ada")
    assert bakery.line() == ["ada"]


def test_an_unban_names_the_ban_that_it_ends(fake: FakeService) -> None:
    at = "2026-01-01T00:00:00.000Z"
    fake.script = [answer(200, {"banned_at": at}), refusal(409, "ban_mismatch", "")]
    assert Typed(fake.url)("unban", "bakery", "a" * 26).exit_code == 1
    assert json.loads(fake.requests[-1][3]) == {"banned_at": at, "reason": ""}


def test_a_person_is_bumped_in_four_ways(typed: Typed, bakery: Bakery) -> None:
    """P1"""
    bakery.sign_up("ada", "bob", "cyd", "dan")
    assert typed.json("bump", *of(bakery, "dan"), "--places", "2")["position"] == 2
    assert bakery.line() == ["ada", "dan", "bob", "cyd"]
    assert typed.json("bump", *of(bakery, "cyd"), "--front")["position"] == 1
    assert typed.json("bump", *of(bakery, "ada"), "--back")["position"] == 4
    assert typed.json("bump", *of(bakery, "bob"), "--priority", "7")["priority"] == 7
    assert bakery.line() == ["bob", "cyd", "dan", "ada"]


@pytest.mark.parametrize(
    ("to", "line"), [("--front", ["bob", "ada", "cyd"]), ("--back", ["cyd", "bob", "ada"])]
)
def test_a_person_who_is_in_a_file_twice_is_moved_and_counted_once(
    typed: Typed, bakery: Bakery, tmp_path: Path, to: str, line: list[str]
) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    path = tmp_path / "vips.csv"
    path.write_text("customer_id\nbob\nada\nbob\n", "utf-8")
    found = typed.run("bump", bakery.waitlist_id, "--file", str(path), to)
    assert (found, bakery.line()) == ("2 people moved, 0 refused.\n", line)


@pytest.mark.parametrize("words", [[], ["--front", "--back"], ["--places", "1", "--priority", "1"]])
def test_a_bump_needs_exactly_one_target(typed: Typed, bakery: Bakery, words: list[str]) -> None:
    """P5"""
    assert typed("bump", *of(bakery, "ada"), *words).exit_code == 2


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_the_people_in_a_file_are_moved_in_its_order(
    typed: Typed, bakery: Bakery, tmp_path: Path, suffix: str
) -> None:
    """`bump --front` moves the people in a file to the front, in the order of the file.

    A second run changes nothing (promise P1).
    """
    bakery.sign_up("ada", "bob", "cyd", "dan")
    names = ["dan", "bob"]
    lines = ["customer_id", *names]
    if suffix == "jsonl":
        lines = [json.dumps({"customer_id": name}) for name in names]
    path = tmp_path / f"vips.{suffix}"
    path.write_text("\n".join(lines), "utf-8")
    words = ["bump", bakery.waitlist_id, "--file", str(path), "--front"]
    for _ in range(2):
        assert typed.run(*words) == "2 people moved, 0 refused.\n"
        assert bakery.line() == ["dan", "bob", "ada", "cyd"]


def test_an_unknown_person_in_a_file_does_not_stop_the_others(
    typed: Typed, bakery: Bakery, tmp_path: Path
) -> None:
    bakery.sign_up("ada", "bob")
    path = tmp_path / "vips.csv"
    path.write_text("customer_id\neve\nbob\n", "utf-8")
    result = typed("--json", "bump", bakery.waitlist_id, "--file", str(path), "--priority", "9")
    assert result.exit_code == 1
    refused = [{"customer_id": "eve", "code": "entry_not_found"}]
    assert json.loads(result.stdout) == {"moved": 1, "refused": refused}
    assert bakery.line() == ["bob", "ada"]


@pytest.mark.parametrize("words", [["--places", "3"], ["--front", "--customer", "ada"]])
def test_a_file_cannot_be_combined_with_places_or_a_person(
    fake: FakeService, tmp_path: Path, words: list[str]
) -> None:
    path = tmp_path / "vips.csv"
    path.write_text("customer_id\nada\n", "utf-8")
    assert Typed(fake.url)("bump", "bakery", "--file", str(path), *words).exit_code == 2
    assert fake.requests == []


def test_a_file_with_an_invalid_row_moves_nobody(fake: FakeService, tmp_path: Path) -> None:
    path = tmp_path / "vips.csv"
    path.write_text("customer_id,note\nada,x\n,y\n", "utf-8")
    result = Typed(fake.url)("bump", "bakery", "--file", str(path), "--front")
    assert (result.exit_code, "Row 2" in result.stderr) == (2, True)
    assert fake.requests == []


def test_a_relative_bump_is_repeated_with_the_same_key(fake: FakeService) -> None:
    """A person moves ahead only once, even if the command repeats its request, because both
    requests have the same idempotency key (promise P2).
    """
    entry = {"entry_id": "a" * 26, "status": "waiting", "position": 1, "total": 1}
    busy = answer(503, {"code": "rebuilding", "detail": "d"}, Retry_After="0")
    fake.script = [busy, answer(200, entry)]
    Typed(fake.url).run("bump", "bakery", "a" * 26, "--places", "1")
    keys = {headers["idempotency-key"] for _, _, headers, _ in fake.requests}
    assert (len(fake.requests), len(keys)) == (2, 1)


def test_single_fields_of_profile_and_attributes_are_changed(typed: Typed, bakery: Bakery) -> None:
    bakery.sign_up("ada", profile={"name": "Ada", "party": 2}, attributes={"language": "English"})

    def edited(*words: str) -> tuple[Any, Any]:
        person = typed.json("edit", *of(bakery, "ada"), *words)
        return person["profile"], person["attributes"]

    language = {"language": "English"}
    assert edited("--set", "party:=4") == ({"name": "Ada", "party": 4}, language)
    assert edited("--set", "party=") == ({"name": "Ada"}, language)
    both = ("--attribute", "language=English", "--attribute", "language=Spanish")
    assert edited(*both) == ({"name": "Ada"}, {"language": ["English", "Spanish"]})
    assert edited("--attribute", "language=", "--attribute", "city=Rome")[1] == {"city": "Rome"}
    assert edited("--profile-json", '{"a": [1]}')[0] == {"a": [1]}


@pytest.mark.parametrize("words", [["--set", "a"], ["--set", "a:=b"], ["--profile-json", "[1]"]])
def test_an_invalid_profile_is_wrong_usage(typed: Typed, bakery: Bakery, words: list[str]) -> None:
    """P5"""
    bakery.sign_up("ada")
    assert typed("edit", *of(bakery, "ada"), *words).exit_code == 2


def test_a_person_is_erased_only_after_a_confirmation(typed: Typed, bakery: Bakery) -> None:
    """P8"""
    bakery.sign_up("ada")
    assert typed("erase", *of(bakery, "ada")).exit_code == 2
    assert bakery.line() == ["ada"]
    typed.run("erase", *of(bakery, "ada"), "--yes")
    result = typed("--json", "show", *of(bakery, "ada"))
    assert (result.exit_code, problem(result)["code"]) == (1, "entry_not_found")


def test_no_request_has_a_customer_id_in_its_url(fake: FakeService) -> None:
    """URLs end up in logs, so they must not contain customer ids (promise P8)."""
    for command in ("show", "position", "history", "remove", "around", "redrive"):
        Typed(fake.url)(command, "bakery", "--customer", "ada-lovelace")
    assert len(fake.requests) == 6
    assert not [path for _, path, _, _ in fake.requests if "ada-lovelace" in path]


def test_a_profile_cannot_control_the_terminal(typed: Typed, bakery: Bakery) -> None:
    """Customers write their own profiles, but nothing in a profile can control the operator's
    terminal (promise P5).
    """
    bakery.sign_up("ada", profile={"name": "\x1b[2J\u202eAda\tx\ny"})
    lines = typed.run("head", bakery.waitlist_id).splitlines()
    assert len(lines) == 2
    assert lines[1].count("\t") == lines[0].count("\t")
    assert "\x1b" not in lines[1]
    assert "\u202e" not in lines[1]


def test_a_signup_shows_the_refusal_of_the_service(fake: FakeService) -> None:
    """P5"""
    fake.answers = {"GET": answer(200, UNASKED)}
    result = Typed(fake.url)("--json", "signup", "bakery", "a da")
    assert result.exit_code == 1
    assert problem(result)["errors"] == [{"field": "customer_id", "message": "no spaces"}]


def test_a_signup_sends_the_options_that_were_typed(fake: FakeService) -> None:
    words = "--set name=Ada --attribute language=English --priority 3"
    early = ["--joined-at", "2026-03-01T10:00+01:00"]
    fake.answers = {"GET": answer(200, UNASKED)}
    Typed(fake.url)("signup", "bakery", "ada", *words.split(), *early)
    assert fake.people["ada"] == {
        "customer_id": "ada",
        "profile": {"name": "Ada"},
        "attributes": {"language": "English"},
        "priority": 3,
        # The API accepts times only in UTC, so the command converts the time.
        "joined_at": "2026-03-01T09:00:00Z",
        "tell": True,
    }


def test_a_time_without_an_offset_is_in_the_time_zone_of_the_list(
    typed: Typed, bakery: Bakery, tmp_path: Path
) -> None:
    waitlist_id = bakery.waitlist_id
    typed.run("edit", waitlist_id, "--timezone", "Europe/Berlin", "--rest-max-days", "60")
    typed.run("signup", waitlist_id, "ada", "--joined-at", "2026-03-01T10:00")
    path = write_csv(tmp_path / "p.csv", [["customer_id", "at"], ["bob", "2026-03-01 11:00"]])
    typed.run("import", waitlist_id, path, "--keep-time", "at")
    for name, joined_at in (("ada", "2026-03-01T09:00Z"), ("bob", "2026-03-01T10:00Z")):
        shown = typed.json("position", *of(bakery, name))["joined_at"]
        assert datetime.fromisoformat(shown) == datetime.fromisoformat(joined_at)
    token = typed.json("token", *of(bakery, "ada"))["entry_token"]
    until = (datetime.now(ZoneInfo("Europe/Berlin")) + timedelta(days=3)).replace(microsecond=0)
    own = (*of(bakery, "ada"), "--token", token)
    rest = typed.json("rest", *own, "--until", until.replace(tzinfo=None).isoformat())
    assert datetime.fromisoformat(rest["rest_until"]) == until
    skipped = typed("signup", waitlist_id, "cyd", "--joined-at", "2026-03-29T02:30")
    assert "the clocks in Europe/Berlin skip this time" in skipped.stderr


def test_people_are_reinstated_between_their_former_neighbours(
    typed: Typed, bakery: Bakery
) -> None:
    """P1"""
    people = bakery.sign_up("ada", "bob", "cyd", "dan")
    for name in ("bob", "cyd"):
        typed.run("remove", *of(bakery, name))
    shown = typed.json("reinstate", *of(bakery, "cyd"), "--reason", "an error")
    assert (shown["reinstated"], shown["entries"][0]["position"]) == (1, 2)
    token = typed.json("token", *of(bakery, "cyd"))["entry_token"]
    own = typed.json("position", *of(bakery, "cyd"), "--token", token)
    assert own["status"] == "waiting"
    assert "an error" in typed.run("history", *of(bakery, "cyd"))
    explained = typed.json("explain", *of(bakery, "cyd"))
    assert explained["joined_as"] == 2
    assert any("Returned to the former place" in why for why in explained["why"])
    ids = [one["entry_id"] for one in people[:3]]
    text = typed.run("reinstate", bakery.waitlist_id, *ids)
    assert "1 person is back at the former place, 2 already on the list, 0 refused." in text
    assert bakery.line() == ["ada", "bob", "cyd", "dan"]


def test_the_people_in_a_file_are_reinstated_and_the_command_can_be_repeated(
    typed: Typed, bakery: Bakery, tmp_path: Path
) -> None:
    """`reinstate` brings the people in a file back to the waitlist.

    If some rows are refused, an operator can correct them and rerun the command (promise P2).
    """
    bakery.sign_up("ada", "bob", "cyd")
    for name in ("bob", "cyd"):
        typed.run("remove", *of(bakery, name))
    path, tokens = tmp_path / "back.csv", tmp_path / "tokens.csv"
    path.write_text("customer_id,note\nbob,\neve,\n,nameless\ncyd,\n", "utf-8")
    words = ["reinstate", bakery.waitlist_id, "--file", str(path), "--tokens", str(tokens)]
    result = typed("--json", *words)
    assert result.exit_code == 1
    refused = [
        {"name": "eve", "code": "entry_not_found"},
        {"name": "row 3", "code": "invalid_row"},
    ]
    found = json.loads(result.stdout)
    assert found == {"reinstated": 2, "already": 0, "refused": refused, "entries": []}
    assert bakery.line() == ["ada", "bob", "cyd"]
    assert "eve" in (tmp_path / "back.refused.csv").read_text("utf-8")
    assert [line.split(",")[1].strip('"') for line in tokens.read_text("utf-8").splitlines()] == [
        "customer_id",
        "bob",
        "cyd",
    ]
    again = json.loads(typed("--json", *words).stdout)
    assert (again["reinstated"], again["already"]) == (0, 2)
    assert len(tokens.read_text("utf-8").splitlines()) == 3


@pytest.mark.parametrize("command", ["bump", "reinstate"])
def test_a_file_of_unknown_format_causes_an_error_that_names_the_possible_suffixes(
    typed: Typed, bakery: Bakery, command: str
) -> None:
    """`bump` and `reinstate` have no `--format` option, so the file's name decides the format."""
    places = ["--front"] if command == "bump" else []
    result = typed(command, bakery.waitlist_id, "--file", "people.txt", *places)
    assert result.exit_code == 2
    assert "name ends in .csv or .jsonl. For an import, you can also use --format" in result.stderr


def test_a_banned_person_in_a_file_is_refused_and_the_others_are_reinstated(
    typed: Typed, bakery: Bakery, tmp_path: Path
) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    typed.run("remove", *of(bakery, "ada"), "--ban")
    typed.run("remove", *of(bakery, "bob"))
    path = tmp_path / "back.csv"
    path.write_text("customer_id\nada\nbob\n", "utf-8")
    result = typed("reinstate", bakery.waitlist_id, "--file", str(path))
    assert (result.exit_code, bakery.line()) == (1, ["bob", "cyd"])
    assert "ada: An operator has banned this customer" in result.stderr
    assert "banned" in (tmp_path / "back.refused.csv").read_text("utf-8")


def test_a_person_who_is_in_a_file_twice_is_reinstated_and_counted_once(
    typed: Typed, bakery: Bakery, tmp_path: Path
) -> None:
    bakery.sign_up("ada", "bob")
    typed.run("remove", *of(bakery, "bob"))
    path, tokens = tmp_path / "back.csv", tmp_path / "tokens.csv"
    path.write_text("customer_id\nbob\nbob\n", "utf-8")
    words = ["--file", str(path), "--tokens", str(tokens)]
    found = typed.json("reinstate", bakery.waitlist_id, *words)
    assert (found["reinstated"], found["already"]) == (1, 1)
    assert len(tokens.read_text("utf-8").splitlines()) == 2


@pytest.mark.parametrize("name", ["back.csv", "notes.txt"])
def test_tokens_of_a_reinstatement_do_not_overwrite_other_files(
    typed: Typed, bakery: Bakery, tmp_path: Path, name: str
) -> None:
    """P5"""
    bakery.sign_up("ada", "bob")
    typed.run("remove", *of(bakery, "ada"))
    path, other = tmp_path / "back.csv", tmp_path / name
    (tmp_path / "notes.txt").write_text("dear diary\n", "utf-8")
    path.write_text("customer_id\nada", "utf-8")
    before = other.read_bytes()
    result = typed("reinstate", bakery.waitlist_id, "--file", str(path), "--tokens", str(other))
    assert (result.exit_code, bakery.line()) == (2, ["bob"])
    assert "Choose another file with --tokens" in result.stderr
    assert other.read_bytes() == before


def test_a_reinstatement_needs_a_person_or_a_file(typed: Typed, bakery: Bakery) -> None:
    """P5"""
    assert typed("reinstate", bakery.waitlist_id).exit_code == 2
    assert typed("reinstate", *of(bakery, "ada"), "--file", "people.csv").exit_code == 2
