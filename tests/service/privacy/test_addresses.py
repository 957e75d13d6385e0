"""Tests that the address that identifies a person is stored only in the profile (promise P8).

The tests search everything that is stored, logged, counted, queued or sent. They also find other
spellings, encoded forms, and digests without a key.
"""

import base64
import hashlib
import json
import logging
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from tests.service.messages.stage import ENVIRON, Context
from tests.service.messages.stand_ins import SENT, StandIns, error, mime, part
from tests.service.privacy.deployment import Deployment, deployed
from tests.service.privacy.marks import index_texts, redis_texts
from tests.support.rights import guarded
from tools.local.bus import events_of
from waitlist_api.handlers import messages as messages_handler
from waitlist_api.http.even_times import EvenTimes

KINDS = ["joined", "verify", "offered", "confirm", "admitted", "left"]
KEY = "a-key-of-16-or-more"


@dataclass(frozen=True)
class Address:
    """A person's address in several spellings, and the addresses that they use later."""

    field: str
    # The spelling that the person signs up with.
    typed: str
    # Other spellings of the same address.
    others: tuple[str, ...]
    # The person first changes the address to `new`, and then to `newer`.
    new: str
    newer: str
    # The service computes an address's digest from this spelling.
    one: str
    # Short texts that occur only in these addresses.
    marks: tuple[str, ...]


MAIL = Address(
    "email",
    "Zq7.Wendeltreppe+Jazz@Quarkkeulchen.example",
    ("ZQ7.WENDELTREPPE@QUARKKEULCHEN.EXAMPLE", " zq7.wendeltreppe+x@quarkkeulchen.example"),
    "zq8.wendeltreppe@quarkkeulchen.example",
    "zq9.wendeltreppe@quarkkeulchen.example",
    "zq7.wendeltreppe@quarkkeulchen.example",
    ("wendeltreppe", "quarkkeulchen"),
)
PHONE = Address(
    "phone",
    "+49 151 555 04711",
    ("0049 (0)151 / 55504711", "tel:+49-151-55504711"),
    "+49 151 555 04712",
    "+49 151 555 04713",
    "+4915155504711",
    ("15155504711", "151 555 0471", "1515550471", "151-5550471", "151 / 5550471"),
)


def forms_of(address: Address) -> frozenset[str]:
    forms = {mark.lower() for mark in address.marks}
    for text in (
        *(address.typed, address.one, address.new, address.newer),
        *address.others,
    ):
        for spelling in {text, text.strip(), text.lower(), text.upper()}:
            sent = spelling.encode()
            forms |= {spelling, quote(spelling), quote(spelling, safe="")}
            for shift in range(3):
                encoded = base64.b64encode(b"." * shift + sent).decode().rstrip("=")
                forms.add(encoded[4 if shift else 0 : -1])
            for name in ("md5", "sha1", "sha256"):
                digest = hashlib.new(name, sent)
                forms |= {digest.hexdigest(), base64.b64encode(digest.digest()).decode()[:20]}
                forms.add(base64.b32encode(digest.digest()).decode()[:20])
    lowered = {form.lower() for form in forms}
    # A search for one of the marks also finds each form that contains the mark, so these forms are
    # left out.
    marks = {mark.lower() for mark in address.marks}
    return frozenset(
        form for form in lowered if form in marks or not any(mark in form for mark in marks)
    )


