"""The console imports the people in an uploaded file.

Some tests use the real service, and others a fake one.
"""

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery, new_bakery
from tests.unit.cli.console.files import drop, wait_for_report
from tests.unit.cli.console.opened import (
    Opened,
    browser_over_network,
    listening,
    readable,
)
from tests.unit.cli.fake_service import FakeService, answer, problem

WAITLIST: dict[str, Any] = {
    "waitlist_id": "bakery",
    "name": "Bakery",
    "timezone": "UTC",
    "segments": [],
    "identity": None,
    "rebuild": None,
    "warnings": [],
}


def start(console: Opened, page: str, **form: Any) -> None:
    """Start an import, accepting the page's guess of what each column means."""
    html = console.page(page)
    columns = re.findall(r'name="column" value="([^"]*)"', html)
    targets = re.findall(
        r'<select name="target".*?<option value="([^"]*)" selected', html, re.DOTALL
    )
    assert len(columns) == len(targets)
    lists = {"column": columns, "target": targets}
    reading = re.findall(r'<input type="hidden" name="(delimiter|encoding)" value="([^"]*)"', html)
    assert len(reading) == 2
    data = {**lists, **dict(reading), "zone": "UTC", "ended": "skip", **form}
    headers = {"HX-Request": "true", "Origin": console.origin}
    job = page.partition("?")[0]
    answered = console.browser.post(job, data=data, headers=headers)
    assert answered.status_code == 200, readable(answered.text)
    assert answered.headers["HX-Redirect"] == job


def test_a_file_is_dropped_mapped_and_imported(console: Opened, bakery: Bakery) -> None:
    content = "id;name;language;priority\nada;Ada;de;0\nbob;Bob;en;7\n bad id ;x;;\n"
    page = drop(console, bakery.waitlist_id, "people.csv", content)
    html = console.page(page)
    assert re.findall(r'<option value="(\S+)" selected>(?!Comma|Semi|UTF)', html) == [
        "customer_id",
        "profile",
        "attribute",
        "priority",
    ]
    assert "Ada · Bob · x" in readable(html)
    start(console, page)
    text = wait_for_report(console, page)
    assert "Rows done 3 Joined 2 Already on the list 0 Left or admitted before 0 Refused 1" in text
    assert bakery.line() == ["bob", "ada"]
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")
    assert (found["profile"], found["attributes"]) == ({"name": "Ada"}, {"language": "de"})
    refused = console.browser.get(f"{page}/refused")
    assert "bad id" in refused.text
    assert "attachment" in refused.headers["content-disposition"]
    assert page in console.page(f"/lists/{bakery.waitlist_id}/import")


FORMS = (
    "Timestamp,Email Address,How many?\n"
    "11/24/2025 9:05:12,ada@example.com,2\n11/24/2025 9:05:11,bob@example.com,1\n"
    "11/23/2025 17:00:00,cyd@example.com,3\n11/25/2025 8:00:00,ada@example.com,3\n"
    "soon,dan@example.com,1\n11/25/2025 8:00:00,no id,1\n"
)


def test_columns_are_guessed_by_their_names_and_values(console: Opened, bakery: Bakery) -> None:
    content = "\n".join(FORMS.splitlines()[:4])
    page = drop(console, bakery.waitlist_id, "answers.csv", content)
    html = console.page(page)
    assert 'name="time_format" value="%m/%d/%Y %H:%M:%S"' in html
    start(console, page, time_format="%m/%d/%Y %H:%M:%S")
    assert "Joined 3" in wait_for_report(console, page)
    assert bakery.line() == ["cyd@example.com", "bob@example.com", "ada@example.com"]
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "bob@example.com")
    assert (found["profile"], found["joined_at"]) == (
        {"How many?": "1", "email": "bob@example.com"},
        "2025-11-24T09:05:11.000Z",
    )


