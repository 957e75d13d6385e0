"""Tests the unsubscribe button that email programs show (RFC 8058).

A person who presses it gets no more messages about this signup, but keeps their place.
"""

from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from typing import Any

import pytest
from aws_lambda_powertools import Logger

from tests.service.messages.stage import Stage, staged
from tests.service.messages.stand_ins import mime, raw_of
from tests.support.faults import Call
from tests.support.gateway import Answer, Caller
from tests.support.world import SECRET
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.handlers import messages as messages_handler
from waitlist_api.http.api import Api

FORM = {"content-type": "application/x-www-form-urlencoded"}
BASE = "https://example.net"


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged(monkeypatch) as made:
        yield made


def unsubscribe_path(mail: dict[str, Any]) -> str:
    header = str(mime(mail)["List-Unsubscribe"])
    assert header.startswith(f"<{BASE}/v1/waitlists/")
    assert header.endswith(">")
    return header[len(BASE) + 1 : -1]


def click(stage: Stage, path: str, method: str = "POST", **more: Any) -> Answer:
    """Send an email program's request to unsubscribe a person.

    The request may come from any origin.
    """
    text = "List-Unsubscribe=One-Click" if method == "POST" else None
    headers = {**FORM, "sec-fetch-site": "cross-site", **more}
    return stage.world.request(method, path, raw_body=text, headers=headers)


def joined(stage: Stage, name: str = "ada") -> str:
    stage.joins(name)
    assert stage.send_news() == []
    return unsubscribe_path(stage.stand_ins.mails[-1])


def own(stage: Stage, name: str, **body: Any) -> Answer:
    path = f"{stage.people.path}/entries/{stage.people.id_of(name)}"
    return stage.world.request("PATCH", path, body=body, token=stage.people.token_of(name))


def test_one_click_ends_the_messages_of_this_stay_but_those_that_are_asked_for(
    stage: Stage,
) -> None:
    path = joined(stage)
    first = click(stage, path)
    assert (first.status, first.headers["cache-control"]) == (200, "no-store")
    assert "You will get no more messages" in first.text
    assert click(stage, path).text == first.text
    stage.people.admit(1)
    stage.people.leave("ada")
    assert stage.send_news() == []
    assert len(stage.stand_ins.mails) == 1
    whole = stage.world.request("GET", stage.people.admin_entry("ada"), operator=True).json
    assert whole["messages_off"]
    stage.world.advance(1)
    stage.joins("ada")
    assert click(stage, path).text == first.text, "a late request gets the same response"
    assert stage.send_news() == []
    assert len(stage.stand_ins.mails) == 2, "messages about the next signup are sent"


def test_unsubscribing_during_a_reinstatement_stays_in_effect(stage: Stage) -> None:
    """A person unsubscribes while an operator is reinstating their entry. They must get no messages
    after the reinstatement either (promise P3).
    """
    path = joined(stage)
    stage.people.leave("ada")
    stage.world.advance(1)
    elsewhere, clicks = stage.people_elsewhere(), list[int]()

    def fault(call: Call) -> Any:
        if call.name == "PutItem" and "joining" in str(call.arguments["Item"]["status"]):
            stage.wire.disarm()
            stage.world.advance(1)
            answer = elsewhere.world.request("POST", path, raw_body="", headers=FORM)
            clicks.append(answer.status)
        return call.make()

    for step in range(100):
        stage.wire.also(step, fault)
    assert stage.people.reinstate("ada").status == 200
    assert clicks == [200]
    assert elsewhere.person("ada").json["messages_off"]


def test_a_requested_link_is_sent_even_after_unsubscribing(stage: Stage) -> None:
    stage.configure(identity={"field": "email", "verify": "before_offer"})
    body = {"email": "ada@example.com"}
    path = f"{stage.people.path}/entries"
    assert stage.world.request("POST", path, body={"profile": body}).status == 202
    assert stage.send_news() == []
    assert "List-Unsubscribe" not in mime(stage.stand_ins.mails[0])
    entries = stage.world.request("GET", f"{stage.people.admin_path}/entries", operator=True).json
    key = ("bakery", entries["entries"][0]["entry_id"])
    record = stage.world.services.entries.get(*key)
    assert record is not None
    assert stage.world.services.recipients.turn_off(*key, record.ticket or 0)
    stage.world.advance(3600)
    assert stage.world.request("POST", f"{stage.people.path}/links", body=body).status == 202
    assert stage.send_news() == []
    assert len(stage.stand_ins.mails) == 2


