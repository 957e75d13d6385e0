"""The console shows the customer page's settings in a form, and saves them."""

import re
from typing import Any

import httpx
import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened, readable
from waitlist_api.http.page.files import files
from waitlist_api.http.schemas.customers import LookAnswer

PAGE = {
    "text": "Fresh bread.\r\nEvery day.",
    "colour": "#0b6e4f",
    "logo_url": "https://example.com/logo.svg",
    "header_url": "https://example.com/header.jpg",
    "font": "serif",
    "enter_url": "http://localhost:9/enter",
    "privacy_url": "https://example.com/privacy",
    "imprint_url": "https://example.com/imprint",
    "image_url": "https://example.com/preview.png",
    "index": "yes",
    "source": "city",
    "sources": "Mitte\r\nn",
    "texts": "en.join: Count me in\r\nen.count.one: {n} waits\r\nen.count.other: {n} wait",
}
WORDS = {"en": {"join": "Count me in", "count": {"one": "{n} waits", "other": "{n} wait"}}}
EMAIL = {
    "question_name": "email",
    "question_label": "Email",
    "question_type": "email",
    "question_required": "yes",
    "question_kept_in": "profile",
    "question_options": "left behind",
    "question_version": "",
}
CITY = {
    "question_name": "city",
    "question_label": "Branch",
    "question_type": "select",
    "question_required": "no",
    "question_kept_in": "attributes",
    "question_options": "Mitte\r\n\r\n n | en: North |de: Nord \r\n",
    "question_version": "",
}
TERMS = {
    **EMAIL,
    "question_name": "terms",
    "question_label": "en: I agree.\r\nde: Ich stimme zu.",
    "question_type": "checkbox",
    "question_version": "2026-11",
}


def form_of(*questions: dict[str, str], **changes: str) -> dict[str, Any]:
    """Return the form's values with these questions.

    The form repeats the same fields for each question, so each of these fields has a list as its
    value.
    """
    columns = {name: [one[name] for one in questions] for name in EMAIL} if questions else {}
    return {**PAGE, **changes, **columns}


def send(console: Opened, path: str, form: dict[str, Any], **headers: str) -> httpx.Response:
    headers = {"HX-Request": "true", "Origin": console.origin, **headers}
    return console.browser.post(path, data=form, headers=headers)


def path_of(bakery: Bakery) -> str:
    return f"/lists/{bakery.waitlist_id}/page"


def test_the_customers_page_is_set_shown_and_emptied(console: Opened, bakery: Bakery) -> None:
    path = path_of(bakery)
    assert "The join form asks nothing." in console.text(path)
    assert f'href="{bakery.typed.json("page", bakery.waitlist_id)["address"]}"' in console.page(
        path
    )
    bakery.typed.run("policy", bakery.waitlist_id, "--rate", "5/minute")
    assert send(console, path, form_of(EMAIL, CITY, TERMS)).headers["HX-Redirect"] == path
    found = bakery.typed.json("show", bakery.waitlist_id)
    assert found["page"] == {
        **PAGE,
        "text": "Fresh bread.\nEvery day.",
        "fields": [
            {
                "name": "email",
                "label": "Email",
                "type": "email",
                "required": True,
                "options": [],
                "kept_in": "profile",
                "version": None,
            },
            {
                "name": "city",
                "label": "Branch",
                "type": "select",
                "required": False,
                "options": ["Mitte", {"value": "n", "labels": {"en": "North", "de": "Nord"}}],
                "kept_in": "attributes",
                "version": None,
            },
            {
                "name": "terms",
                "label": {"en": "I agree.", "de": "Ich stimme zu."},
                "type": "checkbox",
                "required": True,
                "options": [],
                "kept_in": "profile",
                "version": "2026-11",
            },
        ],
        "index": True,
        "sources": ["Mitte", "n"],
        "texts": WORDS,
    }
    assert found["admission"]["rate"]["count"] == 5
    html = console.page(path)
    assert "The page was saved." in readable(html)
    assert ">Mitte\nn | en: North | de: Nord</textarea>" in html
    assert ">en: I agree.\nde: Ich stimme zu.</textarea>" in html
    assert ">{}</textarea>".format(PAGE["texts"].replace("\r\n", "\n")) in html
    # When an operator clears a text in the form or removes a question, the setting no longer
    # contains it.
    send(
        console, path, form_of(source="", sources="", texts="en.count.other: {n}\r\nde.text: A\\nB")
    )
    changed = bakery.typed.json("show", bakery.waitlist_id)["page"]
    assert changed["texts"] == {"en": {"count": {"other": "{n}"}}, "de": {"text": "A\nB"}}
    assert changed["fields"] == []
    send(console, path, dict.fromkeys(PAGE, ""))
    assert bakery.typed.json("show", bakery.waitlist_id)["page"] is None


