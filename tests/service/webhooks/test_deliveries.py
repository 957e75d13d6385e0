"""Tests that a webhook gets each event at least once, and each person's events in order, whatever
the queue and the receiver do.
"""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import trustme
from botocore.exceptions import EndpointConnectionError
from msgspec.structs import replace

from tests.e2e.processes import wait_until
from tests.service.api.refusing import refused
from tests.service.bus.scene import in_order
from tests.service.webhooks.receiving import SECRET, Answer, Stage, Stand, standing, status
from tests.support.faults import Crash, Wire, crash_before
from tests.support.world import CONFIG
from waitlist_api.records.entry import entry_pk
from waitlist_api.webhooks import receiver
from waitlist_api.webhooks.receiver import BadUrl, Receiver, parse_retry_after
from waitlist_api.webhooks.replay import BATCH, ROUNDS
from waitlist_api.webhooks.signatures import BadWebhookSecret, Signatures, signers

OTHER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
DAY = 24 * 3600
NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


@pytest.fixture
def stand() -> Iterator[Stand]:
    with standing() as made:
        yield made


@pytest.fixture
def stage(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(stand, monkeypatch)


def lives(stage: Stage) -> None:
    stage.scene.people.all_sign_up("ada")
    people = stage.scene.people
    stage.advance(1)
    assert people.bump("ada", to="front").status == 200
    stage.advance(1)
    assert people.claim().status == 200
    stage.advance(1)
    assert people.release("ada").status == 200


LIFE = ["joined", "bumped", "offered", "released"]


def test_a_webhook_is_the_detail_of_the_bus_signed_by_each_secret(
    stage: Stage, stand: Stand
) -> None:
    stage.secret = f"{SECRET} {OTHER_SECRET}"
    stage.start()
    stand.secrets = [SECRET, OTHER_SECRET]
    lives(stage)
    details = stage.scene.news()
    stage.announce(details)
    stage.run()
    assert [detail for _, detail in stand.received] == details
    assert stand.events == LIFE
    ids = [f"evt_{one['entry_id']}_{one['stamp']}" for one in details]
    assert [id_ for id_, _ in stand.received] == ids


def test_events_arrive_in_order_and_once_from_a_queue_without_order(
    stage: Stage, stand: Stand
) -> None:
    lives(stage)
    details = stage.scene.news()
    stage.announce([*reversed(details), *details])
    stage.run()
    assert stand.events == LIFE
    assert stage.queue.bodies == []


def test_an_event_that_was_recorded_late_is_sent_late(stage: Stage, stand: Stand) -> None:
    lives(stage)
    joined, *others = stage.scene.news()
    key = entry_pk(joined["waitlist_id"], joined["entry_id"])
    (late,) = [one for one in stage.scene.table.items if one[0] == key and "#joined" in one[1]]
    item = stage.scene.table.items.pop(late)
    stage.announce(others)
    stage.run()
    stage.scene.table.items[late] = item
    stage.announce([joined])
    stage.run()
    assert stand.events == [*LIFE[1:], "joined"]


def test_later_events_wait_for_one_that_fails_and_others_do_not(stage: Stage, stand: Stand) -> None:
    stage.scene.people.all_sign_up("ada", "bob")
    stage.announce()
    stage.run()
    stand.received.clear()
    ada = stage.scene.people.id_of("ada")

    def of_ada() -> list[str]:
        return [one["event"] for _, one in stand.received if one["entry_id"] == ada]

    def refuses_ada(request: Any) -> None:
        is_refused = stand.received[-1][1]["entry_id"] == ada and len(of_ada()) <= 3
        status(500 if is_refused else 204)(request)

    stand.always = refuses_ada
    people = stage.scene.people
    for happen in (
        partial(people.bump, "ada", to="front"),
        people.claim,
        partial(people.bump, "bob", to="front"),
    ):
        assert happen().status == 200
        stage.announce()
        stage.run()
    assert len(stand.received) == 2, "one event of each entry was sent"
    times: list[int] = []
    for second in range(60):
        times += [second] * (len(of_ada()) - 1 - len(times))
        stage.advance(1)
        stage.run()
    assert of_ada() == ["bumped", "bumped", "bumped", "bumped", "offered"]
    first, second, third, at_once = times
    assert third == at_once
    assert first < second - first < third - second, "the pauses grow"
    assert stage.queue.bodies == []


def test_a_receiver_that_asks_for_a_pause_is_left_alone(stage: Stage, stand: Stand) -> None:
    """If a receiver asks for a pause, the function does not send it other people's events
    either.
    """
    stage.scene.people.all_sign_up("ada", "bob")
    stand.answers = [status(429, retry_after="120")]
    stage.announce()
    for _ in range(119):
        stage.run()
        stage.advance(1)
    assert len(stand.received) == 1
    stage.run_for(30, step=5)
    assert len(stand.received) == 3
    assert stage.queue.bodies == []


def no_answer(request: Any) -> None:
    request.stand.ending.wait()


def a_byte_at_a_time(request: Any) -> None:
    with suppress(OSError):
        request.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not request.stand.ending.wait(0.01):
            request.wfile.write(b"a")


def close_without_response(_: Any) -> None:
    """Close the connection without a response."""


def nonsense(request: Any) -> None:
    request.wfile.write(b"hello\r\n\r\n")


def ending_when_received(stand: Stand) -> Any:
    """Return a timer that ends when the receiver has got the request, so that the test does not
    depend on the machine's speed.
    """

    class Received(threading.Thread):
        def __init__(self, _seconds: float, end: Callable[[], None]) -> None:
            super().__init__(daemon=True)
            self._end = end
            self._is_cancelled = threading.Event()

        def run(self) -> None:
            wait_until(lambda: bool(stand.received) or self._is_cancelled.is_set())
            if not self._is_cancelled.is_set():
                self._end()

        def cancel(self) -> None:
            self._is_cancelled.set()

    return Received


@pytest.mark.parametrize(
    "answer", [no_answer, a_byte_at_a_time, close_without_response, nonsense, status(307)]
)
def test_an_event_without_a_good_answer_is_sent_again_with_its_id(
    stage: Stage, stand: Stand, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = SimpleNamespace(Timer=ending_when_received(stand), Lock=threading.Lock)
    stage.scene.people.all_sign_up("ada")
    stand.answers = [answer]
    stage.announce()
    with monkeypatch.context() as patch:
        patch.setattr(receiver, "threading", watch)
        stage.run()
    assert len(stage.queue.bodies) == 1
    stage.start()
    stage.run_for(20, step=1)
    first, second = stand.received
    assert first == second
    assert stage.queue.bodies == []


def twice(request: Any) -> None:
    request.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok" * 2)


def endless(request: Any) -> None:
    """Answer 200 with a body that never ends."""
    with suppress(OSError):
        request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not request.stand.ending.is_set():
            request.wfile.write(b"x" * 65_536)


@pytest.mark.parametrize("answer", [twice, endless, status(201)])
def test_a_successful_response_counts_whatever_follows_it(
    stage: Stage, stand: Stand, answer: Answer
) -> None:
    stage.scene.people.all_sign_up("ada")
    stand.answers = [answer]
    stage.announce()
    stage.run()
    assert stage.queue.bodies == []
    assert stand.events == ["joined"]


def test_a_receiver_may_need_longer_to_answer_than_to_accept_the_connection(
    stage: Stage, stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = 0.2
    monkeypatch.setattr("waitlist_api.webhooks.receiver.CONNECT_SECONDS", limit)

    def late(request: Any) -> None:
        stand.ending.wait(limit + 0.5)
        status(204)(request)

    stage.scene.people.all_sign_up("ada")
    stand.answers = [late]
    stage.announce()
    stage.run()
    assert stage.queue.bodies == []
    assert stand.events == ["joined"]


def elsewhere(stand: Stand) -> Answer:
    return status(302, location=stand.url, content_length="0")


def test_a_redirect_is_not_followed(stage: Stage, stand: Stand) -> None:
    stage.scene.people.all_sign_up("ada")
    stand.answers = [elsewhere(stand)]
    stage.announce()
    stage.run()
    assert stand.events == ["joined"]
    assert len(stage.queue.bodies) == 1


def test_a_process_that_dies_after_an_answer_sends_the_event_once_more(
    stage: Stage, stand: Stand
) -> None:
    lives(stage)
    wire = Wire()
    stage.start(wire.client(stage.scene.table))
    stage.announce(stage.scene.news()[:1])
    # The function crashes right after it has sent the events.
    wire.arm(3, crash_before)
    with pytest.raises(Crash):
        stage.run()
    assert stand.events == LIFE
    stage.start()
    stage.run_for(400, step=10)
    assert stand.events == LIFE * 2
    assert stage.queue.bodies == []


def test_two_messages_of_an_entry_at_once_send_nothing_twice(stage: Stage, stand: Stand) -> None:
    lives(stage)
    stage.announce()

    def meanwhile(request: Any) -> None:
        assert stage.call()
        status(204)(request)

    stand.answers = [meanwhile]
    stage.run()
    stage.run_for(5, step=1)
    assert stand.events == LIFE
    assert stage.queue.bodies == []


def test_after_a_day_an_event_is_a_dead_letter_and_later_ones_go_on(
    stage: Stage, stand: Stand
) -> None:
    stand.always = status(500)
    stage.scene.people.all_sign_up("ada")
    stage.announce()
    stage.run_for(DAY - 3600)
    assert 20 < len(stand.received) < 45
    assert stage.scene.people.bump("ada", to="front").status == 200
    stage.announce()
    stage.run_for(3 * 3600)
    assert [json.loads(one)["event"] for one in stage.dead.bodies] == ["joined"]
    stand.always = status(204)
    stand.received.clear()
    stage.run_for(7200)
    assert stand.events == ["bumped"]
    assert stage.queue.bodies == []


def is_given_up(stage: Stage, stand: Stand) -> list[dict[str, Any]]:
    """Deliver Ada's signup while the receiver fails for a day, and her next event once it works
    again.
    """
    stand.always = status(500)
    stage.scene.people.all_sign_up("ada")
    joined = stage.scene.news()
    stage.announce(joined)
    stage.run_for(DAY + 7200)
    assert (stage.queue.bodies, len(stage.dead.bodies)) == ([], 1)
    stand.always = status(204)
    stand.received.clear()
    assert stage.scene.people.bump("ada", to="front").status == 200
    stage.announce()
    stage.run()
    return joined


def test_an_event_that_was_given_up_is_sent_by_a_replay_but_not_by_a_second_copy(
    stage: Stage, stand: Stand
) -> None:
    """The function has given up on one event and sent the next one. It ignores a second copy of the
    first event, which an operator can still resend.
    """
    joined = is_given_up(stage, stand)
    stage.announce(joined)
    stage.run()
    assert stand.events == ["bumped"]
    assert replay(stage, {"since": "2026-09-21T00:00:00Z"}).json["replayed"] == 1
    stage.announce(joined)
    stage.run()
    assert stand.events == ["bumped", "joined"]
    assert (stage.queue.bodies, stage.dead.bodies) == ([], [])


def test_a_copy_of_a_replayed_event_that_was_given_up_is_not_sent(
    stage: Stage, stand: Stand
) -> None:
    is_given_up(stage, stand)
    stand.always = status(500)
    assert replay(stage, {"since": "2026-09-21T00:00:00Z"}).json["replayed"] == 1
    (copy,) = stage.queue.bodies
    stage.queue.send(copy)
    stage.run_for(DAY + 7200)
    assert (stage.queue.bodies, len(stage.dead.bodies)) == ([], 1)
    stand.always = status(204)
    stand.received.clear()
    stage.run_for(DAY)
    assert stand.events == []


def test_an_event_that_is_given_up_with_a_later_one_does_not_come_by_its_own_message(
    stage: Stage, stand: Stand
) -> None:
    """A person's last event arrives first, and the function tries to send the earlier events with
    it. Once it has given up, it must not send the earlier events when their own messages arrive.
    """
    stand.always = status(500)
    lives(stage)
    stage.announce(list(reversed(stage.scene.news())))
    while not stage.dead.bodies:
        stage.advance(600)
        stage.call()
    assert sorted(json.loads(one)["event"] for one in stage.dead.bodies) == sorted(LIFE)
    stand.always = status(204)
    stand.received.clear()
    stage.run_for(DAY)
    assert stand.events == []
    assert (stage.queue.bodies, len(stage.dead.bodies)) == ([], len(LIFE))


def test_a_dead_letter_of_a_person_who_was_erased_since_is_not_sent_again(
    stage: Stage, stand: Stand
) -> None:
    """After the `erased` event, the receiver gets none of this person's earlier events, only events
    of a new signup (promise P8).
    """
    is_given_up(stage, stand)
    people = stage.scene.people
    assert people.hold_back("ada").status == 200
    # EventBridge could not put the event into the queue and made it a dead letter.
    stage.dead.send(json.dumps({"detail": stage.scene.news()[0]}))
    assert people.erase("ada").status == 204
    stage.scene.maintain()
    assert people.sign_up("ada", key="a-new-person").status == 201
    stage.announce()
    stage.run()
    assert replay(stage, {"since": "2026-09-21T00:00:00Z"}).json["replayed"] == 2
    stage.run()
    assert stand.events == ["bumped", "erased", "joined"]
    assert (stage.queue.bodies, stage.dead.bodies) == ([], [])


def test_dead_letters_that_are_sent_again_arrive_in_order(stage: Stage, stand: Stand) -> None:
    lives(stage)
    stand.always = status(500)
    stage.announce()
    stage.run_for(DAY + 7200)
    assert stage.queue.bodies == []
    assert len(stage.dead.bodies) == 4
    stand.always = status(204)
    stand.received.clear()
    before = {"since": "2026-09-21T14:13:20Z"}
    after = {"since": "2026-09-22T00:00:00+00:00"}
    assert replay(stage, after).json == {"replayed": 0, "more": False}
    stage.advance(60)
    assert replay(stage, before).json == {"replayed": 4, "more": False}
    assert stage.dead.bodies == []
    # If a replay request is interrupted, some dead letters may be queued twice and out of order.
    for body in reversed(stage.queue.bodies):
        stage.queue.send(body)
    stage.run_for(7200)
    assert stand.events == LIFE
    assert stage.queue.bodies == []


def replay(stage: Stage, body: dict[str, str]) -> Any:
    return stage.scene.world.request("POST", "/v1/admin/webhook/replay", body=body, operator=True)


def test_a_replay_ends_before_its_request_does(stage: Stage) -> None:
    for number in range(ROUNDS * BATCH + 1):
        detail = {"event": "left", "waitlist_id": "bakery", "entry_id": "a" * 26}
        at = "2026-09-21T14:18:55.000Z"
        stage.dead.send(json.dumps({**detail, "stamp": str(number), "at": at}))
    # A replay also sends dead letters in EventBridge's format, and ignores messages that are not
    # events.
    stage.dead.send(json.dumps({"detail": {**detail, "stamp": "1", "at": at}}))
    stage.dead.send("{}")
    answers = [replay(stage, {"since": "2026-01-01T00:00:00Z"}).json for _ in range(2)]
    assert answers == [
        {"replayed": ROUNDS * BATCH, "more": True},
        {"replayed": 2, "more": False},
    ]
    assert stage.dead.bodies == ["{}"]


def test_a_replay_without_a_webhook_or_its_queue_is_refused(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: Any) -> None:
        raise EndpointConnectionError(endpoint_url="https://sqs")

    monkeypatch.setattr(stage.sqs, "receive_message", fail)
    body = {"since": "2026-01-01T00:00:00Z"}
    refused(replay(stage, body), 503, "not_ready")
    monkeypatch.setattr("tests.support.world.CONFIG", replace(CONFIG, webhook_queue_url=""))
    refused(replay(Stage(stage.stand, monkeypatch), body), 409, "no_webhook")


def test_the_events_of_an_erased_person_keep_their_order(stage: Stage, stand: Stand) -> None:
    stand.always = status(500)
    lives(stage)
    stage.announce(list(reversed(stage.scene.news())))
    stage.run()
    assert stage.scene.people.erase("ada").status == 204
    stage.scene.maintain()
    stage.announce(list(reversed(stage.scene.news())))
    stage.run()
    stand.always = status(204)
    stand.received.clear()
    stage.run_for(7200)
    assert stand.events[:4] == LIFE
    assert stand.events[-1] == "erased"
    assert [one for _, one in stand.received] == in_order([one for _, one in stand.received])


def test_an_erasure_after_an_exit_is_the_last(stage: Stage, stand: Stand) -> None:
    """While the receiver is down, a person is erased and signs up again. The receiver later gets
    the person's earlier events before the `erased` event (promise P8).
    """
    people = stage.scene.people
    assert stage.scene.configure(admission={}).status == 200
    stand.always = status(500)
    people.all_sign_up("ada")
    for one in (people.admit(1), people.enter("ada"), people.exit("ada"), people.erase("ada")):
        assert one.status < 300, one.text
        stage.announce()
        stage.run()
        stage.advance(1)
    stage.scene.maintain()
    stage.announce()
    stage.run()
    assert people.sign_up("ada", key="a-new-person-signs-up").status == 201
    stage.announce()
    stand.always = status(204)
    stand.received.clear()
    stage.run_for(7200)
    assert stand.events == ["joined", "offered", "admitted", "exited", "erased", "joined"]


@pytest.mark.parametrize(
    "address",
    [
        *("10.0.0.1", "127.0.0.1", "169.254.169.254", "224.0.0.1", "0.0.0.0", "100.64.0.1"),
        *("::1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1", "fe80::1%eth0"),
    ],
)
def test_nothing_is_sent_to_an_address_that_is_not_public(
    stage: Stage, stand: Stand, address: str
) -> None:
    """The function does not call a host with a private address, even if the host also has a public
    one.
    """
    url = stand.url.replace("http://127.0.0.1", "https://hooks.example.com")
    stage.start(url=url, only_loopback=False, resolve=lambda *_: ["93.184.215.14", address])
    stage.scene.people.all_sign_up("ada")
    stage.announce()
    stage.run()
    assert len(stage.queue.bodies) == 1
    assert stand.received == []


@pytest.mark.parametrize(
    ("name", "outcome"), [("hooks.example.com", "sent"), ("other.example.com", "unreachable")]
)
def test_the_certificate_is_that_of_the_name_and_not_of_the_address(
    monkeypatch: pytest.MonkeyPatch, name: str, outcome: str
) -> None:
    """P5"""
    authority = trustme.CA()
    client, server = ssl.create_default_context(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.configure_trust(client)
    authority.issue_cert("hooks.example.com").configure_cert(server)
    monkeypatch.setattr(receiver, "_tls", lambda: client)
    monkeypatch.setattr(receiver, "is_public", lambda address: address == "127.0.0.1")
    with standing(server) as stand:
        url = stand.url.replace("http://127.0.0.1", f"https://{name}")
        made = Receiver(url, resolve=lambda *_: ["127.0.0.1"])
        body = b"{}"
        headers = Signatures(lambda: SECRET).headers("evt_1", body)
        assert made.post(body, headers, NOW).outcome == outcome
        assert len(stand.received) == (outcome == "sent")


def test_the_connection_goes_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The function looks up the host name only once, so that it connects to the address it has
    checked.
    """
    names = iter([["93.184.215.14"], ["127.0.0.1"]])
    connected = []

    def refuse(address: tuple[str, int], *_: Any) -> None:
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr("socket.create_connection", refuse)
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: pytest.fail("a second look"))
    made = Receiver("https://hooks.example.com/a", resolve=lambda *_: next(names))
    assert made.post(b"{}", {}, NOW).outcome == "unreachable"
    assert connected == [("93.184.215.14", 443)]


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "https://",
        "https://u:p@example.com",
        "https://example.com:x",
        "ftp://a",
        "https://example.com/ü",
    ],
)
def test_only_https_is_taken(url: str) -> None:
    with pytest.raises(BadUrl):
        Receiver(url)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120),
        ("99999999999", DAY),
        ("Wed, 25 Nov 2026 12:01:00 GMT", 61),
        ("Wed, 25 Nov 2026 11:00:00 GMT", 0),
        ("soon", 0),
        ("-5", 0),
        ("", 0),
    ],
)
def test_a_pause_is_seconds_or_a_date(text: str, seconds: int) -> None:
    assert parse_retry_after(text, NOW) == seconds


@pytest.mark.parametrize("text", ["", "whsec_", "whsec_c2hvcnQ=", "whsec_?", f"{SECRET} x"])
def test_a_secret_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadWebhookSecret):
        signers(text)
