"""The command line gets one person's entry token, or the tokens of everyone in an import."""

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
from tests.unit.cli.interrupting import run_interrupted
from tests.unit.cli.people_files import customers, write_customer_file
from tests.unit.cli.typed import Typed
from tools.local.operator import local_operator
from waitlist_cli.client.ids import entry_id_of

HEADER = ["entry_id", "customer_id", "entry_token", "link", "address"]
NO_TOKENS = {"code": "no_entry_tokens", "detail": "Its customers are an issuer's."}


def read_tokens(path: Path) -> list[list[str]]:
    header, *rows = csv.reader(path.read_text("utf-8").splitlines())
    assert header == HEADER
    return rows


def expected_tokens(names: list[str]) -> list[list[str]]:
    return [["a" * 26, name, f"token-of-{name}", "", ""] for name in names]


def read_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_is_printed_alone_so_that_scripts_can_use_it(typed: Typed, bakery: Bakery) -> None:
    """P6"""
    typed.run("signup", bakery.waitlist_id, "ada")
    person = [bakery.waitlist_id, "--customer", "ada"]
    token = typed.run("token", *person).removesuffix("\n")
    assert typed.json("position", *person, "--token", token)["position"] == 1
    entry_id = entry_id_of(bakery.waitlist_id, "ada")
    shown = typed.json("token", bakery.waitlist_id, entry_id)
    assert shown == {"entry_id": entry_id, "entry_token": token}


@pytest.mark.parametrize("words", [[], ["a" * 26, "--customer", "ada"], ["ada"]], ids=str)
def test_token_needs_exactly_one_person(fake: FakeService, words: list[str]) -> None:
    """P5"""
    assert Typed(fake.url)("token", "bakery", *words).exit_code == 2
    assert fake.requests == []


def test_a_stack_without_entry_tokens_gives_a_reason(fake: FakeService) -> None:
    fake.script = [answer(409, NO_TOKENS)]
    result = Typed(fake.url)("token", "bakery", "--customer", "ada-lovelace", NO_COLOR="1")
    assert result.exit_code == 1
    assert f"{NO_TOKENS['detail']} (no_entry_tokens)" in result.stderr
    (request,) = fake.requests
    assert request[:2] == (
        "POST",
        f"/v1/admin/waitlists/bakery/entries/{entry_id_of('bakery', 'ada-lovelace')}/token",
    )


def test_an_import_writes_tokens_to_a_file_that_only_the_owner_can_read(
    fake: FakeService, tmp_path: Path
) -> None:
    """P8"""
    names, tokens = customers(1203), tmp_path / "tokens.csv"
    path = write_customer_file(tmp_path / "p.csv", [*names[:700], "b b", *names[700:]])
    result = Typed(fake.url)("--json", "import", "bakery", path, "--tokens", str(tokens))
    shown = json.loads(result.stdout)
    assert (result.exit_code, shown["joined"], shown["tokens_file"]) == (1, 1203, str(tokens))
    assert read_tokens(tokens) == expected_tokens(names)
    assert read_mode(tokens) == 0o600
    assert "token-of" not in result.output


def test_an_import_asks_for_tokens_only_with_the_option(fake: FakeService, tmp_path: Path) -> None:
    path = write_customer_file(tmp_path / "p.csv", customers(3))
    shown = Typed(fake.url).json("import", "bakery", path)
    assert shown["tokens_file"] is None
    assert fake.requests[0][1].endswith("/import")
    assert not list(tmp_path.glob("*token*"))


def test_the_file_of_tokens_is_complete_after_a_kill_and_a_repeat(
    fake: FakeService, tmp_path: Path
) -> None:
    """P3"""
    names, tokens = customers(1600), tmp_path / "tokens.csv"
    words = [
        "import",
        "bakery",
        write_customer_file(tmp_path / "p.csv", names),
        "--tokens",
        str(tokens),
    ]
    code, _, _ = run_interrupted(fake, signal.SIGKILL, *words)
    assert (code, read_mode(tokens)) == (-signal.SIGKILL, 0o600)
    assert read_tokens(tokens) == expected_tokens(names[:500])
    Typed(fake.url).run(*words)
    assert read_tokens(tokens) == expected_tokens(names)


