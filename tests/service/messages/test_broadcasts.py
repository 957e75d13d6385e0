"""Tests messages that an operator writes to some or all people on a waitlist."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from tests.service.messages.stage import Stage, staged
from tests.service.messages.stand_ins import part
from tests.support.gateway import OPERATOR_ARN, Answer
from waitlist_api.messages.broadcast import Broadcasts
from waitlist_api.records.broadcasts import Broadcast, BroadcastRecords
from waitlist_shared.errors import Throttled

PASS_SECONDS = 3600
KEY = "5f0c2ed4-1d1e-4b0c-a5a2-2f4b1c7d9e10"
TEXT = {
    "en": {"subject": "{name} closes early", "text": "We close at 5 pm."},
    "de": "Wir schließen um 17 Uhr.",
}
NOBODY = {
    "no_address": 0,
    "turned_off": 0,
    "unreachable": 0,
    "unverified": 0,
    "number_not_allowed": 0,
}


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged(monkeypatch) as made:
        yield made


def write(stage: Stage, key: str | None = None, **body: Any) -> Answer:
    path = f"{stage.people.admin_path}/messages"
    headers = {"idempotency-key": key} if key else {}
    body = {"text": TEXT, **body}
    return stage.world.request("POST", path, body=body, headers=headers, operator=True)


def counts(answer: Answer) -> tuple[int, int, dict[str, int]]:
    """Return how many people get an email, how many get an SMS, and why the others get nothing."""
    assert answer.status == 200, answer.text
    found = answer.json
    assert found["people"] == found["reached"]["mail"] + found["reached"]["sms"]
    skipped = {name: count for name, count in found["not_reached"].items() if count}
    return found["reached"]["mail"], found["reached"]["sms"], skipped


def sent_to(stage: Stage) -> list[str]:
    stage.stand_ins.mails.clear()
    stage.stand_ins.texts.clear()
    news = stage.news()
    assert not news or stage.send(*news) == []
    numbers = [text["DestinationPhoneNumber"] for text in stage.stand_ins.texts]
    return sorted([*stage.stand_ins.to(), *numbers])


def many(stage: Stage) -> None:
    """Sign up seven people, three of whom the service can reach."""
    stage.joins("ada")
    stage.joins("eva", languages="de")
    stage.joins("bob", phone="+49 1512 3456789")
    stage.joins("cyd", nick="Cyd")
    stage.joins("dan", phone="+41 78 123 45 67")
    stage.joins("fay")
    stage.world.request(
        "PATCH",
        stage.people.entry("fay"),
        body={"messages": "off"},
        token=stage.people.token_of("fay"),
    )
    stage.joins("gus")
    stage.joins("hal")
    assert stage.people.leave("hal").status == 204
    stage.send_news()
    assert stage.send(stage.bounce("gus")) == []
    stage.news()


MISSED = {"no_address": 1, "turned_off": 1, "unreachable": 1, "number_not_allowed": 1}


def test_a_dry_run_counts_and_the_message_reaches_exactly_these_people(stage: Stage) -> None:
    many(stage)
    tried = write(stage, dry_run=True)
    assert counts(tried) == (2, 1, MISSED)
    assert (tried.json["message_id"], tried.json["state"]) == (None, "done")
    assert sent_to(stage) == []
    done = write(stage)
    assert counts(done) == (2, 1, MISSED)
    assert done.json["not_reached"] == {**NOBODY, **MISSED}
    assert sent_to(stage) == ["+4915123456789", "ada@example.com", "eva@example.com"]
    assert sorted(stage.stand_ins.subjects()) == [
        "Bakery closes early",
        "Bakery: eine Nachricht für Sie",
    ]
    texts = sorted(part(mail, "plain") for mail in stage.stand_ins.mails)
    assert texts[0].startswith("We close at 5 pm.\n\nhttps://example.net/w/bakery#t=")
    assert texts[1].startswith("Wir schließen um 17 Uhr.\n\nhttps://")
    assert "messaged" in stage.people.events("ada")
    assert "messaged" not in stage.people.events("gus")


def test_a_language_without_a_text_gets_the_usual_language(stage: Stage) -> None:
    stage.joins("ada", languages="fr")
    stage.news()
    write(stage, text={"de": "Hallo {name}", "en": "Hello {name}"})
    assert sent_to(stage) == ["ada@example.com"]
    assert part(stage.stand_ins.mails[0], "plain").startswith("Hello Bakery\n")
    write(stage, text={"es": "Hola"})
    assert sent_to(stage) == ["ada@example.com"]
    assert part(stage.stand_ins.mails[0], "plain").startswith("Hola\n")


def test_a_person_without_a_language_gets_the_usual_language(stage: Stage) -> None:
    """A person without a language gets the message in the waitlist's default language. If the
    message has only a German text, the whole email is in German.
    """
    stage.joins("ada")
    stage.news()
    write(stage, text={"de": "Hallo"})
    assert sent_to(stage) == ["ada@example.com"]
    assert stage.stand_ins.subjects() == ["Bakery: eine Nachricht für Sie"]
    assert '<html lang="de"' in part(stage.stand_ins.mails[0], "html")
    stage.configure(messages={"kinds": ["message"], "language": "fr"})
    write(stage, text={"en": "Hello", "fr": "Bonjour"})
    assert sent_to(stage) == ["ada@example.com"]
    assert part(stage.stand_ins.mails[0], "plain").startswith("Bonjour\n")


@pytest.mark.parametrize("key", [KEY, None])
def test_a_repeated_request_sends_nothing_again(stage: Stage, key: str | None) -> None:
    stage.joins("ada")
    stage.news()
    first, again = write(stage, key), write(stage, key)
    assert (first.json == again.json) == (key is not None)
    assert sent_to(stage) == ["ada@example.com"] * (1 if key else 2)
    if key:
        assert write(stage, key, text={"en": "Other"}).code == "idempotency_key_reused"
        stage.joins("bob")
        stage.news()
        assert write(stage, key).json == first.json
        assert sent_to(stage) == []


def test_two_operators_can_use_the_same_idempotency_key(stage: Stage) -> None:
    stage.joins("ada")
    stage.news()
    first = write(stage, KEY)
    path, other = f"{stage.people.admin_path}/messages", f"{OPERATOR_ARN}-2"
    second = stage.world.request(
        "POST", path, body={"text": TEXT}, key=KEY, operator=True, arn=other
    )
    assert first.json["message_id"] != second.json["message_id"]
    assert sent_to(stage) == ["ada@example.com"] * 2


def test_a_filter_a_status_or_entries_say_who_gets_it(stage: Stage) -> None:
    for name, language in (("ada", "de"), ("bob", "es"), ("cyd", "es")):
        stage.joins(name)
        stage.people.edit(name, attributes={"language": language})
    stage.people.claim()
    stage.news()
    write(stage, filter={"language": "es"})
    assert sent_to(stage) == ["bob@example.com", "cyd@example.com"]
    write(stage, status="offered")
    assert sent_to(stage) == ["ada@example.com"]
    write(stage, status="waiting", filter={"language": "de"})
    assert sent_to(stage) == []
    write(stage, entries=[stage.people.id_of("cyd"), stage.people.id_of("ada"), "z" * 26])
    assert sent_to(stage) == ["ada@example.com", "cyd@example.com"]
    stage.people.complete("ada")
    stage.news()
    write(stage, status="inside")
    assert sent_to(stage) == ["ada@example.com"]
    stage.world.advance(PASS_SECONDS)
    assert counts(write(stage, entries=[stage.people.id_of("ada")])) == (0, 0, {})
    write(stage)
    assert sent_to(stage) == ["bob@example.com", "cyd@example.com"]


def test_more_than_a_page_of_people_get_a_message_once(stage: Stage) -> None:
    rows = [
        {"customer_id": f"c{number}", "profile": {"email": f"c{number}@example.com"}}
        for number in range(103)
    ]
    stage.people.bring(*rows[:100])
    stage.people.bring(*rows[100:])
    stage.news()
    assert counts(write(stage, KEY)) == (103, 0, {})
    assert len(set(sent_to(stage))) == len(stage.stand_ins.mails) == 103


def records_of(stage: Stage) -> BroadcastRecords:
    return stage.world.services.container.get(BroadcastRecords)


def stored(stage: Stage, answer: Answer) -> Broadcast:
    found = records_of(stage).of_stamp(stage.people.waitlist_id, int(answer.json["message_id"]))
    assert found is not None
    return found


def test_maintenance_continues_a_message_after_a_crash_and_nobody_gets_two(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service crashes after it has written some people's events but before it has stored its
    progress. Maintenance continues, and nobody gets the message twice.
    """
    stage.joins("ada")
    stage.joins("bob")
    stage.news()

    def crash(*_: Any) -> None:
        raise Throttled

    with monkeypatch.context() as patch:
        patch.setattr(BroadcastRecords, "advance", crash)
        answer = write(stage, KEY)
    assert (answer.json["state"], answer.json["people"]) == ("running", 0)
    assert sent_to(stage) == ["ada@example.com", "bob@example.com"]
    stage.joins("cyd")
    stage.news()
    stage.world.maintenance.run_all()
    again = write(stage, KEY)
    assert (again.json["state"], counts(again)) == ("done", (2, 0, {}))
    assert sent_to(stage) == []
    for _ in range(2):
        stage.world.maintenance.run_all()
    assert sent_to(stage) == []


