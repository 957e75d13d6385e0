"""Tests the limits on messages.

An address gets only a few messages in a short time, and a day's messages have a maximum cost.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.service.messages.stage import Stage, staged
from tests.service.messages.stand_ins import SENT, error, part
from tests.support.gateway import Answer
from tests.support.tables import items_of
from tests.support.world import SECRET
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.handlers import messages as messages_handler
from waitlist_api.messages.compose import Letterhead
from waitlist_api.messages.example import PROOF_CHARACTERS
from waitlist_api.messages.kinds import KINDS
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.facets import Move

VICTIM = "victim@example.org"
MINUTE, DAY = 60, 86_400
AT_ONCE = 5


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged(monkeypatch) as made:
        yield made


def sign_up(stage: Stage, waitlist_id: str = "bakery", **body: Any) -> Answer:
    return stage.world.request("POST", f"/v1/waitlists/{waitlist_id}/entries", body=body)


def change(stage: Stage, joined: Any, waitlist_id: str = "bakery", **profile: Any) -> Answer:
    path = f"/v1/waitlists/{waitlist_id}/entries/{joined['entry_id']}"
    token = joined["entry_token"]
    return stage.world.request("PATCH", path, body={"profile": profile}, token=token)


def leave(stage: Stage, joined: Any) -> None:
    path = f"/v1/waitlists/bakery/entries/{joined['entry_id']}"
    assert stage.world.request("DELETE", path, token=joined["entry_token"]).status == 204


def code_in(mail: dict[str, Any]) -> str:
    return part(mail, "plain").partition("#v=")[2].split()[0]


def verify(stage: Stage, code: str) -> Any:
    answer = stage.world.request("POST", "/v1/waitlists/bakery/verify", body={"code": code})
    assert answer.status == 200, answer.text
    return answer.json


def limited_by_kind(stage: Stage) -> dict[str, int]:
    stats = stage.world.request("GET", "/v1/admin/waitlists/bakery/stats", operator=True)
    return {one["kind"]: one["limited"] for one in stats.json["messages"] if one["limited"]}


def to_victim(stage: Stage) -> int:
    return stage.stand_ins.to().count(VICTIM)


# One address


@pytest.mark.parametrize("verify_first", ["off", "before_offer"])
def test_signups_that_change_to_one_address_send_it_only_a_few_emails(
    stage: Stage, verify_first: str
) -> None:
    """A stranger signs up with many verified addresses, and then changes each of them to a victim's
    address. The victim gets only a few emails.
    """
    stage.configure(identity={"field": "email", "verify": verify_first})
    for number in range(AT_ONCE + 2):
        answer = sign_up(stage, profile={"email": f"p{number}@stranger.example"})
        joined = answer.json
        if verify_first != "off":
            assert stage.send_news() == []
            joined = verify(stage, code_in(stage.stand_ins.mails[-1]))
        assert change(stage, joined, email=VICTIM).status == 202
        assert stage.send_news() == []
    assert to_victim(stage) == AT_ONCE
    assert limited_by_kind(stage) == {"address": 2}


def test_the_lists_of_a_stack_share_what_an_address_gets(stage: Stage) -> None:
    """Different spellings of the same address share one limit."""
    lists = [f"list{number}" for number in range(AT_ONCE + 2)]
    for waitlist_id in lists:
        body = {
            "name": waitlist_id,
            "identity": {"field": "email", "verify": "before_offer"},
            "messages": {"kinds": ["verify"]},
        }
        path = f"/v1/admin/waitlists/{waitlist_id}"
        assert stage.world.request("PUT", path, body=body, operator=True).status == 201
        profile = {"email": f"Victim+{waitlist_id}@Example.org"}
        assert sign_up(stage, waitlist_id, profile=profile).status == 202
    stage.send_news()
    assert len(stage.stand_ins.mails) == AT_ONCE


def test_joining_and_leaving_again_and_again_sends_only_a_few_emails(stage: Stage) -> None:
    for number in range(AT_ONCE):
        answer = sign_up(stage, customer_id=f"c{number}", profile={"email": VICTIM})
        assert stage.send_news() == []
        leave(stage, answer.json)
        stage.world.advance(1)
        assert stage.send_news() == []
    assert to_victim(stage) == AT_ONCE
    assert sum(limited_by_kind(stage).values()) == AT_ONCE, "half of the emails"


def test_the_pause_before_an_email_doubles_until_a_day_without_emails(
    stage: Stage,
) -> None:
    def mails_of_joins(number: int, count: int) -> int:
        before = to_victim(stage)
        for one in range(count):
            sign_up(stage, customer_id=f"c{number}-{one}", profile={"email": VICTIM})
        stage.send_news()
        return to_victim(stage) - before

    sent = [mails_of_joins(0, 10)]
    for minute in range(1, 9):
        stage.world.advance(MINUTE)
        sent.append(mails_of_joins(minute, 2))
    # After the first emails, the pause before each email doubles, from one minute to two and four.
    assert sent == [AT_ONCE, 1, 0, 1, 0, 0, 0, 1, 0]
    stage.world.advance(DAY + MINUTE)
    assert mails_of_joins(10, 10) == AT_ONCE


def test_a_verified_address_gets_messages_about_offers_at_once(stage: Stage) -> None:
    """A message about an automatic offer is sent to a verified address at once, even if the address
    has just received many messages.
    """
    stage.configure(
        identity={"field": "email", "verify": "before_offer"},
        rejoin="always",
        messages={"kinds": ["joined", "verify", "offered", "left"]},
        admission={"offer_seconds": 600, "rate": {"count": 50, "per": "minute"}},
    )
    sign_up(stage, profile={"email": VICTIM})
    stage.send_news()
    joined = verify(stage, code_in(stage.stand_ins.mails[-1]))
    for number in range(AT_ONCE + 1):
        other = sign_up(stage, profile={"email": f"p{number}@stranger.example"})
        stage.send_news()
        change(stage, verify(stage, code_in(stage.stand_ins.mails[-1])), email=VICTIM)
        stage.send_news()
        assert other.status == 202
    before = to_victim(stage)
    path = f"/v1/admin/waitlists/bakery/entries/{joined['entry_id']}/withdraw"
    for _ in range(AT_ONCE + 1):
        stage.world.advance(2)
        stage.world.maintenance.run_all()
        stage.send_news()
        assert stage.world.request("POST", path, body={}, operator=True).status == 200
    assert to_victim(stage) - before == AT_ONCE + 1


def test_an_operators_offer_is_always_told(stage: Stage) -> None:
    """Staff have signed up more customers with the same address than may get a message at once.
    When an operator makes offers to all of them, every offer is announced at once.
    """
    for number in range(2 * AT_ONCE):
        sign_up(stage, customer_id=f"c{number}", profile={"email": VICTIM})
    stage.people.admit(2 * AT_ONCE)
    assert stage.send_news() == []
    subjects = stage.stand_ins.subjects()
    assert subjects.count("Bakery: it is your turn") == 2 * AT_ONCE


def test_offers_of_the_policy_do_not_wait_because_of_other_messages(stage: Stage) -> None:
    """A family of five shares one email address. Each person gets a message after signing up and a
    second one with the offer, and none of these messages has to wait.
    """
    stage.configure(admission={"offer_seconds": 600, "rate": {"count": 50, "per": "minute"}})
    for name in ("ada", "bob", "cyd", "dan", "eve"):
        sign_up(stage, customer_id=name, profile={"email": VICTIM})
    assert stage.send_news() == []
    stage.world.advance(MINUTE)
    stage.world.maintenance.run_all()
    assert stage.send_news() == []
    assert to_victim(stage) == 10


def test_more_offers_to_one_address_are_told_one_after_the_other(stage: Stage) -> None:
    """If many people with the same address get offers, only the first messages are sent at once.
    The others wait a few minutes, so that nobody can flood a mailbox.
    """
    kinds = {"kinds": ["offered"]}
    terms = {"offer_seconds": 3600, "rate": {"count": 50, "per": "minute"}}
    stage.configure(messages=kinds, admission=terms)
    for number in range(AT_ONCE + 3):
        sign_up(stage, customer_id=f"c{number}", profile={"email": VICTIM})
    stage.world.advance(MINUTE)
    stage.world.maintenance.run_all()
    waiting = [one for one in stage.news() if one["event"] == "offered"]
    sent = []
    for _ in range(9):
        if waiting:
            waiting = [waiting[at] for at in stage.send(*waiting)]
        sent.append(to_victim(stage))
        stage.world.advance(MINUTE)
    # After the first emails, the pause before each email doubles, from one minute to two and four.
    assert sent == [5, 6, 6, 7, 7, 7, 7, 8, 8]
    first = min(one["VisibilityTimeout"] for one in stage.stand_ins.pauses)
    assert first >= MINUTE, "the queue keeps it until then"
    assert limited_by_kind(stage) == {}


def test_what_a_limit_has_stopped_is_seen_and_may_be_sent_later(stage: Stage) -> None:
    answers = [
        sign_up(stage, customer_id=f"c{number}", profile={"email": VICTIM}).json
        for number in range(AT_ONCE + 1)
    ]
    news = stage.news()
    stage.send(*news)
    path = f"/v1/admin/waitlists/bakery/entries/{answers[-1]['entry_id']}/messages"

    def told() -> Any:
        (note,) = stage.world.request("GET", path, operator=True).json["messages"]
        return note["state"], note["reason"], note["channel"]

    assert told() == ("dropped", "too_many", "mail")
    stage.world.advance(MINUTE)
    assert stage.send(*news) == []
    assert told() == ("sent", None, "mail")
    assert to_victim(stage) == AT_ONCE + 1


def test_a_mail_that_could_not_be_sent_takes_nothing(stage: Stage) -> None:
    """SES refuses the message several times because there are too many calls. These attempts must
    not count towards the address's limit.
    """
    sign_up(stage, customer_id="ada", profile={"email": VICTIM})
    news = stage.news()
    stage.stand_ins.failing = lambda _: error(429, "TooManyRequestsException")
    for _ in range(3 * AT_ONCE):
        assert stage.send(*news) == [0]
    stage.stand_ins.failing = lambda _: SENT
    for number in range(AT_ONCE - 1):
        sign_up(stage, customer_id=f"c{number}", profile={"email": VICTIM})
    stage.send(*news, *stage.news())
    assert to_victim(stage) == AT_ONCE


def test_no_item_of_a_limit_has_an_address_and_each_deletes_itself(stage: Stage) -> None:
    """P8"""
    sign_up(stage, customer_id="ada", profile={"email": VICTIM})
    stage.send_news()
    kept = [
        one
        for one in items_of(stage.table)
        if one["pk"]["S"].startswith("TARGET#") or one["sk"]["S"].startswith("BUDGET#")
    ]
    assert len(kept) == 2
    assert "example.org" not in json.dumps(kept)
    now_seconds = stage.clock.millis // 1000
    assert all(0 < int(one["expires_at"]["N"]) - now_seconds <= 2 * DAY for one in kept)


# SMS


def texts(stage: Stage) -> list[str]:
    return [one["DestinationPhoneNumber"] for one in stage.stand_ins.texts]


NOWHERE = [
    "+979 123 456 789",
    "+870 773 111 632",
    "+882 16 1234567",
    "+883 510 001 234 567",
    "+8816 1234 5678",
    "+1 900 234 5678",
    "+1 876 555 1234",
    "+1 800 234 5678",
    "+49 180 1234567",
    "+44 70 1234 5678",
    "+33 899 12 34 56",
]


def test_no_sms_goes_to_premium_shared_cost_satellite_or_foreign_numbers(stage: Stage) -> None:
    countries = ["DE", "US", "GB", "FR"]
    every_type = ["mobile", "fixed_line", "voip", "unknown"]
    messages = {"kinds": ["joined"], "sms_countries": countries, "sms_number_types": every_type}
    stage.configure(messages=messages)
    for at, number in enumerate(NOWHERE):
        stage.joins(f"c{at}", phone=number)
    stage.joins("ada", phone="+49 1512 3456789")
    assert stage.send_news() == []
    assert texts(stage) == ["+4915123456789"]
    for at, number in enumerate(NOWHERE):
        entry_id = stage.people.id_of(f"c{at}")
        path = f"/v1/admin/waitlists/bakery/entries/{entry_id}/messages"
        (note,) = stage.world.request("GET", path, operator=True).json["messages"]
        assert (note["state"], note["reason"]) == ("dropped", "number_not_allowed"), number


@pytest.mark.parametrize(
    ("settings", "identity", "sent"),
    [
        ({}, None, []),
        ({}, {"field": "phone", "region": "DE"}, ["+4915123456789"]),
        ({"sms_countries": ["US"]}, {"field": "phone", "region": "DE"}, ["+12025550142"]),
        (
            {"sms_countries": ["DE"], "sms_number_types": ["fixed_line", "mobile"]},
            None,
            ["+4915123456789", "+4930901820"],
        ),
    ],
)
def test_a_list_names_the_countries_and_kinds_of_its_numbers(
    stage: Stage, settings: dict[str, Any], identity: dict[str, Any] | None, sent: list[str]
) -> None:
    stage.configure(messages={"kinds": ["joined"], **settings}, identity=identity)
    for number, phone in enumerate(("+49 1512 3456789", "+49 30 901820", "+1 202 555 0142")):
        who = {} if identity else {"customer_id": f"c{number}"}
        assert sign_up(stage, profile={"phone": phone}, **who).status == 201
    assert stage.send_news() == []
    assert texts(stage) == sent


def test_who_cannot_get_the_link_is_refused_at_once(stage: Stage) -> None:
    """If the service cannot send an SMS to a number, it refuses the signup at once. Otherwise, the
    customer would wait for an SMS that never comes.
    """
    identity = {"field": "phone", "verify": "before_offer"}
    refused = stage.configure(identity=identity, messages={"kinds": ["verify"]})
    assert (refused.status, refused.json["code"]) == (422, "invalid_request")
    assert "messages.sms_countries" in refused.json["detail"]
    stage.configure(identity=identity, messages={"kinds": ["verify"], "sms_countries": ["DE"]})
    assert sign_up(stage, profile={"phone": "+49 1512 3456789"}).status == 202
    for number in ("+979 123 456 789", "+1 202 555 0142", "+49 30 901820"):
        answer = sign_up(stage, profile={"phone": number})
        (problem,) = answer.json["errors"]
        assert (answer.status, problem["field"]) == (422, "body.profile.phone")
        assert "mobile numbers in these countries: DE" in problem["message"]
    # If the service does not send the link itself, it accepts any phone number.
    stage.configure(identity=identity, messages={"kinds": ["joined"]})
    assert sign_up(stage, profile={"phone": "+1 202 555 0142"}).status == 202


# What a day costs


def percent(capsys: pytest.CaptureFixture[str]) -> int:
    return int(json.loads(capsys.readouterr().out.splitlines()[-1])["budget_percent"])


def joins(stage: Stage, first: int, count: int) -> None:
    for number in range(first, first + count):
        sign_up(stage, customer_id=f"c{number}", profile={"email": f"p{number}@example.com"})


def limit_stack(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
    monkeypatch.setenv(name, str(value))
    messages_handler.batches.cache_clear()


def test_messages_that_anyone_can_cause_use_half_of_a_lists_budget_at_most(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half of the day's budget is reserved for operators and for people who have verified their
    address.
    """
    stage.configure(messages={"kinds": ["joined", "offered"], "mails_per_day": 10})
    joins(stage, 0, 8)
    joined = stage.news()
    assert stage.send(*joined) == []
    assert len(stage.stand_ins.mails) == 5
    assert limited_by_kind(stage) == {"joined": 3}
    assert percent(capsys) == 100
    stage.people.names |= {one["entry_id"]: f"c{at}" for at, one in enumerate(joined)}
    stage.people.admit(6)
    offered = stage.news()
    assert stage.send(*offered[:4]) == []
    assert percent(capsys) == 90
    # The day's budget leaves room for only one of the two remaining messages.
    assert stage.send(*offered[4:]) == [1]
    assert percent(capsys) == 100
    assert len(stage.stand_ins.mails) == 10