@pytest.mark.parametrize(
    ("change", "question", "field", "message"),
    [
        ({"colour": "green"}, {}, "colour", "#rrggbb"),
        ({"logo_url": "http://example.com/logo.svg"}, {}, "logo_url", "https://"),
        ({"enter_url": "javascript:alert(1)"}, {}, "enter_url", "http:// URL of localhost"),
        ({"text": "x" * 2001}, {}, "text", "2000"),
        ({}, {"question_name": "Branch"}, "fields.1.name", "such as language"),
        ({}, {"question_label": ""}, "fields.1.label", "at least 1"),
        ({}, {"question_label": "x" * 101}, "fields.1", "at most 100"),
        ({"texts": "en.jion: Join"}, {}, "texts", "no such text"),
        ({}, {"question_options": ""}, "fields.1", "must have options"),
        ({}, {"question_options": "x" * 65}, "fields.1.options", "at most 64"),
        ({}, {**EMAIL}, "fields", "each name only once"),
    ],
)
def test_an_error_of_the_service_is_shown_beside_its_field(
    console: Opened,
    bakery: Bakery,
    change: dict[str, str],
    question: dict[str, str],
    field: str,
    message: str,
) -> None:
    form = form_of(EMAIL, {**CITY, **question}, **change)
    answer = send(console, path_of(bakery), form)
    assert (answer.status_code, answer.headers["HX-Retarget"]) == (422, "#page")
    assert "<main" not in answer.text
    (beside,) = re.findall(rf'id="wrong-{re.escape(field)}">([^<]*)<', answer.text)
    assert message in beside
    # A form that comes back with an error still contains everything the operator has entered.
    for name in PAGE:
        value = form[name].replace("\r\n", "\n")
        assert value in answer.text
    assert bakery.typed.json("show", bakery.waitlist_id)["page"] is None


def test_a_question_without_a_name_gets_a_name_from_its_label(
    console: Opened, bakery: Bakery
) -> None:
    labels = {
        "Straße, Nr.": "text",
        "en: Ihre Straße\r\nde: Straße": "text",
        "How can we reach you?": "tel",
        "Mobile": "tel",
        "اسمك": "text",
        "2nd " + "name " * 12: "text",
        "Strasse nr": "text",
    }
    questions = [
        {**EMAIL, "question_name": "", "question_label": label, "question_type": kind}
        for label, kind in labels.items()
    ]
    send(console, path_of(bakery), form_of(*questions, source="", sources=""))
    names = [one["name"] for one in bakery.typed.json("show", bakery.waitlist_id)["page"]["fields"]]
    assert names == [
        "strasse_nr",
        "ihre_strasse",
        "phone",
        "mobile",
        "question_1",
        "nd_name_name_name_name_name_name",
        "strasse_nr_2",
    ]


def test_without_scripts_an_error_is_shown_on_the_whole_page(
    console: Opened, bakery: Bakery
) -> None:
    form = form_of(colour="green")
    answer = console.browser.post(path_of(bakery), data=form, headers={"Origin": console.origin})
    assert (answer.status_code, "<html" in answer.text) == (422, True)
    assert 'id="wrong-colour"' in answer.text


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("add", ["email", "city", ""]),
        ("up 1", ["city", "email"]),
        ("up 0", ["email", "city"]),
        ("remove 0", ["city"]),
        ("remove 7", ["email", "city"]),
        ("up", ["email", "city"]),
    ],
)
def test_questions_are_added_moved_and_removed_without_saving(
    console: Opened, bakery: Bakery, order: str, names: list[str]
) -> None:
    form = {**form_of(EMAIL, CITY, text="not saved"), "do": order}
    answer = send(console, f"{path_of(bakery)}/questions", form)
    assert re.findall(r'name="question_name" value="([^"]*)"', answer.text) == names
    assert "not saved" in answer.text
    assert bakery.typed.json("show", bakery.waitlist_id)["page"] is None