def test_a_get_or_head_changes_nothing_and_shows_a_button(stage: Stage) -> None:
    stage.configure(name="Bäckerei <Nord>")
    path = joined(stage)
    page = click(stage, path, "GET", **{"accept-language": "de-AT, en;q=0.5"})
    assert page.status == 200
    assert '<form method="post"><button>Keine Nachrichten mehr senden</button></form>' in page.text
    assert "<bdi>Bäckerei &lt;Nord&gt;</bdi>" in page.text
    assert "form-action 'self'" in page.headers["content-security-policy"]
    head = click(stage, path, "HEAD", **{"accept-language": "de-AT, en;q=0.5"})
    assert (head.status, head.headers, head.text) == (200, page.headers, "")
    assert click(stage, path[:-1], "HEAD").status == 403
    stage.people.admit(1)
    assert stage.send_news() == []
    assert len(stage.stand_ins.mails) == 2


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_wrong_code_shows_nothing_of_anyone(stage: Stage, method: str) -> None:
    path = joined(stage)
    before, _, code = path.rpartition("/")
    others = EntryTokens("another-secret-of-32-characters-or-more")
    entry_id, stay = stage.people.id_of("ada"), stage.people.stay_of("ada")
    wrong = [
        code[:-1] + ("A" if code[-1] != "A" else "B"),
        code.swapcase(),
        "x",
        others.unsubscribe_code("bakery", entry_id, stay),
        EntryTokens(SECRET).unsubscribe_code("library", entry_id, stay),
        EntryTokens(SECRET).issue("bakery", entry_id, stay),
    ]
    paths = [f"{before}/{one}" for one in wrong]
    paths += [path.replace("bakery", one) for one in ("library", "B%C3%A4r")]
    answers = {(one.status, one.text) for one in (click(stage, path, method) for path in paths)}
    assert len(answers) == 1, (paths, answers)
    ((status, text),) = answers
    assert status == 403
    assert "This link does not work. Nothing was changed." in text
    stage.people.admit(1)
    assert stage.send_news() == []
    assert len(stage.stand_ins.mails) == 2


def test_a_person_switches_messages_off_and_on(stage: Stage) -> None:
    path = joined(stage)
    assert own(stage, "ada").json["messages"] == "on"
    assert own(stage, "ada", messages="off").json["messages"] == "off"
    assert own(stage, "ada", messages="on").json["messages"] == "on"
    click(stage, path)
    assert own(stage, "ada", profile={}).json["messages"] == "off"
    assert own(stage, "ada", messages="on").json["messages"] == "on"
    stage.people.admit(1)
    assert stage.send_news() == []
    assert len(stage.stand_ins.mails) == 2
    history = stage.world.request(
        "GET", stage.people.admin_entry("ada"), query="include=history", operator=True
    ).json["history"]
    assert "edited" not in [one["event"] for one in history]
    stage.configure(messages=None)
    assert "messages" not in own(stage, "ada").json
    refused = own(stage, "ada", messages="off")
    assert (refused.status, refused.json["errors"][0]["field"]) == (422, "body.messages")


def test_the_header_is_one_line_as_it_was_written(stage: Stage) -> None:
    """The header must not be wrapped or encoded, or email programs would not find the URL in it."""
    people = replace(stage.people, waitlist_id="b" * 63)
    stage.people = people
    stage.configure()
    path = joined(stage)
    mail = raw_of(stage.stand_ins.mails[-1])
    lines = mail.split(b"\r\n\r\n")[0].split(b"\r\n")
    assert f"List-Unsubscribe: <{BASE}{path}>".encode() in lines
    assert b"List-Unsubscribe-Post: List-Unsubscribe=One-Click" in lines
    assert max(map(len, lines)) <= 998
    parsed = message_from_bytes(mail, policy=default)
    assert str(parsed["List-Unsubscribe"]) == f"<{BASE}{path}>"
    assert click(stage, path).status == 200


def test_emails_to_customers_with_accounts_have_the_header(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.joins("ada")
    monkeypatch.setenv("JWT_ISSUER", "https://issuer.example")
    messages_handler.batches.cache_clear()
    assert stage.send_news() == []
    path = unsubscribe_path(stage.stand_ins.mails[-1])
    logger = Logger(service="test", level="CRITICAL")
    with_issuer = Api(
        stage.world.services.container, None, logger, code_keys=lambda: EntryTokens(SECRET)
    )
    answer = Caller(with_issuer.handle).request("POST", path, raw_body="", headers=FORM)
    assert answer.status == 200
    stage.people.admit(1)
    assert stage.send_news() == []
    assert len(stage.stand_ins.mails) == 1