def test_a_dry_run_shows_the_result_and_imports_nobody(console: Opened, bakery: Bakery) -> None:
    page = drop(console, bakery.waitlist_id, "answers.csv", FORMS)
    form = {
        "column": ["Timestamp", "Email Address", "How many?"],
        "target": ["joined_at", "customer_id", "profile"],
        "time_format": "%m/%d/%Y %H:%M:%S",
    }
    headers = {"HX-Request": "true", "Origin": console.origin}
    text = readable(console.browser.post(f"{page}/try", data=form, headers=headers).text)
    assert "Rows 6 People 3 Duplicates 1 Refused 2" in text
    assert re.search("1 cyd@.*2 bob@.*3 ada@", text)
    assert "Row 4: ada@example.com , same as row 1" in text
    assert "1 row: Timestamp: 'soon' is not a time such as %m/%d/%Y %H:%M:%S" in text
    assert "row 5, row 6" in text
    assert bakery.line() == []
    wrong = {**form, "target": ["profile"] * 3}
    answered = console.browser.post(f"{page}/try", data=wrong, headers=headers)
    assert (answered.status_code, "exactly one" in readable(answered.text)) == (422, True)


def test_people_are_imported_by_address(console: Opened, bakery: Bakery) -> None:
    """On a waitlist that identifies people by email address, an import stores the address only in
    the profile (promise P8).
    """
    bakery.typed.run("edit", bakery.waitlist_id, "--identity", "email")
    content = "Name,E-Mail\nAda,Ada@example.com\nAda L.,ada+x@example.com\nBob,bob\n"
    page = drop(console, bakery.waitlist_id, "people.csv", content)
    html = console.page(page)
    assert re.findall(r'<option value="(\w+)" selected>(?!Comma|UTF)', html) == [
        "profile",
        "address",
    ]
    assert "Try it (nothing is written)" in html
    form = {"column": ["Name", "E-Mail"], "target": ["profile", "address"], "identity": "email"}
    headers = {"HX-Request": "true", "Origin": console.origin}
    text = readable(console.browser.post(f"{page}/try", data=form, headers=headers).text)
    assert "Nothing was written" in text
    assert "Rows 3 People 1 Duplicates 1 Refused 1" in text
    assert "1 Ada@example.com " in text
    assert "Row 2: Ada@example.com , same as row 1" in text
    both = {**form, "target": ["customer_id", "address"]}
    answered = console.browser.post(f"{page}/try", data=both, headers=headers)
    assert (answered.status_code, "exactly one" in readable(answered.text)) == (422, True)
    start(console, page, identity="email", tokens="yes")
    assert "Joined 1 Already on the list 1" in wait_for_report(console, page)
    found = bakery.typed.json("find", bakery.waitlist_id, "--email", "ADA@example.com")
    assert found["profile"] == {"email": "Ada@example.com", "Name": "Ada"}


