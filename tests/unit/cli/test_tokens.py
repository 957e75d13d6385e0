"""Entry tokens on the command line: one person's, and those of an import's people."""

import csv
import json
import secrets
import signal
import stat
from pathlib import Path

import pytest

from tests.support.plain_http import plain_client
from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.interrupting import interrupted
from tests.unit.cli.people_files import customers, file_of
from tests.unit.cli.typed import Typed
from tools.local.operator import local_operator
from waitlist_cli.client.ids import entry_id_of

HEADER = ["entry_id", "customer_id", "entry_token", "link", "address"]
NO_TOKENS = {"code": "no_entry_tokens", "detail": "Its customers are an issuer's."}


def written(path: Path) -> list[list[str]]:
    header, *rows = csv.reader(path.read_text("utf-8").splitlines())
    assert header == HEADER
    return rows


def of_the_fake(names: list[str]) -> list[list[str]]:
    return [["a" * 26, name, f"token-of-{name}", "", ""] for name in names]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_is_printed_alone_for_a_script_to_take(typed: Typed, bakery: Bakery) -> None:
    """P6"""
    typed.done("signup", bakery.waitlist_id, "ada")
    person = [bakery.waitlist_id, "--customer", "ada"]
    token = typed.done("token", *person).removesuffix("\n")
    assert typed.json("position", *person, "--token", token)["position"] == 1
    entry_id = entry_id_of(bakery.waitlist_id, "ada")
    shown = typed.json("token", bakery.waitlist_id, entry_id)
    assert shown == {"entry_id": entry_id, "entry_token": token}


@pytest.mark.parametrize("words", [[], ["a" * 26, "--customer", "ada"], ["ada"]], ids=str)
def test_a_token_is_one_persons(fake: FakeService, words: list[str]) -> None:
    """P5"""
    assert Typed(fake.url)("token", "bakery", *words).exit_code == 2
    assert fake.requests == []


def test_where_there_are_no_tokens_the_services_reason_is_shown(fake: FakeService) -> None:
    fake.script = [answer(409, NO_TOKENS)]
    result = Typed(fake.url)("token", "bakery", "--customer", "ada-lovelace", NO_COLOR="1")
    assert result.exit_code == 1
    assert f"{NO_TOKENS['detail']} (no_entry_tokens)" in result.stderr
    (request,) = fake.requests
    assert request[:2] == (
        "POST",
        f"/v1/admin/waitlists/bakery/entries/{entry_id_of('bakery', 'ada-lovelace')}/token",
    )


def test_an_import_writes_its_peoples_tokens_for_its_owner_alone(
    fake: FakeService, tmp_path: Path
) -> None:
    """P8"""
    names, tokens = customers(1203), tmp_path / "tokens.csv"
    path = file_of(tmp_path / "p.csv", [*names[:700], "b b", *names[700:]])
    result = Typed(fake.url)("--json", "import", "bakery", path, "--tokens", str(tokens))
    shown = json.loads(result.stdout)
    assert (result.exit_code, shown["joined"], shown["tokens_file"]) == (1, 1203, str(tokens))
    assert written(tokens) == of_the_fake(names)
    assert mode(tokens) == 0o600
    assert "token-of" not in result.output


def test_an_import_asks_for_tokens_only_with_the_option(fake: FakeService, tmp_path: Path) -> None:
    path = file_of(tmp_path / "p.csv", customers(3))
    shown = Typed(fake.url).json("import", "bakery", path)
    assert shown["tokens_file"] is None
    assert fake.requests[0][1].endswith("/import")
    assert not list(tmp_path.glob("*token*"))


def test_killed_in_the_middle_and_run_again_the_file_is_whole(
    fake: FakeService, tmp_path: Path
) -> None:
    """P3"""
    names, tokens = customers(1600), tmp_path / "tokens.csv"
    words = ["import", "bakery", file_of(tmp_path / "p.csv", names), "--tokens", str(tokens)]
    code, _, _ = interrupted(fake, signal.SIGKILL, *words)
    assert (code, mode(tokens)) == (-signal.SIGKILL, 0o600)
    assert written(tokens) == of_the_fake(names[:500])
    Typed(fake.url).done(*words)
    assert written(tokens) == of_the_fake(names)


@pytest.mark.parametrize("torn", ["", "\r", 'aaaa,"c000', "aaaa,c00010,token-of-c0"], ids=ascii)
def test_a_line_that_a_kill_has_torn_is_taken_away(
    fake: FakeService, tmp_path: Path, torn: str
) -> None:
    """P3: half a token proves nothing, and would make the next line unreadable."""
    path, tokens = file_of(tmp_path / "p.csv", customers(20)), tmp_path / "tokens.csv"
    words = ["import", "bakery", path, "--tokens", str(tokens)]
    Typed(fake.url).done(*words)
    lines = tokens.read_bytes().splitlines(keepends=True)
    tokens.write_bytes(b"".join(lines[:11]) + torn.encode())
    Typed(fake.url).done(*words, "--from-row", "11")
    assert written(tokens) == of_the_fake(customers(20))


@pytest.mark.parametrize("name", ["p.csv", "p.refused.csv", "notes.txt", "folder"])
def test_no_other_file_is_written_over(fake: FakeService, tmp_path: Path, name: str) -> None:
    """P5"""
    path = file_of(tmp_path / "p.csv", ["ada", "b b"])
    (tmp_path / "notes.txt").write_text("dear diary\n", "utf-8")
    (tmp_path / "p.refused.csv").write_text("entry_id,customer_id,entry_token\n", "utf-8")
    (tmp_path / "folder").mkdir()
    before = {one: one.read_bytes() for one in tmp_path.iterdir() if one.is_file()}
    result = Typed(fake.url)("import", "bakery", path, "--tokens", str(tmp_path / name))
    assert (result.exit_code, fake.requests) == (2, [])
    assert "Give another file with --tokens" in result.stderr
    assert {one: one.read_bytes() for one in before} == before


