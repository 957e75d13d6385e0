"""Tests that no message is lost, and that each message is sent once and only while its content is
true.
"""

from collections.abc import Callable, Iterator
from functools import partial
from json import dumps
from typing import Any

import pytest

from tests.deployment.template import TEMPLATE
from tests.service.messages.stage import Stage, staged
from tests.service.messages.stand_ins import RETRY_AFTER, error, mime, part
from tests.service.messages.stand_ins import Answer as Reply
from tests.support.faults import Call, Crash, crash_before
from tests.support.gateway import Answer
from tests.support.rights import MAIL_SET
from waitlist_api.events.changes import CHANGED, HEARTBEAT
from waitlist_api.handlers import messages as messages_handler
from waitlist_api.messages.kinds import BY_EVENT
from waitlist_api.records.published import HEARTBEAT_EVENT


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged(monkeypatch) as made:
        yield made


def test_each_message_about_an_entry_is_sent_once(stage: Stage) -> None:
    stage.joins("ada")
    stage.people.admit(1)
    joined, offered = stage.news()
    assert stage.send(joined) == []
    assert stage.stand_ins.to() == [], "the customer already has an offer"
    assert stage.send(offered, offered) == []
    assert stage.send(offered) == []
    assert stage.stand_ins.subjects() == ["Bakery: it is your turn"]
    stage.people.enter("ada")
    assert stage.send_news() == []
    assert stage.stand_ins.subjects()[1:] == ["Bakery: welcome"]


def test_only_an_added_person_for_whom_it_is_asked_is_told_like_one_who_signs_up(
    stage: Stage,
) -> None:
    profiles = {name: {"email": f"{name}@example.com"} for name in ("ada", "bob")}
    rows = [{"customer_id": name, "profile": found} for name, found in profiles.items()]
    assert stage.people.bring({**rows[0], "tell": True}, rows[1]).json["joined"] == 2
    assert stage.send_news() == []
    assert stage.stand_ins.to() == ["ada@example.com"]
    assert stage.stand_ins.subjects() == ["Bakery: you are in line"]


def test_a_list_without_messages_sends_none(stage: Stage) -> None:
    stage.configure(messages=None)
    stage.joins("ada")
    stage.configure(messages={"kinds": ["left"]})
    assert stage.send_news() == []
    assert stage.stand_ins.mails == []
    assert not [sort for _, sort in stage.table.items if sort.startswith("DELIVERY#")]


def test_a_mail_reads_well_as_plain_text_and_has_one_link(stage: Stage) -> None:
    page = {"colour": "#ffd400", "logo_url": "https://bakery.example/logo.png"}
    texts = {"de": {"joined": {"text": "Schön, dass Sie auf {name} warten.\n<b>Bis bald</b>"}}}
    messages = {"kinds": ["joined"], "texts": texts}
    stage.configure(name="Bäckerei <Nord>", page=page, messages=messages)
    stage.joins("ada", languages="fr;q=0.3, de-AT;q=0.9, tlh")
    assert stage.send_news() == []
    (mail,) = stage.stand_ins.mails
    assert mail["ConfigurationSetName"] == MAIL_SET
    tags = {one["Name"]: one["Value"] for one in mail["EmailTags"]}
    assert tags["waitlist_id"] == "bakery"
    assert tags["ticket"] == str(stage.people.stay_of("ada"))
    headers = mime(mail)
    assert str(headers["From"]) == '"Bäckerei <Nord>" <line@bakery.example>'
    assert str(headers["To"]) == "ada@example.com"
    assert str(headers["Subject"]).startswith("Bäckerei <Nord>: Sie stehen auf")
    plain, html = part(mail, "plain"), part(mail, "html")
    token = stage.people.token_of("ada")
    link = f"https://example.net/w/bakery#t={stage.people.id_of('ada')}.{token}"
    assert plain.splitlines()[-1] == link
    assert plain.startswith("Schön, dass Sie auf Bäckerei <Nord> warten.\n<b>Bis bald</b>")
    assert html.count("href=") == 1
    assert f'href="{link}"' in html
    assert '<html lang="de" dir="ltr">' in html
    assert "&lt;b&gt;Bis bald" in html
    assert "background:#ffd400;color:#000000" in html
    assert 'src="https://bakery.example/logo.png"' in html