def test_the_customers_page_is_previewed_before_it_is_saved(
    console: Opened, bakery: Bakery
) -> None:
    path = f"/lists/{bakery.waitlist_id}/page"
    form = {
        "text": "Fresh <b>bread</b>\r\nEvery day",
        "colour": "#0b6e4f",
        "question_name": "email",
        "question_label": "E-mail",
        "question_type": "email",
        "question_required": "yes",
        "question_kept_in": "profile",
        "question_options": "",
        "question_version": "",
    }
    form["logo_url"] = "https://example.com/logo.svg"
    assert f'src="{path}/preview/frame?state=join"' in console.send(f"{path}/preview", **form).text
    frame = console.browser.get(f"{path}/preview/frame")
    api = f"{path}/preview/join/"
    assert (
        f'<waitlist-position waitlist="{bakery.waitlist_id}" api="{console.origin}{api}" inert>'
        in frame.text
    )
    policy = frame.headers["content-security-policy"]
    assert "img-src 'self' https://example.com;" in policy
    assert "frame-ancestors 'self'" in policy
    shown = console.browser.get(f"{api}v1/waitlists/{bakery.waitlist_id}").json()
    assert (shown["name"], shown["line"]) == ("Bakery", "open")
    assert shown["page"]["text"] == "Fresh <b>bread</b>\nEvery day"
    assert (shown["page"]["colour"], shown["page"]["fields"][0]["label"]) == ("#0b6e4f", "E-mail")
    assert bakery.typed.json("show", bakery.waitlist_id)["page"] is None


def test_a_preview_serves_the_files_of_the_page_and_signs_nobody_up(
    console: Opened, bakery: Bakery
) -> None:
    path = f"/lists/{bakery.waitlist_id}/page/preview"
    for name in ("waitlist-position.js", "waitlist-position.css", "en.json", "form.js"):
        served = console.browser.get(f"{path}/assets/latest/{name}")
        assert served.text == files()[name].text
        assert served.headers["content-type"].startswith(
            files()[name].content_type.partition(";")[0]
        )
    assert console.browser.get(f"{path}/assets/latest/..%2fhealth").status_code == 404
    entries = f"{path}/waiting/v1/waitlists/{bakery.waitlist_id}/entries"
    headers = {"Origin": console.origin}
    assert console.browser.post(entries, json={}, headers=headers).status_code == 404
    mine = f"{entries}/me"
    assert console.browser.get(mine).json()["position"] == 7
    assert console.browser.delete(mine, headers=headers).status_code == 405
    assert bakery.line() == []


@pytest.mark.parametrize(
    ("state", "status", "field"),
    [
        ("waiting", "waiting", "estimated_wait"),
        ("offered", "offered", "offered_until"),
        ("called", "offered", "call"),
    ],
)
def test_the_preview_shows_the_chosen_state_and_language(
    console: Opened, bakery: Bakery, state: str, status: str, field: str
) -> None:
    path = f"/lists/{bakery.waitlist_id}/page/preview"
    sent = console.send(path, state=state, language="de")
    assert f'src="{path}/frame?state={state}&amp;language=de"' in sent.text
    frame = console.page(f"{path}/frame?state={state}&language=de")
    assert f'api="{console.origin}{path}/{state}/" account lang="de" inert>' in frame
    entry = console.browser.get(f"{path}/{state}/v1/waitlists/{bakery.waitlist_id}/entries/me")
    found = entry.json()
    assert found["status"] == status
    fields = ("estimated_wait", "offered_until", "call")
    assert [name for name in fields if found[name] is not None] == [field]
    # The console ignores unknown states and languages.
    assert f'src="{path}/frame?state=join"' in console.send(path, state="x", language="x").text


def test_the_invented_entry_has_only_fields_of_a_real_one(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/page/preview/waiting/v1/waitlists/{bakery.waitlist_id}"
    invented = console.browser.get(f"{path}/entries/me").json()
    assert invented.keys() <= LookAnswer.model_fields.keys()


@pytest.mark.parametrize(
    "wrong",
    [
        {"colour": 'red" onload="x'},
        {"logo_url": "https://example.com; script-src *"},
        {"logo_url": "http://[::1/"},
        {"header_url": "https://example.com; script-src *"},
    ],
    ids=["a colour", "another policy", "no address", "another policy by the picture"],
)
def test_a_preview_leaves_out_values_that_the_service_would_refuse(
    console: Opened, bakery: Bakery, wrong: dict[str, str]
) -> None:
    path = f"/lists/{bakery.waitlist_id}/page/preview"
    assert console.send(path, **wrong).status_code == 200
    shown = console.browser.get(f"{path}/join/v1/waitlists/{bakery.waitlist_id}").json()
    (name,) = wrong
    assert shown["page"][name] is None
    policy = console.browser.get(f"{path}/frame").headers["content-security-policy"]
    assert "script-src *" not in policy