class Life:
    def __init__(self, service: Deployment, address: Address, stand_ins: StandIns) -> None:
        self.service, self.address, self.bodies = service, address, list[str]()
        self.stand_ins = stand_ins
        # Searches logs and queues for the address, also between the person's requests.
        self.check: Callable[[], None] = lambda: None
        self._taken = 0
        self.list, self.admin = "/v1/waitlists/people", "/v1/admin/waitlists/people"

    def sign_up(self, address: str, **more: Any) -> int:
        body = {"profile": {self.address.field: address, **more}}
        answer = self.service.customer("POST", f"{self.list}/entries", json=body)
        return answer.status_code

    def operator(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.service.operator(method, f"{self.admin}{path}", json=body)
        return answer.json() if answer.content else {}

    def send(self, path: str, token: str = "", method: str = "POST", **body: Any) -> Any:
        answer = self.service.customer(method, f"{self.list}{path}", token, json=body)
        return answer.json() if answer.content else {}

    def tell(self) -> None:
        events = events_of(self.service.table.records)
        news, self._taken = events[self._taken :], len(events)
        self.bodies += [json.dumps(one) for one in news]
        records = [
            {
                "messageId": str(number),
                "receiptHandle": f"handle-{number}",
                "eventSource": "aws:sqs",
                "attributes": {"ApproximateReceiveCount": "1"},
                "body": json.dumps(one["detail"]),
            }
            for number, one in enumerate(news)
        ]
        # The function gets the same events twice. The second time, it sends whatever failed the
        # first time.
        for _ in range(2 if records else 0):
            messages_handler.lambda_handler({"Records": records}, Context())

    def links(self) -> list[str]:
        texts = [one["MessageBody"] for one in self.stand_ins.texts]
        for mail in self.stand_ins.mails:
            texts += [str(mime(mail)["List-Unsubscribe"]), part(mail, "plain"), part(mail, "html")]
        return [link for text in texts for link in re.findall(r"https://[^\s\">]+", text)]

    def move(self, entry: str, token: str, address: str) -> None:
        self.send(entry, token, "PATCH", profile={self.address.field: address})
        self.tell()
        code = self.links()[-1].partition("#v=")[2]
        assert self.send("/verify", code=code)["entry_token"] == token

    def unsubscribe(self) -> None:
        for link in self.links():
            if "/unsubscribe/" in link:
                form = {"Content-Type": "application/x-www-form-urlencoded"}
                path = urlsplit(link).path
                sent = self.service.customer(
                    "POST", path, content="List-Unsubscribe=One-Click", headers=form
                )
                assert sent.is_success, sent.text

    def live(self) -> str:
        """Do everything that a person can do with an address, except an erasure.

        Return the entry's id.
        """
        typed, field = self.address.typed, self.address.field
        rules = {"field": field, "verify": "before_offer", "blocked_domains": ["blocked.example"]}
        fields = [{"name": "name", "label": "Name", "type": "text"}]
        settings = {
            "name": "People",
            "identity": rules,
            "messages": {"kinds": KINDS, "sms_countries": ["DE"]},
            "page": {"fields": fields},
            "admission": {"pass_seconds": 60},
            "rejoin": "always",
        }
        self.operator("PUT", "", settings)
        wrong = (f"{typed} or so", f"{typed}@blocked.example", f"<{typed}>")
        for one in (*wrong, typed, typed, *self.address.others):
            self.sign_up(one)
        self.sign_up(typed, note=typed)
        self.tell()
        for one in (*wrong, typed, *self.address.others, self.address.new):
            self.send("/links", **{field: one})
            self.operator("POST", "/find", {field: one})
        entry_id = str(self.operator("POST", "/find", {field: typed})["entry_id"])
        entry = f"/entries/{entry_id}"
        rows: list[Any] = [{"profile": {field: one}} for one in (*wrong, *self.address.others)]
        rows.append({"profile": {field: typed}, "joined_at": typed})
        for dry_run in (True, False):
            body = {"entries": rows, "dry_run": dry_run}
            self.operator("POST", "/import/tokens", body)
        code = self.operator("POST", f"{entry}/link")["url"].partition("#v=")[2]
        token = self.send("/verify", code=code)["entry_token"]
        for one in (*wrong, *self.address.others):
            self.send(entry, token, "PATCH", profile={field: one, "name": "Ada"})
        for one in (self.address.new, typed, self.address.new):
            self.move(entry, token, one)
        assert self.operator("POST", "/find", {field: self.address.new})["entry_id"] == entry_id
        self.sign_up(self.address.new)
        self.send("/links", **{field: self.address.new})
        self.send(entry, token, "PATCH", profile={field: self.address.newer})
        self.check()
        self.move(entry, token, typed)
        self.operator("PATCH", entry, {"profile": {field: typed, "name": "Ada L."}})
        self.tell()
        for status in ("waiting", "offered", "admitted", "left"):
            self.operator("GET", f"/entries?status={status}")
        self.operator("GET", f"{entry}?include=history")
        self.operator("POST", "/admit", {"count": 1})
        self.tell()
        self.unsubscribe()
        self.send(entry, token, "PATCH", messages="on")
        self.send(f"{entry}/enter", token)
        self.tell()
        self.sign_up(typed)
        self.service.customer("DELETE", f"{self.list}{entry}", token)
        self.sign_up(typed)
        self.operator("POST", f"{entry}/remove", {"ban": True})
        self.sign_up(typed)
        self.tell()
        self.operator("POST", f"{entry}/unban", {})
        self.sign_up(typed)
        return entry_id


def outside_the_profile(value: Any) -> Any:
    """Return an item without its profile and without any new address that has not been verified.
    Only these fields may contain an address.
    """
    if isinstance(value, dict):
        own = ("profile", "new_address")
        return {name: outside_the_profile(one) for name, one in value.items() if name not in own}
    return value


@pytest.mark.parametrize("address", [MAIL, PHONE], ids=["mail", "phone"])
def test_an_address_is_in_the_profile_and_nowhere_else(
    address: Address,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name in ("httpx", "httpcore", "botocore", "urllib3"):
        caplog.set_level(logging.WARNING, name)
    caplog.set_level(logging.DEBUG)
    # The service delays some responses so that all take equally long, which this test does not
    # need.
    monkeypatch.setattr(EvenTimes, "since", lambda *_: nullcontext())
    forms = forms_of(address)

    def found_in(texts: list[str]) -> list[str]:
        return [text for text in texts if any(form in text.lower() for form in forms)]

    stand_ins = StandIns()
    said = error(429, "TooManyRequestsException", about=address.typed)
    failures = iter([said])
    stand_ins.failing = lambda _: next(failures, SENT)
    with deployed(monkeypatch, issuer=False) as service:
        for name in ("SESV2", "PINPOINT_SMS_VOICE_V2", "SQS"):
            monkeypatch.setenv(f"AWS_ENDPOINT_URL_{name}", stand_ins.url)
        for name, value in {**ENVIRON, "METRICS_NAMESPACE": "Waitlist/test"}.items():
            monkeypatch.setenv(name, value)
        table = guarded("MessagesFn", service.table)
        monkeypatch.setattr(messages_handler, "dynamodb_client", lambda: table)
        messages_handler.batches.cache_clear()
        life = Life(service, address, stand_ins)

        def everywhere() -> list[str]:
            items = [str(outside_the_profile(one)) for one in service.table.scan()["Items"]]
            printed = "".join(capfd.readouterr()).splitlines()
            logged = [f"{one.getMessage()} {vars(one)}" for one in caplog.records]
            stored = [*redis_texts(service.redis), *index_texts(service.table), *items]
            return [*stored, *printed, *logged, *life.bodies, *service.urls, *life.links()]

        kept: list[str] = []

        def check() -> None:
            texts = everywhere()
            assert found_in(texts) == []
            kept.extend(texts)

        life.check = check
        entry_id = life.live()
        service.maintain()
        life.tell()
        check()
        # Check that the search does find the address where it is allowed.
        assert found_in([str(service.table.scan()["Items"])])
        sent = stand_ins.mails if address.field == "email" else stand_ins.texts
        assert found_in([json.dumps(one) for one in sent])
        assert len(life.links()) > 2
        assert any("/unsubscribe/" in url for url in service.urls) == (address.field == "email")
        for place in (entry_id, '"CloudWatchMetrics"', "verification_asked"):
            assert any(place in text for text in kept), place
        assert life.operator("DELETE", f"/entries/{entry_id}") == {}
        life.tell()
        service.maintain()
        assert found_in(everywhere()) == []
        assert found_in([str(service.table.scan()["Items"])]) == []
    messages_handler.batches.cache_clear()


@pytest.mark.parametrize("address", [MAIL, PHONE], ids=["mail", "phone"])
def test_the_search_finds_an_address_in_any_disguise(address: Address) -> None:
    forms = forms_of(address)
    digest = hashlib.sha256(address.one.encode())
    for text in (
        address.typed.upper(),
        quote(address.typed),
        base64.b64encode(b'{"a":"' + address.one.encode() + b'"}').decode(),
        digest.hexdigest(),
        base64.b64encode(digest.digest()).decode(),
    ):
        assert any(form in f"a line with {text}".lower() for form in forms), text