@pytest.mark.parametrize("torn", ["", "\r", 'aaaa,"c000', "aaaa,c00010,token-of-c0"], ids=ascii)
def test_an_incomplete_last_line_is_removed(fake: FakeService, tmp_path: Path, torn: str) -> None:
    """If the file of tokens ends with an incomplete line, the command removes that line.

    Otherwise the next token would be appended to it (promise P3).
    """
    path, tokens = write_customer_file(tmp_path / "p.csv", customers(20)), tmp_path / "tokens.csv"
    words = ["import", "bakery", path, "--tokens", str(tokens)]
    Typed(fake.url).run(*words)
    lines = tokens.read_bytes().splitlines(keepends=True)
    tokens.write_bytes(b"".join(lines[:11]) + torn.encode())
    Typed(fake.url).run(*words, "--from-row", "11")
    assert read_tokens(tokens) == expected_tokens(customers(20))


@pytest.mark.parametrize("name", ["p.csv", "p.refused.csv", "notes.txt", "folder"])
def test_tokens_do_not_overwrite_other_files(fake: FakeService, tmp_path: Path, name: str) -> None:
    """P5"""
    path = write_customer_file(tmp_path / "p.csv", ["ada", "b b"])
    (tmp_path / "notes.txt").write_text("dear diary\n", "utf-8")
    (tmp_path / "p.refused.csv").write_text("entry_id,customer_id,entry_token\n", "utf-8")
    (tmp_path / "folder").mkdir()
    before = {one: one.read_bytes() for one in tmp_path.iterdir() if one.is_file()}
    result = Typed(fake.url)("import", "bakery", path, "--tokens", str(tmp_path / name))
    assert (result.exit_code, fake.requests) == (2, [])
    assert "Choose another file with --tokens" in result.stderr
    assert {one: one.read_bytes() for one in before} == before


def test_a_file_that_cannot_be_written_is_an_error(fake: FakeService, tmp_path: Path) -> None:
    path, nowhere = (
        write_customer_file(tmp_path / "p.csv", customers(3)),
        tmp_path / "none" / "tokens.csv",
    )
    result = Typed(fake.url)("import", "bakery", path, "--tokens", str(nowhere))
    assert (result.exit_code, "writes all tokens again" in result.stderr) == (2, True)


def test_each_imported_token_shows_the_position_of_its_person(
    bakery: Bakery, tmp_path: Path
) -> None:
    """An import writes a token for everyone, including people who were already on the waitlist.

    With the token, they can see their position (promise P6).
    """
    names, tokens = customers(620), tmp_path / "tokens.csv"
    words = ["import", bakery.waitlist_id]
    bakery.typed.run(*words, write_customer_file(tmp_path / "some.csv", names[:300]))
    path = write_customer_file(tmp_path / "p.csv", names)
    shown = bakery.typed.json(*words, path, "--tokens", str(tokens))
    assert (shown["already"], shown["joined"]) == (300, 320)
    rows = read_tokens(tokens)
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
    with plain_client() as http:
        settings = {"name": "By email", "identity": rules}
        assert http.put(admin, json=settings, auth=local_operator()).status_code == 201
        body = {"profile": {"email": "ada@example.com"}}
        joined = http.post(f"{typed.url}/v1/waitlists/{waitlist}/entries", json=body)
    assert joined.status_code == 202
    person = typed.json("find", waitlist, "--email", " Ada+x@Example.com")
    assert person["not_ready"] == ["unverified"]
    entry_id = person["entry_id"]
    assert "#v=" in typed.run("link", waitlist, entry_id)
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
    bob = read_tokens(tokens)[0]
    assert (bob[3].endswith(f"#t={bob[0]}.{bob[2]}"), bob[4]) == (True, "bob@example.com")


@pytest.mark.parametrize("words", [[], ["ada", "--email", "a@b.example"]], ids=str)
def test_find_takes_either_a_text_or_an_address(fake: FakeService, words: list[str]) -> None:
    """P5"""
    assert Typed(fake.url)("find", "bakery", *words).exit_code == 2
    assert fake.requests == []


def test_a_list_is_moved_to_a_list_that_identifies_people_by_address(
    typed: Typed, bakery: Bakery, tmp_path: Path
) -> None:
    """An operator moves everyone on a waitlist to another one, which identifies people by address,
    as docs/operate/identity.md describes.

    The order stays the same, and people without an address keep their customer ids.
    """
    bakery.sign_up("ada", profile={"email": "Ada@Example.com"})
    bakery.sign_up("bob")
    bakery.sign_up("cyd", profile={"email": "cyd@example.com"})
    bakery.sign_up("ada2", profile={"email": "ada+x@example.com"})
    path, refused, new = tmp_path / "people.csv", tmp_path / "r.csv", f"{bakery.waitlist_id}-new"
    typed.run("export", bakery.waitlist_id, "--output", str(path))
    with plain_client() as http:
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