def test_an_export_in_json_lines_is_imported_with_tokens(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", profile={"name": "Ada"}, attributes={"language": "de"})
    exported = bakery.typed.run("export", bakery.waitlist_id, "--format", "jsonl")
    bakery.typed.run("erase", bakery.waitlist_id, "--customer", "ada", "--yes")
    page = drop(console, bakery.waitlist_id, "people.jsonl", exported)
    start(console, page, tokens="yes")
    assert "Joined 1" in wait_for_report(console, page)
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")
    assert (found["profile"], found["attributes"]) == ({"name": "Ada"}, {"language": "de"})
    tokens = console.browser.get(f"{page}/tokens").text
    assert tokens.splitlines()[0] == "entry_id,customer_id,entry_token,link,address"
    assert len(tokens.splitlines()) == 2


def test_an_export_of_everyone_is_imported_unchanged(console: Opened, bakery: Bakery) -> None:
    """When everyone is exported and imported, people who were held back stay held back.

    The page says which data the import omits.
    """
    bakery.sign_up("ada", "bob", "cyd", "dan", profile={"name": "Zoë"})
    name = bakery.waitlist_id
    bakery.typed.run("ready", name, "--customer", "bob", "--no", "--reason", "papers")
    bakery.typed.run("bump", name, "--customer", "cyd", "--front")
    bakery.typed.run("remove", name, "--customer", "dan")
    bakery.typed.run("remove", name, "--customer", "ada", "--ban")
    path = f"/lists/{name}/export"
    assert f'href="{path}?status=all&amp;form=csv"' in console.page(f"/lists/{name}/people")
    answered = console.browser.get(path, params={"status": "all", "form": "csv"})
    copy = new_bakery(bakery.typed)
    page = drop(console, copy.waitlist_id, "people.csv", answered.content)
    html = console.page(page)
    assert html.count(">As in the export</option>") >= 6
    start(console, page)
    text = wait_for_report(console, page)
    assert "Joined 2 Already on the list 0 Left or admitted before 0 Banned 1 Left out 1" in text
    assert "Had left there: not added: 1" in text
    assert copy.line() == ["cyd", "bob"]
    found = bakery.typed.json("show", copy.waitlist_id, "--customer", "bob")
    assert (found["held_back_reason"], found["profile"]) == ("papers", {"name": "Zoë"})


def test_addresses_in_another_programs_file_are_used_for_messages(
    console: Opened, bakery: Bakery
) -> None:
    content = "id,Email Address,Mobile\n1,ada@example.com,030 1234567\n"
    page = drop(console, bakery.waitlist_id, "people.csv", content)
    start(console, page)
    wait_for_report(console, page)
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "1")
    assert found["profile"] == {"email": "ada@example.com", "phone": "030 1234567"}


def test_refused_rows_have_the_delimiter_that_the_file_declares(
    console: Opened, bakery: Bakery
) -> None:
    content = "sep=|\nid|name, first\nada|Ada\nb b|B\n"
    page = drop(console, bakery.waitlist_id, "people.csv", content)
    assert '<option value="|" selected>' in console.page(page)
    start(console, page)
    assert "Joined 1" in wait_for_report(console, page)
    refused = console.browser.get(f"{page}/refused").text
    assert '"b b"|"B"|"2"|' in refused


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty.csv is empty"),
        ("twice.csv", b"a,a\n1,2\n", "columns with the same name"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_a_reason(
    scripted: Opened, fake: FakeService, name: str, content: bytes, message: str
) -> None:
    page = drop(scripted, "bakery", name, content)
    fake.script = [answer(200, WAITLIST)]
    shown = scripted.browser.get(page)
    assert (shown.status_code, message in readable(shown.text)) == (422, True)


EXCEL = "customer_id;name;ort\r\n1;Jörg Müller;Köln\r\n2;Zoë;Düsseldorf\r\n".encode("cp1252")


def test_a_csv_file_from_excel_is_read_in_its_encoding(console: Opened, bakery: Bakery) -> None:
    page = drop(console, bakery.waitlist_id, "people.csv", EXCEL)
    html = console.page(page)
    assert '<option value="cp1252" selected>Windows-1252 (Western Europe)' in html
    assert "Jörg Müller · Zoë" in readable(html)
    start(console, page)
    assert "Joined 2" in wait_for_report(console, page)
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "1")
    assert found["profile"] == {"name": "Jörg Müller", "ort": "Köln"}


def test_the_operator_can_choose_another_encoding(scripted: Opened, fake: FakeService) -> None:
    fake.answers = {"GET": answer(200, WAITLIST)}
    page = drop(scripted, "bakery", "people.csv", EXCEL)
    html = scripted.page(f"{page}?encoding=cp1251&delimiter=;")
    assert '<option value="cp1251" selected>' in html
    assert "Jцrg" in readable(html)
    start(scripted, f"{page}?encoding=utf-8&delimiter=;")
    assert "Refused 2" in wait_for_report(scripted, page)