def test_two_runs_at_once_send_one_message(stage: Stage) -> None:
    stage.joins("ada")
    stage.news()
    answer = write(stage)
    done = stored(stage, answer)
    broadcasts = stage.world.services.container.get(Broadcasts)
    late = replace(done, running=True, page=0, step=0, reached={})
    assert broadcasts.run(late, lambda: False) == done
    assert sent_to(stage) == ["ada@example.com"]


def test_a_person_who_left_or_joined_again_in_the_meantime_gets_nothing(stage: Stage) -> None:
    stage.joins("ada")
    stage.joins("bob")
    stage.news()
    write(stage)
    assert stage.people.leave("ada").status == 204
    stage.joins("ada")
    stage.people.erase("bob")
    assert "bob@example.com" not in (found := sent_to(stage))
    assert "We close" not in "".join(part(mail, "plain") for mail in stage.stand_ins.mails)
    assert set(found) <= {"ada@example.com"}


def test_the_deletion_of_a_list_ends_its_messages(stage: Stage) -> None:
    stage.joins("ada")
    stage.news()
    answer = write(stage)
    assert stored(stage, answer).text
    stage.people.delete_waitlist()
    for _ in range(3):
        stage.world.advance(600)
        stage.world.maintenance.run_all()
    found = records_of(stage).of_stamp(stage.people.waitlist_id, int(answer.json["message_id"]))
    assert found is None
    assert sent_to(stage) == []