def test_a_wanted_message_waits_for_the_next_day_if_it_is_still_true(stage: Stage) -> None:
    stage.configure(
        messages={"kinds": ["offered"], "mails_per_day": 1}, admission={"offer_seconds": 36_000}
    )
    joins(stage, 0, 2)
    for one in stage.news():
        stage.people.names[one["entry_id"]] = one["entry_id"]
    stage.people.admit(2)
    first, second = (one for one in stage.news() if one["event"] == "offered")
    assert stage.send(first, second) == [1]
    (pause,) = stage.stand_ins.pauses
    assert 900 <= pause["VisibilityTimeout"] < 1000, "an operator may raise the budget"
    # The tests start in the afternoon.
    stage.world.advance(9 * 3600 + 50 * MINUTE)
    assert stage.send(second) == []
    assert len(stage.stand_ins.mails) == 2


def test_the_budget_of_the_stack_is_for_all_lists(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    limit_stack(monkeypatch, "MAILS_PER_DAY", 6)
    body = {"name": "other", "messages": {"kinds": ["joined"]}}
    assert stage.world.request("PUT", "/v1/admin/waitlists/other", body=body, operator=True)
    joins(stage, 0, 3)
    for number in range(3):
        profile = {"email": f"q{number}@example.com"}
        sign_up(stage, "other", customer_id=f"d{number}", profile=profile)
    stage.send_news()
    assert len(stage.stand_ins.mails) == 3
    assert "the daily budget for messages is used up" in caplog.text
    stage.world.advance(DAY)
    joins(stage, 10, 6)
    stage.send_news()
    assert len(stage.stand_ins.mails) == 6


def test_sms_are_counted_by_their_parts(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    limit_stack(monkeypatch, "SMS_PARTS_PER_DAY", 12)
    messages = {"kinds": ["joined"], "sms_countries": ["DE"], "language": "fr"}
    stage.configure(messages=messages)
    stage.joins("ada", phone="+49 1512 3456789")
    stage.joins("bob", phone="+49 1512 3456780")
    stage.send_news()
    # Messages sent after signups may use half of the day's budget, which is six SMS parts. Two
    # French texts need more than six.
    assert texts(stage) == ["+4915123456789"]
    assert limited_by_kind(stage) == {"joined": 1}


def test_a_preview_counts_the_parts_with_a_guests_own_link(stage: Stage) -> None:
    head = Letterhead("https://example.net", EntryTokens(SECRET))
    record = EntryRecord(
        waitlist_id="bakery",
        entry_id="a" * 26,
        customer_id="ada",
        status="waiting",
        join_id="0" * 8,
        updated_millis=0,
        move=Move(to="b" * 26),
    )
    short = len("https://example.net/w/bakery")
    for kind in KINDS:
        proof = len(head.link(kind, record, 0)) - short
        assert PROOF_CHARACTERS[kind.link] == proof, kind.name
    path = "/v1/admin/waitlists/bakery/messages"
    shown = stage.world.request("GET", path, query="kind=verify", operator=True).json["messages"]
    parts = {one["language"]: one["sms_parts"] for one in shown}
    assert (parts["en"], parts["fr"]) == (2, 5)


def test_a_text_that_could_not_be_sent_takes_nothing_of_the_budget(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_stack(monkeypatch, "MAILS_PER_DAY", 2)
    joins(stage, 0, 1)
    news = stage.news()
    for answer, left in (
        (error(429, "TooManyRequestsException"), [0]),
        (error(400, "BadRequestException"), []),
    ):
        stage.stand_ins.failing = partial(_always, answer)
        assert stage.send(*news) == left
    stage.stand_ins.failing = lambda _: SENT
    joins(stage, 5, 1)
    assert stage.send_news() == []
    assert len(stage.stand_ins.mails) == 1


def _always(answer: Any, _: object) -> Any:
    return answer