def test_bytes_outside_the_encoding_are_shown(scripted: Opened, fake: FakeService) -> None:
    fake.answers = {"GET": answer(200, WAITLIST)}
    page = drop(scripted, "bakery", "people.csv", b"customer_id,n\n1,J\xf6rg\n")
    assert "J�rg" in readable(scripted.page(f"{page}?encoding=utf-8"))
    answered = scripted.browser.get(f"{page}?encoding=none")
    assert (answered.status_code, "is not an encoding" in readable(answered.text)) == (422, True)
    header = drop(scripted, "bakery", "people.csv", b"customer_id,n\xf6\n1,x\n")
    answered = scripted.browser.get(f"{header}?encoding=utf-8")
    assert (answered.status_code, "Choose another encoding" in readable(answered.text)) == (
        422,
        True,
    )


def test_a_spreadsheet_is_refused_before_it_is_read(scripted: Opened) -> None:
    answered = scripted.browser.post(
        "/lists/bakery/import",
        params={"name": "people.xlsx"},
        content=b"PK",
        headers={"HX-Request": "true", "Origin": scripted.origin},
    )
    assert (answered.status_code, "Save a spreadsheet as CSV" in answered.text) == (422, True)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (["profile", "profile"], "column that contains the customer ids"),
        (["customer_id", "customer_id"], "column that contains the customer ids"),
    ],
)
def test_exactly_one_column_holds_the_customer_ids(
    scripted: Opened, fake: FakeService, targets: list[str], message: str
) -> None:
    page = drop(scripted, "bakery", "people.csv", "a,b\n1,2\n")
    data = {"column": ["a", "b"], "target": targets, "delimiter": ","}
    headers = {"HX-Request": "true", "Origin": scripted.origin}
    answered = scripted.browser.post(page, data=data, headers=headers)
    assert (answered.status_code, message in readable(answered.text)) == (422, True)
    assert fake.requests == []


def test_an_interrupted_upload_is_not_kept(scripted: Opened, fake: FakeService) -> None:
    def breaking() -> Iterator[bytes]:
        yield b"customer_id\nada\n"
        raise ConnectionError

    guard = scripted.guard
    with listening(guard), browser_over_network(guard.host) as browser:
        browser.get("/", params={"token": guard.new_token()})
        with pytest.raises(ConnectionError):
            browser.post(
                "/lists/bakery/import",
                params={"name": "people.csv"},
                content=breaking(),
                headers={"HX-Request": "true", "Origin": guard.origin},
            )
    fake.answers = {"GET": answer(200, WAITLIST)}
    assert "people.csv" not in scripted.text("/lists/bakery/import")


def test_a_column_with_any_name_can_be_left_out(console: Opened, bakery: Bakery) -> None:
    page = drop(console, bakery.waitlist_id, "people.csv", "customer_id,a=b,keep\nada,x,y\n")
    data = {"column": ["customer_id", "a=b", "keep"], "target": ["customer_id", "-", "profile"]}
    headers = {"HX-Request": "true", "Origin": console.origin}
    sent = {**data, "delimiter": ","}
    assert console.browser.post(page, data=sent, headers=headers).status_code == 200
    assert "Joined 1" in wait_for_report(console, page)
    found = bakery.typed.json("show", bakery.waitlist_id, "--customer", "ada")
    assert found["profile"] == {"keep": "y"}


def people(rows: int) -> str:
    return "customer_id\n" + "\n".join(f"c{number:06}" for number in range(rows)) + "\n"