def test_arabic_is_right_to_left(stage: Stage) -> None:
    stage.configure(messages={"kinds": ["joined"], "language": "ar"})
    stage.joins("ada", languages="tlh")
    stage.send_news()
    assert 'lang="ar" dir="rtl"' in part(stage.stand_ins.mails[0], "html")


def test_a_number_gets_an_sms(stage: Stage) -> None:
    stage.joins("ada", phone="+49 1512 3456789")
    stage.joins("bob", nickname="no address")
    assert stage.send_news() == []
    (text,) = stage.stand_ins.texts
    assert text["DestinationPhoneNumber"] == "+4915123456789"
    assert text["OriginationIdentity"] == "BAKERY"
    assert "https://example.net/w/bakery#t=" in text["MessageBody"]


def test_a_message_whose_state_is_over_is_not_sent(stage: Stage) -> None:
    stage.joins("ada")
    stage.joins("bob")
    stage.people.admit(2)
    stage.people.leave("ada")
    stage.people.decline("bob")
    late = stage.news()
    stage.world.advance(3600)
    assert stage.send(*late) == []
    assert stage.stand_ins.to() == ["bob@example.com", "ada@example.com"], "joined, and left"


def test_an_offer_that_followed_another_is_told_by_its_own_event(stage: Stage) -> None:
    stage.joins("ada")
    stage.people.admit(1)
    stage.people.withdraw("ada")
    stage.people.admit(1)
    events = [one for one in stage.news() if one["event"] == "offered"]
    assert stage.send(*events) == []
    assert stage.stand_ins.subjects() == ["Bakery: it is your turn"]


