"""Tests the local service's mailbox page, which shows the messages that the service would send.

Each message appears once, and messages that no longer apply are left out.
"""

import json
from typing import Any

from tests.service.bus.scene import Scene
from tests.support.dynamodb import TABLE
from tests.support.world import SECRET
from tools.local.http_message import HttpRequest
from tools.local.mailbox import PATH, Mailbox
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.records.table import Table

KINDS = ["joined", "offered", "admitted", "left"]


def open_mailbox(scene: Scene, **messages: Any) -> Mailbox:
    settings = {"admission": {"offer_seconds": 600}, "messages": {"kinds": KINDS, **messages}}
    assert scene.configure(**settings).status == 200
    table, tokens = Table(scene.table, TABLE), EntryTokens(SECRET)
    return Mailbox(table, tokens, "http://127.0.0.1:8080", scene.clock.now_millis)


def joins(scene: Scene, name: str, languages: str = "") -> None:
    path, profile = f"{scene.people.path}/entries", {"email": f"{name}@example.com"}
    body = {"customer_id": name, "profile": profile}
    headers = {"accept-language": languages}
    assert scene.world.request("POST", path, body=body, headers=headers).status == 201


def read(mailbox: Mailbox) -> list[dict[str, Any]]:
    asked = HttpRequest("GET", f"{PATH}.json", (("host", "127.0.0.1:8080"),))
    messages: list[dict[str, Any]] = json.loads(mailbox(asked).body)["messages"]
    return messages


def test_the_mailbox_shows_each_message_once_and_no_outdated_ones() -> None:
    scene = Scene()
    mailbox = open_mailbox(scene)
    joins(scene, "ada")
    joins(scene, "bob")
    joined = read(mailbox)
    assert [one["kind"] for one in joined] == ["joined", "joined"]
    header = joined[0]["headers"]["List-Unsubscribe"]
    page = mailbox(HttpRequest("GET", PATH, (("host", "127.0.0.1:8080"),))).body.decode()
    assert f'<a href="{header[1:-1]}">Unsubscribe</a>' in page
    assert scene.people.admit(2).status == 200
    assert scene.people.leave("bob").status == 204
    assert [(one["kind"], one["to"][:3]) for one in read(mailbox)[2:]] == [
        ("offered", "ada"),
        ("left", "bob"),
    ]
    assert scene.people.enter("ada").status == 200
    assert [one["kind"] for one in read(mailbox)[4:]] == ["admitted"]
    again = open_mailbox(scene)
    assert read(again) == [], "each message has been sent"


def test_words_language_and_direction_are_those_of_list_and_person() -> None:
    scene = Scene()
    own = {"de": {"joined": {"text": "Bis bald bei {name} <b>"}}}
    mailbox = open_mailbox(scene, language="ar", texts=own)
    joins(scene, "ada", "fr;q=0.3, de-AT;q=0.9, tlh")
    joins(scene, "bob", "tlh")
    german, arabic = read(mailbox)
    assert german["text"].startswith("Bis bald bei Bakery <b>\n\nhttp://127.0.0.1:8080/w/bakery#t=")
    assert "&lt;b&gt;" in german["html"]
    assert german["html"].count("href=") == 1
    assert 'lang="ar" dir="rtl"' in arabic["html"]


def test_texts_with_unknown_fields_or_placeholders_are_refused() -> None:
    scene = Scene()
    texts = ("{position}", "{until}", "{name", "{{name}}")
    path = "body.messages.texts"
    title = ({"title": "x"}, f"{path}.en.joined.title")
    own_texts = [title, *(({"text": one}, path) for one in texts)]
    for own, field in own_texts:
        messages = {"kinds": ["joined"], "texts": {"en": {"joined": own}}}
        refused = scene.people.configure(messages=messages)
        assert refused.code == "invalid_request"
        assert [one["field"] for one in refused.json["errors"]] == [field]


def test_a_list_that_begins_to_send_tells_nothing_of_before() -> None:
    scene = Scene()
    mailbox = open_mailbox(scene)
    path = "/v1/admin/waitlists/other"
    assert scene.world.request("PUT", path, operator=True, body={"name": "Other"}).status == 201
    told: list[Any] = []
    for name in ("ada", "bob"):
        body = {"customer_id": name, "profile": {"email": f"{name}@example.com"}}
        signup = "/v1/waitlists/other/entries"
        assert scene.world.request("POST", signup, body=body).status == 201
        for clock in (scene.clock, scene.redis_clock):
            clock.advance(1)
        told.append([one["to"][:3] for one in read(mailbox)])
        rules = {"messages": {"kinds": ["joined"]}}
        assert scene.world.request("PATCH", path, operator=True, body=rules).status == 200
    assert told == [[], ["bob"]]