def test_an_address_that_a_guest_entered_many_times_gets_few_messages(stage: Stage) -> None:
    """Anyone can enter a stranger's address in many signups. Such an address gets at most five
    messages at once, and the rest wait.
    """
    for number in range(8):
        stage.joins(f"c{number}", email="victim@example.com")
    stage.send_news()
    assert counts(write(stage)) == (8, 0, {})
    stage.stand_ins.mails.clear()
    assert len(stage.send_news()) == 3
    assert stage.stand_ins.to() == ["victim@example.com"] * 5


def test_an_unverified_address_gets_no_message(stage: Stage) -> None:
    stage.configure(identity={"field": "email", "verify": "before_offer"})
    signup = {"profile": {"email": "ada@example.com"}}
    stage.world.request("POST", f"{stage.people.path}/entries", body=signup)
    stage.news()
    assert counts(write(stage)) == (0, 0, {"unverified": 1})
    assert sent_to(stage) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": {}}, "body.text"),
        ({"text": {"en": " "}}, "body.text"),
        ({"text": {"en": {"subject": "Hello"}}}, "body.text"),
        ({"text": {"en": "Until {until}"}}, "body.text"),
        ({"text": {"en": "x" * 1001}}, "body.text.en.text"),
        ({"text": {"xx": "Hello"}}, "body.text.xx"),
        ({"status": "left"}, "body.status"),
        ({"entries": []}, "body.entries"),
        ({"entries": ["a" * 26], "status": "waiting"}, "body.entries"),
        ({"subject": "Hello"}, "body.subject"),
    ],
    ids=ascii,
)
def test_a_wrong_message_is_refused_at_its_field(
    stage: Stage, body: dict[str, Any], field: str
) -> None:
    answer = write(stage, **body)
    assert answer.code == "invalid_request", answer.text
    assert [error["field"] for error in answer.json["errors"]] == [field]


def test_a_list_that_sends_no_messages_says_what_to_do(stage: Stage) -> None:
    stage.configure(messages=None)
    (error,) = write(stage).json["errors"]
    assert error["message"] == "the waitlist sends no messages, so set its `messages` setting first"