def test_a_cancelled_import_can_be_continued(scripted: Opened, fake: FakeService) -> None:
    reached, may_go_on = threading.Event(), threading.Event()

    def hold(calls: int) -> None:
        if calls == 2:
            reached.set()
            assert may_go_on.wait(60)

    fake.on_import = hold
    fake.answers = {"GET": answer(200, WAITLIST)}
    page = drop(scripted, "bakery", "people.csv", people(2200))
    start(scripted, page)
    assert reached.wait(60)
    assert "Importing" in scripted.text(page)
    assert "Another file is being processed for this list" in drop_another_file(scripted)
    scripted.submit(f"{page}/cancel")
    may_go_on.set()
    assert "Rows done 1,000" in wait_for_report(scripted, page)
    assert "If you continue, the import starts at row 1,001." in scripted.text(page)
    assert scripted.send(page).headers["HX-Redirect"] == page
    assert "Rows done 2,200 Joined 2,200" in wait_for_report(scripted, page)
    assert fake.line() == [f"c{number:06}" for number in range(2200)]


def drop_another_file(console: Opened) -> str:
    page = drop(console, "bakery", "more.csv", people(1))
    data = {"column": "customer_id", "target": "customer_id", "delimiter": ","}
    return console.submit_refused(page, **data)


def test_a_refused_import_shows_the_reason_and_can_be_continued(
    scripted: Opened, fake: FakeService
) -> None:
    fake.answers = {"GET": answer(200, WAITLIST)}
    page = drop(scripted, "bakery", "people.csv", people(600))
    html = scripted.page(page)
    assert "c000000" in html
    fake.script = [problem(403, "forbidden", "The security token is expired.")]
    data = {"column": "customer_id", "target": "customer_id", "delimiter": ","}
    scripted.send(page, **data)
    text = wait_for_report(scripted, page)
    assert "The security token is expired. forbidden" in text
    assert "starts at row 1." in text
    scripted.send(page)
    assert "Rows done 600" in wait_for_report(scripted, page)


def test_stopping_the_console_stops_its_imports(fake: FakeService) -> None:
    from tests.unit.cli.console.opened import api_of, opened

    reached, may_go_on = threading.Event(), threading.Event()

    def hold(_calls: int) -> None:
        reached.set()
        assert may_go_on.wait(60)

    fake.on_import = hold
    fake.answers = {"GET": answer(200, WAITLIST)}
    with opened(api_of(fake.url)) as console:
        page = drop(console, "bakery", "people.csv", people(3000))
        start(console, page)
        assert reached.wait(60)
        console.send(f"{page}/cancel")
        may_go_on.set()
    assert len(fake.people) == 500
    assert not [one for one in threading.enumerate() if one.name.startswith("file-")]


def test_an_unknown_import_is_explained(scripted: Opened) -> None:
    shown = scripted.browser.get("/lists/bakery/import/77")
    assert (shown.status_code, "forgets its files when it ends" in readable(shown.text)) == (
        404,
        True,
    )


def test_a_file_of_3_megabytes_is_imported(scripted: Opened, fake: FakeService) -> None:
    fake.answers = {"GET": answer(200, WAITLIST)}
    note = "x" * 1_200
    lines = [json.dumps({"customer_id": f"c{one}", "note": note}) for one in range(2_500)]
    page = drop(scripted, "bakery", "people.jsonl", "\n".join(lines))
    start(scripted, page)
    assert "Rows done 2,500 Joined 2,500" in wait_for_report(scripted, page)


def test_a_guests_entry_is_kept_with_a_warning_or_replaced(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob")
    content = "customer_id\nbob\ncyd\n"
    page = drop(console, bakery.waitlist_id, "people.csv", content)
    assert "Customers whose id a guest has already used to sign up" in readable(console.page(page))
    start(console, page, on_list="keep")
    text = wait_for_report(console, page)
    assert "Joined 1 Already on the list 1" in text
    assert "1 customer has an entry that a guest signed up (row 1)" in text
    page = drop(console, bakery.waitlist_id, "people.csv", content)
    start(console, page, on_list="replace")
    text = wait_for_report(console, page)
    assert "Joined 1 Already on the list 1" in text
    assert "guest's signup" not in text
    assert bakery.line() == ["ada", "cyd", "bob"]