@pytest.mark.parametrize(
    "answer",
    [
        error(429, "TooManyRequestsException"),
        error(400, "LimitExceededException"),
        error(500, "InternalFailure"),
        error(400, "MailFromDomainNotVerifiedException"),
        None,
    ],
)
def test_a_message_that_failed_comes_back(
    stage: Stage,
    answer: Reply,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name in ("ada", "bob"):
        stage.joins(name)
    news = stage.news()
    stage.stand_ins.failing = lambda _: answer
    assert stage.send(*news, receives=6) == [0, 1]
    assert [20 <= one["VisibilityTimeout"] <= 40 for one in stage.stand_ins.pauses] == [True] * 2
    is_asked = answer is not None and answer[0] == 429
    least = RETRY_AFTER if is_asked else 20
    assert stage.stand_ins.pauses[0]["VisibilityTimeout"] >= least
    before_it = len(stage.stand_ins.mails)
    stage.stand_ins.failing = lambda _: (200, {"MessageId": "0002"})
    seen = len(news)
    assert stage.send(*news) == []
    assert seen == 2
    said = capsys.readouterr().out + caplog.text
    assert "example.com" not in said
    assert "retried" in said
    assert before_it in (0, 2), "messages that may have been sent are sent again"


def test_a_crash_between_sending_and_noting_may_send_twice(stage: Stage) -> None:
    stage.joins("ada")
    news = stage.news()

    # The function sends the message after six calls to DynamoDB. It crashes before its next call,
    # which would record that the message was sent.
    stage.wire.arm(6, crash_before)
    with pytest.raises(Crash):
        stage.send(*news)
    stage.wire.disarm()
    assert stage.send(*news) == [0], "another attempt may still run"
    stage.world.advance(61)
    assert stage.send(*news) == []
    assert stage.send(*news) == []
    assert stage.stand_ins.to() == ["ada@example.com"] * 2


def told(stage: Stage, name: str) -> list[tuple[str, str, str | None, str | None]]:
    path = f"/v1/admin{stage.people.path[3:]}/entries/{stage.people.id_of(name)}"
    assert stage.world.request("GET", path, operator=True).status == 200
    answer = stage.world.request("GET", f"{path}/messages", operator=True)
    assert answer.status == 200, answer.text
    assert "example.com" not in answer.text
    return [
        (one["kind"], one["state"], one["channel"], one["reason"])
        for one in answer.json["messages"]
    ]


def test_an_operator_sends_a_test_message(
    stage: Stage, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {"de": {"offered": {"subject": "Ihr Tisch bei {name}"}}}
    messages = {"kinds": [], "language": "de", "texts": texts, "sms_countries": ["DE"]}
    stage.configure(messages=messages)
    lambda_ = stage.world.lambda_

    def ask(**address: str) -> Answer:
        path = f"/v1/admin{stage.people.path[3:]}/messages/test"
        body = {"kind": "offered", **address}
        return stage.world.request("POST", path, body=body, operator=True)

    before = dict(stage.table.items)
    assert ask(email="Me@example.org").json == {"outcome": "sent"}
    assert ask(phone="+49 1512 3456789").json == {"outcome": "sent"}
    outcomes = [messages_handler.lambda_handler(one, stage.context) for one in lambda_.trials]
    assert outcomes == [{"outcome": "sent"}] * 2
    (mail,), (text,) = stage.stand_ins.mails, stage.stand_ins.texts
    assert mail["Destination"]["ToAddresses"] == ["Me@example.org"]
    assert (mail["EmailTags"], text["Context"]) == ([], {})
    assert stage.stand_ins.subjects() == ["Ihr Tisch bei Bakery"]
    assert part(mail, "plain").splitlines()[-1] == "https://example.net/w/bakery"
    assert stage.table.items == before, "nothing is stored"
    assert "example.org" not in capsys.readouterr().out + caplog.text
    assert [ask(email=one).status for one in ("ada", "a@b", "")] == [422] * 3
    assert ask(email="a@example.org", phone="+49 1512 3456789").status == 422
    for outcome, code in (
        ("refused", "invalid_request"),
        ("number_not_allowed", "invalid_request"),
        ("try_again", "not_ready"),
        ("no_channel", "no_messages"),
        ("no_waitlist", "waitlist_not_found"),
    ):
        lambda_.trial_outcomes.append(outcome)
        assert ask(email="me@example.org").json["code"] == code
    for answer, outcome in (
        (error(400, "BadRequestException"), "refused"),
        (error(429, "TooManyRequestsException"), "try_again"),
    ):
        stage.stand_ins.failing = partial(_always, answer)
        sent = messages_handler.lambda_handler(lambda_.trials[0], stage.context)
        assert sent["outcome"] == outcome
    stage.configure(messages={"kinds": [], "sms_countries": ["AT"]})
    refused = messages_handler.lambda_handler(lambda_.trials[1], stage.context)
    assert refused["outcome"] == "number_not_allowed"
    stage.world.services.waitlist_records.begin_delete(stage.people.waitlist_id, 0)
    refused = messages_handler.lambda_handler(lambda_.trials[0], stage.context)
    assert refused["outcome"] == "no_waitlist"


def _always(answer: Reply, _: object) -> Reply:
    return answer


def counts(stage: Stage) -> dict[str, tuple[int, int, int]]:
    path = f"/v1/admin{stage.people.path[3:]}/stats"
    found = stage.world.request("GET", path, operator=True).json["messages"]
    return {one["kind"]: (one["sent"], one["bounced"], one["dropped"]) for one in found}


def test_operators_see_what_became_of_the_messages_to_a_person(stage: Stage) -> None:
    stage.joins("ada")
    stage.joins("bob", nickname="no address")
    joined = stage.news()
    assert told(stage, "ada") == []
    assert stage.send(*joined, *joined) == []
    assert told(stage, "bob") == [("joined", "dropped", None, "no_address")]
    assert counts(stage) == {"joined": (1, 0, 1)}
    stage.people.admit(1)
    stage.people.withdraw("ada")
    stage.world.advance(1)
    assert stage.send_news() == []
    bounced = stage.bounce("ada")
    assert stage.send(bounced, bounced) == []
    assert counts(stage) == {"joined": (1, 1, 1), "offered": (0, 0, 1)}
    stage.people.leave("ada")
    stage.world.advance(1)
    assert stage.send_news() == []
    assert told(stage, "ada") == [
        ("joined", "bounced", "mail", None),
        ("offered", "dropped", None, "over"),
        ("left", "dropped", None, "unreachable"),
    ]
    stage.world.advance(1)
    stage.joins("ada")
    assert told(stage, "ada") == [], "the event belongs to the earlier signup"
    assert stage.people.delete_waitlist().status == 204
    stage.world.maintain()
    assert not [sort for _, sort in stage.table.items if "MESSAGES" in sort or "DELIVERY" in sort]


def test_a_message_that_came_too_early_is_sent_when_it_is_true(stage: Stage) -> None:
    stage.joins("ada")
    stage.people.admit(1)
    joined, _ = stage.news()
    assert stage.send(joined, joined) == []
    assert told(stage, "ada") == [("joined", "dropped", None, "over")]
    stage.people.withdraw("ada")
    assert stage.send(joined, joined) == []
    assert told(stage, "ada") == [("joined", "sent", "mail", None)]


def test_an_address_that_bounces_gets_nothing_more_in_this_stay(stage: Stage) -> None:
    stage.joins("ada")
    assert stage.send_news() == []
    late = stage.bounce("ada")
    assert stage.send(late, late) == []
    stage.people.admit(1)
    stage.people.leave("ada")
    assert stage.send_news() == []
    assert len(stage.stand_ins.mails) == 1
    stage.world.advance(1)
    stage.joins("ada")
    assert stage.send(late, *stage.news()) == [], "the event belongs to the earlier signup"
    assert len(stage.stand_ins.mails) == 2


def test_a_bounce_of_a_new_address_does_not_affect_the_present_address(stage: Stage) -> None:
    """If an email to a new address bounces, the service still sends all other emails to the current
    address.
    """
    stage.configure(identity={"field": "email"})
    people, new = stage.people, "ada@example.org"
    body = {"profile": {"email": "ada@example.com"}}
    joined = stage.world.request("POST", f"{people.path}/entries", body=body).json
    path, token = f"{people.path}/entries/{joined['entry_id']}", joined["entry_token"]
    body = {"profile": {"email": new}}
    assert stage.world.request("PATCH", path, body=body, token=token).status == 202
    assert stage.send_news() == []
    assert stage.stand_ins.to() == ["ada@example.com", new]
    tags = {one["Name"]: [one["Value"]] for one in stage.stand_ins.mails[-1]["EmailTags"]}
    assert stage.send({"event": "unreachable", **tags}) == []
    notes = stage.world.request(
        "GET", f"{people.admin_path}/entries/{joined['entry_id']}/messages", operator=True
    )
    states = {one["kind"]: one["state"] for one in notes.json["messages"]}
    assert states == {"joined": "sent", "address": "bounced"}
    stage.people.admit(1)
    assert stage.send_news() == []
    assert stage.stand_ins.to()[2:] == ["ada@example.com"]


def test_a_link_in_a_late_email_works_for_its_full_time(stage: Stage) -> None:
    """A link's lifetime begins when its email is sent, so even a late email contains a link that
    works for the full time.
    """
    stage.configure(
        identity={"field": "email", "verify_minutes": 60}, messages={"kinds": ["verify"]}
    )
    people, new = stage.people, "ada@example.org"
    body = {"profile": {"email": "ada@example.com"}}
    joined = stage.world.request("POST", f"{people.path}/entries", body=body).json
    path, token = f"{people.path}/entries/{joined['entry_id']}", joined["entry_token"]
    body = {"profile": {"email": new}}
    assert stage.world.request("PATCH", path, body=body, token=token).status == 202
    news = stage.news()
    stage.world.advance(3 * 3600)
    assert stage.send(*news) == []
    assert stage.stand_ins.to() == [new]
    code = part(stage.stand_ins.mails[0], "plain").partition("#v=")[2].split()[0]
    stage.world.advance(3000)
    answer = stage.world.request("POST", f"{people.path}/verify", body={"code": code})
    assert answer.status == 200, answer.text


def test_notices_of_a_near_turn_and_an_ending_offer_are_sent_in_time(stage: Stage) -> None:
    stage.configure(messages={"kinds": ["near", "ending"], "near": 1})
    stage.joins("ada")
    stage.joins("bob")
    for _ in range(2):
        stage.world.advance(60)
        stage.world.maintenance.run_all()
    near = stage.news()
    assert stage.send(*near, *near) == []
    stage.people.admit(1)
    for _ in range(9):
        stage.world.advance(60)
        stage.world.maintenance.run_all()
    ending = stage.news()
    assert stage.send(*near, *ending) == []
    assert stage.stand_ins.to() == ["ada@example.com", "bob@example.com", "ada@example.com"]
    assert len(set(stage.stand_ins.subjects())) == 2
    stage.people.decline("ada")
    sent = len(stage.stand_ins.mails)
    assert stage.send(*ending) == [], "the offer is already over"
    assert len(stage.stand_ins.mails) == sent


# The invisible characters around a name in a right-to-left text.
ISOLATES = range(0x2066, 0x206A)


def test_a_called_person_is_told_where_to_come(stage: Stage) -> None:
    """If an operator calls a customer twice, a late message about the first call is dropped
    (promise P2).
    """
    stage.configure(messages={"kinds": ["called"], "sms_countries": ["DE"]})
    stage.joins("ada", languages="de")
    stage.joins("bob", phone="+49 1512 3456789")
    stage.people.claim(2, call={"to": "Raum 2"})
    assert stage.send_news() == []
    assert stage.stand_ins.subjects() == ["Bakery: Bitte zu Raum 2"]
    assert "Raum 2" in part(stage.stand_ins.mails[0], "plain")
    assert ["Raum 2" in text["MessageBody"] for text in stage.stand_ins.texts] == [True]
    stage.people.call("ada", "Raum 3")
    late = stage.news()
    stage.people.call("ada", "Raum 4")
    assert stage.send(*late, *stage.news()) == []
    assert stage.stand_ins.subjects()[1:] == ["Bakery: Bitte zu Raum 4"]
    stage.people.call("ada", "Raum 5")
    stage.people.release("ada")
    assert stage.send_news() == [], "the claim has ended"
    assert len(stage.stand_ins.mails) == 2


def test_a_claim_is_not_counted_as_an_offer_that_could_not_be_sent(stage: Stage) -> None:
    stage.configure(messages={"kinds": ["offered", "called"]})
    stage.joins("ada")
    stage.joins("bob")
    stage.joins("cyd")
    stage.people.claim(3, call={"to": "Room 2"})
    stage.people.complete("bob")
    stage.people.release("cyd")
    assert stage.send_news() == []
    assert [kind for kind, *_ in told(stage, "ada")] == ["called"]
    assert "offered" not in counts(stage)


def test_messages_name_the_number_by_which_the_person_is_called(stage: Stage) -> None:
    stage.configure(
        messages={"kinds": ["joined", "called"], "sms_countries": ["DE"]},
        call_numbers={"prefix": "A"},
    )
    stage.joins("ada")
    stage.joins("bob", languages="ar")
    stage.joins("cyd", phone="+49 1512 3456789")
    assert stage.send_news() == []
    stage.people.claim(3, call={"to": "Room 2"})
    assert stage.send_news() == []
    subjects = [
        subject.translate(dict.fromkeys(ISOLATES)) for subject in stage.stand_ins.subjects()
    ]
    assert set(subjects) == {
        "Bakery: your number is A001",
        "Bakery: A001, please come to Room 2",
        "Bakery: رقمك هو A002",
        "Bakery: الرقم A002، توجه إلى Room 2",
    }
    texts = [text["MessageBody"] for text in stage.stand_ins.texts]
    assert ["A003" in text for text in texts] == [True, True]


def test_own_texts_of_a_waitlist_can_name_the_number(stage: Stage) -> None:
    """Ada joined before the waitlist had call numbers, so the text for her contains none."""
    own = {"en": {"called": {"subject": "{number} to {to}"}}}
    stage.configure(messages={"kinds": ["called"], "texts": own})
    stage.joins("ada")
    stage.configure(messages={"kinds": ["called"], "texts": own}, call_numbers={"prefix": "A"})
    stage.joins("bob")
    stage.people.claim(2, call={"to": "Room 2"})
    assert stage.send_news() == []
    assert sorted(stage.stand_ins.subjects()) == ["A001 to Room 2", "to Room 2"]


def run(stage: Stage, minutes: int = 2) -> None:
    for _ in range(minutes):
        stage.world.advance(60)
        stage.world.maintenance.run_all()


def rest(stage: Stage) -> None:
    assert stage.people.rest("ada", 300).status == 200
    stage.world.advance(300)


def rest_and_resume(stage: Stage) -> None:
    assert stage.people.rest("ada", 300).status == 200
    assert stage.people.resume("ada").status == 200


def be_held_back(stage: Stage) -> None:
    assert stage.people.hold_back("ada").status == 200
    assert stage.people.hold_back("ada", ready=True).status == 200


def be_claimed(stage: Stage) -> None:
    assert stage.people.claimed(1) == ["ada"]


AWAY = [rest, rest_and_resume, be_held_back, be_claimed]


@pytest.mark.parametrize("go_away", AWAY)
def test_who_goes_away_before_the_message_is_told_when_they_come_near_again(
    stage: Stage, go_away: Callable[[Stage], None]
) -> None:
    """If the customer's turn is no longer near, the message is dropped. It is sent when their turn
    is near again.
    """
    stage.configure(messages={"kinds": ["near"], "near": 1}, rest={})
    stage.joins("ada")
    run(stage)
    late = stage.news()
    go_away(stage)
    assert stage.send(*late) == []
    assert stage.stand_ins.mails == []
    if go_away is be_claimed:
        assert stage.people.release("ada").status == 200
    run(stage, 3)
    assert stage.send(*late, *stage.news()) == []
    assert stage.stand_ins.to() == ["ada@example.com"]


def test_who_was_moved_to_the_end_is_not_told_that_they_are_near(stage: Stage) -> None:
    stage.configure(messages={"kinds": ["near"], "near": 1})
    stage.joins("ada")
    stage.joins("bob")
    run(stage)
    stage.people.bump("ada", to="back")
    run(stage)
    assert stage.send_news() == []
    assert stage.stand_ins.to() == ["bob@example.com"]
    stage.people.leave("bob")
    run(stage)
    assert stage.send_news() == []
    assert stage.stand_ins.to() == ["bob@example.com", "ada@example.com"]


def test_a_copy_of_a_sent_notice_does_not_cause_a_second_notice(stage: Stage) -> None:
    """Ada was told that her turn is near. A copy of this message arrives during her offer and is
    dropped. She must not get the message again after the offer (promise P2).
    """
    stage.configure(messages={"kinds": ["near"], "near": 1})
    stage.joins("ada")
    run(stage)
    near = stage.news()
    assert stage.send(*near) == []
    stage.people.admit(1)
    assert stage.send(*near) == []
    stage.people.withdraw("ada")
    run(stage, 3)
    assert stage.send(*near, *stage.news()) == []
    assert stage.stand_ins.to() == ["ada@example.com"]


@pytest.mark.parametrize("is_dead", [False, True])
def test_a_customer_who_is_released_while_a_notice_is_dropped_is_told_later(
    stage: Stage, is_dead: bool
) -> None:
    """Ada is claimed, so the function drops the message that her turn is near. If the claim is
    released at that moment, or the function crashes, she must get the message later.
    """
    stage.configure(messages={"kinds": ["near"], "near": 1})
    stage.joins("ada")
    run(stage)
    near = [one for one in stage.news() if one["event"] == "near"]
    be_claimed(stage)
    is_over = False

    def released(call: Call) -> Any:
        nonlocal is_over
        if is_over or call.name != "UpdateItem" or "near_count" not in dumps(call.arguments):
            return call.make()
        is_over = True
        if not is_dead:
            stage.people.release("ada")
            run(stage, 1)
            return call.make()
        call.make()
        raise Crash

    stage.wire.disarm()
    for step in range(500):
        stage.wire.also(step, released)
    if is_dead:
        with pytest.raises(Crash):
            stage.send(*near)
        stage.wire.disarm()
        stage.people.release("ada")
    else:
        assert stage.send(*near) == [0]
    stage.wire.disarm()
    run(stage, 3)
    stage.send(*near, *stage.news())
    assert stage.stand_ins.to() == ["ada@example.com"]


def test_a_late_notice_of_an_earlier_offer_is_not_about_the_present_one(stage: Stage) -> None:
    """A late message about the end of an earlier offer is dropped. The message about the current
    offer was already sent (promise P2).
    """
    stage.configure(messages={"kinds": ["ending"]})
    stage.joins("ada")
    notices = []
    for _ in range(2):
        stage.people.admit(1)
        for _ in range(9):
            stage.world.advance(60)
            stage.world.maintenance.run_all()
        notices.append([one for one in stage.news() if one["event"] == "ending"])
        if len(notices) == 1:
            stage.people.decline("ada")
    assert [len(one) for one in notices] == [1, 1]
    assert stage.send(*notices[1], *notices[0]) == []
    assert len(stage.stand_ins.mails) == 1


def test_a_question_of_a_list_that_no_longer_asks_is_not_sent(stage: Stage) -> None:
    confirm = {"every_days": 30, "answer_days": 14}
    stage.configure(messages={"kinds": ["confirm"]}, confirm=confirm)
    stage.joins("ada")
    for settings, mails in ((None, 0), (confirm, 1)):
        assert stage.people.ask_all().json["asked"] == 1
        stage.configure(messages={"kinds": ["confirm"]}, confirm=settings)
        assert stage.send_news() == []
        assert len(stage.stand_ins.mails) == mails
        stage.configure(messages={"kinds": ["confirm"]}, confirm=confirm)
        stage.people.confirm("ada")


def test_the_rule_takes_the_events_of_all_kinds() -> None:
    pattern = TEMPLATE["Resources"]["MessagesRule"]["Properties"]["EventPattern"]
    assert set(pattern["detail"]["event"]) == {*BY_EVENT, HEARTBEAT_EVENT}
    assert pattern["detail-type"] == [CHANGED, HEARTBEAT]


TEL = {"fields": [{"name": "phone", "label": "Telephone", "type": "tel"}]}
LOCAL_NUMBERS = ("0151 23456789", "0049 151 23456789", "+49 (0)151 / 23456789")


def sms_to(stage: Stage) -> list[str]:
    return [text["DestinationPhoneNumber"] for text in stage.stand_ins.texts]


@pytest.mark.parametrize("number", LOCAL_NUMBERS)
def test_a_local_number_gets_the_sms_of_a_list_with_one_country(stage: Stage, number: str) -> None:
    stage.configure(page=TEL, messages={"kinds": ["joined"], "sms_countries": ["DE"]})
    stage.joins("ada", phone=number)
    assert stage.send_news() == []
    assert sms_to(stage) == ["+4915123456789"]


def test_a_local_number_gets_no_sms_if_its_country_is_unknown(stage: Stage) -> None:
    stage.configure(page=TEL, messages={"kinds": ["joined"], "sms_countries": ["DE", "AT"]})
    stage.joins("ada", phone="0151 23456789")
    stage.joins("bob", phone="+43 664 1234567")
    assert stage.send_news() == []
    assert sms_to(stage) == ["+436641234567"]
    assert told(stage, "ada") == [("joined", "dropped", None, "no_address")]


def test_numbers_of_another_country_keep_their_country_code(stage: Stage) -> None:
    messages = {"kinds": ["joined"], "sms_countries": ["US"]}
    stage.configure(page=TEL, messages=messages)
    stage.joins("ada", phone="0049 151 23456789")
    stage.joins("bob", phone="(212) 555-0142")
    assert stage.send_news() == []
    assert sms_to(stage) == ["+12125550142"]
    assert told(stage, "ada") == [("joined", "dropped", None, "number_not_allowed")]


@pytest.mark.parametrize(
    ("number", "countries"),
    [
        ("0151 23456789", ["DE"]),
        ("0151 23456789", ["DE", "AT"]),
        ("+43 664 1234567", ["DE"]),
        ("030 901820", ["DE"]),
        ("0664 1234567", ["AT"]),
    ],
)
def test_a_customer_is_promised_exactly_the_sms_that_are_sent(
    stage: Stage, number: str, countries: list[str]
) -> None:
    stage.configure(page=TEL, messages={"kinds": ["joined"], "sms_countries": countries})
    stage.joins("ada", phone=number)
    token = stage.people.token_of("ada")
    own = stage.world.request("PATCH", stage.people.entry("ada"), body={}, token=token)
    assert stage.send_news() == []
    assert (own.json.get("messages_to") == "phone") == bool(sms_to(stage)), own.json