def test_a_file_that_cannot_be_written_is_an_error(fake: FakeService, tmp_path: Path) -> None:
    path, nowhere = file_of(tmp_path / "p.csv", customers(3)), tmp_path / "none" / "tokens.csv"
    result = Typed(fake.url)("import", "bakery", path, "--tokens", str(nowhere))
    assert (result.exit_code, "writes all tokens again" in result.stderr) == (2, True)


def test_each_token_of_the_real_service_shows_its_persons_position(
    bakery: Bakery, tmp_path: Path
) -> None:
    """P6: of those who were there and of those who joined."""
    names, tokens = customers(620), tmp_path / "tokens.csv"
    words = ["import", bakery.waitlist_id]
    bakery.typed.done(*words, file_of(tmp_path / "some.csv", names[:300]))
    path = file_of(tmp_path / "p.csv", names)
    shown = bakery.typed.json(*words, path, "--tokens", str(tokens))
    assert (shown["already"], shown["joined"]) == (300, 320)
    rows = written(tokens)
    assert [row[1] for row in rows] == names
    for number in (0, 299, 300, 619):
        entry_id, name, token, link, _address = rows[number]
        assert link.endswith(f"#t={entry_id}.{token}")
        assert entry_id == entry_id_of(bakery.waitlist_id, name)
        words = ["position", bakery.waitlist_id, entry_id, "--token", token]
        assert bakery.typed.json(*words)["position"] == number + 1


def test_a_person_is_found_by_address_verified_and_gets_a_link(
    typed: Typed, tmp_path: Path
) -> None:
    waitlist = f"by-mail-{secrets.token_hex(4)}"
    admin = f"{typed.url}/v1/admin/waitlists/{waitlist}"
    rules = {"field": "email", "verify": "before_offer"}
    with plain_client(timeout=35) as http:
        settings = {"name": "By mail", "identity": rules}
        assert http.put(admin, json=settings, auth=local_operator()).status_code == 201
        body = {"profile": {"email": "ada@example.com"}}
        joined = http.post(f"{typed.url}/v1/waitlists/{waitlist}/entries", json=body)
    assert joined.status_code == 202
    person = typed.json("find", waitlist, "--email", " Ada+x@Example.com")
    assert person["not_ready"] == ["unverified"]
    entry_id = person["entry_id"]
    assert "#v=" in typed.done("link", waitlist, entry_id)
    assert typed.json("verify", waitlist, entry_id, "--reason", "passport")["ready"]
    assert f"#t={entry_id}." in typed.json("link", waitlist, entry_id)["url"]

    path, tokens = tmp_path / "p.csv", tmp_path / "tokens.csv"
    path.write_text("email\nbob@example.com\nBob+x@Example.com\nada@EXAMPLE.com\nnobody\n")
    words = ("import", waitlist, str(path), "--identity", "email")
    tried = typed("--json", *words, "--dry-run")
    shown = json.loads(tried.stdout)
    assert (tried.exit_code, shown["people"], shown["refused"]) == (1, 2, 1)
    assert [(one["row"], one["former_row"]) for one in shown["duplicate_rows"]] == [(2, 1)]
    assert "@" not in tried.stdout.replace("ada@example.com", "")
    assert typed("--json", *words, "--tokens", str(tokens)).exit_code == 1
    bob = written(tokens)[0]
    assert (bob[3].endswith(f"#t={bob[0]}.{bob[2]}"), bob[4]) == (True, "bob@example.com")


@pytest.mark.parametrize("words", [[], ["ada", "--email", "a@b.example"]], ids=str)
def test_find_takes_a_text_or_one_address(fake: FakeService, words: list[str]) -> None:
    """P5"""
    assert Typed(fake.url)("find", "bakery", *words).exit_code == 2
    assert fake.requests == []


def test_a_list_moves_to_one_that_knows_people_by_address(
    typed: Typed, bakery: Bakery, tmp_path: Path
) -> None:
    """docs/operate/identity.md: the order stays; who has no address is imported by customer id."""
    bakery.sign_up("ada", profile={"email": "Ada@Example.com"})
    bakery.sign_up("bob")
    bakery.sign_up("cyd", profile={"email": "cyd@example.com"})
    bakery.sign_up("ada2", profile={"email": "ada+x@example.com"})
    path, refused, new = tmp_path / "people.csv", tmp_path / "r.csv", f"{bakery.waitlist_id}-new"
    typed.done("export", bakery.waitlist_id, "--output", str(path))
    with plain_client(timeout=35) as http:
        settings = {"name": "New", "open": False, "identity": {"field": "email"}}
        url = f"{typed.url}/v1/admin/waitlists/{new}"
        assert http.put(url, json=settings, auth=local_operator()).status_code == 201
    kept = ("--keep-time", "joined_at", "--priority", "priority", "--others", "drop")
    moved = typed(
        *("--json", "import", new, str(path), "--identity", "email"),
        *("--customer", "profile.email", "--map", "customer_id=-", *kept),
        *("--refused", str(refused)),
    )
    counts = json.loads(moved.stdout)
    assert (counts["joined"], counts["already"], counts["refused"]) == (2, 1, 1)
    assert (
        typed.json("import", new, str(refused), "--customer", "customer_id", *kept)["joined"] == 1
    )
    people = typed.json("head", new)["entries"]
    names = [one["profile"].get("email", one["customer_id"]) for one in people]
    assert names == ["Ada@Example.com", "bob", "cyd@example.com"]
