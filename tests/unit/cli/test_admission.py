"""Tests the commands that admit people by hand, against the real service."""

import json
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.fake_service import problem as refusal
from tests.unit.cli.typed import Typed, problem


def claim(bakery: Bakery, *words: str) -> list[tuple[str, str]]:
    shown = bakery.typed.json("claim", bakery.waitlist_id, *words)
    return [(one["customer_id"], one["claim_token"]) for one in shown["claims"]]


def claim_names(bakery: Bakery, *words: str) -> list[str]:
    return [name for name, _ in claim(bakery, *words)]


def test_claims_take_the_oldest_the_newest_or_matching_entries(bakery: Bakery) -> None:
    """P1"""
    bakery.sign_up("ada", "bob", "cyd")
    bakery.sign_up("dan", "eve", attributes={"language": "Spanish"})
    assert claim_names(bakery, "--filter", "language=Spanish") == ["dan"]
    assert claim_names(bakery, "-n", "2") == ["ada", "bob"]
    assert claim_names(bakery, "--newest", "--lease", "60") == ["eve"]
    assert bakery.line() == ["cyd"]
    offered = bakery.typed.json("offered", bakery.waitlist_id)["entries"]
    assert {one["customer_id"] for one in offered} == {"ada", "bob", "dan", "eve"}
    prefer = ["--prefer", "language=Spanish", "--prefer", "anyone"]
    assert claim_names(bakery, "--complete", *prefer) == ["cyd"]
    assert bakery.status("cyd") == "admitted"
    assert "entry_id\tclaim_token" in bakery.typed.run("claim", bakery.waitlist_id)


def test_a_claim_is_completed_released_extended_parked_and_redriven(bakery: Bakery) -> None:
    """P4"""
    bakery.sign_up("ada", "bob", "cyd", "dan")
    tokens = dict(claim(bakery, "-n", "3"))

    def say(verb: str, name: str, *words: str) -> dict[str, object]:
        person = [bakery.waitlist_id, "--customer", name, "--token", tokens[name]]
        answer: dict[str, object] = bakery.typed.json(verb, *person, *words)
        return answer

    assert say("extend", "ada", "--lease", "600")["claimed_until"]
    assert say("complete", "ada")["status"] == "admitted"
    assert say("release", "bob", "--back")["position"] == 2
    assert say("park", "cyd", "--reason", "blurred")["status"] == "parked"
    parked = bakery.typed.json("parked", bakery.waitlist_id)["entries"]
    assert [(one["customer_id"], one["park_reason"]) for one in parked] == [("cyd", "blurred")]
    bakery.typed.run("redrive", bakery.waitlist_id, "--customer", "cyd")
    assert bakery.line() == ["cyd", "dan", "bob"]


def test_a_wrong_claim_token_changes_nothing(bakery: Bakery) -> None:
    """P4"""
    bakery.sign_up("ada")
    claim(bakery)
    person = [bakery.waitlist_id, "--customer", "ada", "--token", "0" * 40]
    result = bakery.typed("--json", "complete", *person)
    assert (result.exit_code, problem(result)["code"]) == (1, "claim_mismatch")
    assert bakery.status("ada") == "offered"


def test_a_claim_is_repeated_with_the_same_key(fake: FakeService) -> None:
    """If the response to a claim is lost, the command retries with the same idempotency key
    (promise P2).
    """
    busy = answer(503, {"code": "queue_unavailable", "detail": "d"}, Retry_After="0")
    fake.script = [busy, answer(200, {"claims": []})]
    Typed(fake.url).run("claim", "bakery")
    keys = {headers["idempotency-key"] for _, _, headers, _ in fake.requests}
    assert (len(fake.requests), len(keys)) == (2, 1)


def test_a_claim_reports_the_limit_of_the_list(fake: FakeService) -> None:
    fake.script = [answer(200, {"claims": [], "limit": "max_claims"})]
    result = Typed(fake.url)("claim", "bakery")
    assert result.exit_code == 0
    assert "The waitlist's max_claims allows no more claims at the moment." in result.stderr


def test_each_preference_becomes_a_filter(fake: FakeService) -> None:
    fake.script = [answer(200, {"claims": []}), answer(200, {"entries": []})]
    prefer = ["--prefer", "city=Köln, Mülheim,language=de", "--prefer", "anyone"]
    Typed(fake.url).run("claim", "bakery", *prefer)
    Typed(fake.url).run("admit", "bakery", "5", *prefer)
    bodies = [json.loads(body) for *_, body in fake.requests]
    for body in bodies:
        assert body["filters"] == [{"city": "Köln, Mülheim", "language": "de"}, {}]


BOTH = ["--filter", "a=b", "--prefer", "anyone"]


@pytest.mark.parametrize("words", [["-n", "101"], ["-n", "0"], ["--filter", "language"], BOTH])
def test_invalid_options_of_a_claim_are_wrong_usage(fake: FakeService, words: list[str]) -> None:
    """P5"""
    assert Typed(fake.url)("claim", "bakery", *words).exit_code == 2
    assert fake.requests == []


def offers(count: int) -> Any:
    offer = {"entry_id": "a" * 26, "status": "offered", "offered_until": "2026-12-03T09:00:00Z"}
    return answer(200, {"entries": [offer] * count})


def read_sent_counts(fake: FakeService) -> list[tuple[int, str]]:
    return [
        (json.loads(body)["count"], head["idempotency-key"]) for *_, head, body in fake.requests
    ]


def test_places_are_offered_to_the_head_of_the_queue_only_once_per_key(bakery: Bakery) -> None:
    """The command makes offers to the people at the head of the queue.

    Repeating it with the same key makes no more offers (promises P1 and P2).
    """
    bakery.sign_up("ada", "bob", "cyd")
    bakery.sign_up("dan", attributes={"language": "Spanish"})
    first = bakery.typed.run("admit", bakery.waitlist_id, "2", "--key", "launch")
    assert first.startswith("Offered a slot to 2 people. The offers end at 20")
    assert bakery.typed.run("admit", bakery.waitlist_id, "2", "--key", "launch") == first
    assert bakery.line() == ["cyd", "dan"]
    words = [bakery.waitlist_id, "5", "--filter", "language=Spanish"]
    assert bakery.typed.run("admit", *words).startswith("Offered a slot to 1 of 5 people. ")
    assert bakery.line() == ["cyd"]


def test_more_than_a_hundred_places_need_several_requests(fake: FakeService) -> None:
    fake.script = [offers(100), offers(100), offers(50)]
    words = ["bakery", "250", "--key", "launch", "--offer-seconds", "172800"]
    printed = Typed(fake.url).run("admit", *words)
    end = "The offers end at 2026-12-03T09:00:00Z."
    assert printed == f"Offered a slot to 250 people. {end}\n"
    assert {json.loads(body)["offer_seconds"] for *_, body in fake.requests} == {172_800}
    assert read_sent_counts(fake) == [(100, "launch.1"), (100, "launch.2"), (50, "launch.3")]


def test_admit_stops_after_a_request_that_offers_no_places(fake: FakeService) -> None:
    fake.script = [offers(100), offers(7), offers(0)]
    shown = Typed(fake.url).json("admit", "bakery", "1000000")
    assert (shown["asked"], len(shown["entries"])) == (1000000, 107)
    assert [key for _, key in read_sent_counts(fake)] == [
        f"{shown['key']}.{number}" for number in (1, 2, 3)
    ]


def test_an_interrupted_admission_prints_the_key_with_which_to_continue(fake: FakeService) -> None:
    """P2"""
    fake.script = [offers(100), refusal(500, "internal_error")]
    result = Typed(fake.url)("admit", "bakery", "250")
    assert result.exit_code == 5
    key = read_sent_counts(fake)[0][1].removesuffix(".1")
    assert "100 of 250 slots" in result.stderr
    assert f"--key {key}" in " ".join(result.stderr.split())


def test_a_refused_admission_suggests_no_repeat(fake: FakeService) -> None:
    fake.script = [refusal(409, "waitlist_paused")]
    result = Typed(fake.url)("admit", "bakery", "5")
    assert (result.exit_code, "--key" in result.stderr) == (1, False)


def test_a_quota_stays_open_until_it_is_ended(bakery: Bakery) -> None:
    printed = bakery.typed.run("admit", bakery.waitlist_id, "2", "--refill")
    assert printed == (
        "Offered a slot to 0 of 2 people. The remaining slots go to the next people.\n"
    )
    assert bakery.typed.json("stats", bakery.waitlist_id)["quota"] == 2
    shown = " ".join(bakery.typed("show", bakery.waitlist_id).output.split())
    assert "A quota has been running since" in shown
    assert f"2 more people are to enter. To end it: waitlist admit {bakery.waitlist_id} 0" in shown
    ended = bakery.typed.run("admit", bakery.waitlist_id, "0")
    assert ended == "The quota has ended. Open offers stay valid.\n"
    assert bakery.typed.json("stats", bakery.waitlist_id)["quota"] == 0
    assert "quota" not in bakery.typed("show", bakery.waitlist_id).output
    words = ["2", "--refill", "--filter", "language=Spanish"]
    assert bakery.typed("admit", bakery.waitlist_id, *words).exit_code == 2


def test_a_quota_of_more_than_a_hundred_needs_several_requests(fake: FakeService) -> None:
    """A request can make at most 100 offers, so the command sends several requests, each with its
    own idempotency key.
    """
    fake.script = [offers(0), offers(0)]
    Typed(fake.url).run("admit", "bakery", "150", "--refill", "--key", "launch")
    assert read_sent_counts(fake) == [(100, "launch.1"), (50, "launch.2")]


def test_an_offer_to_a_person_is_withdrawn(bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    person = [bakery.waitlist_id, "--customer", "bob"]
    offered = bakery.typed.json("admit-person", *person, "--reason", "a wheelchair")
    assert offered["status"] == "offered"
    withdrawn = bakery.typed.json("withdraw", *person, "--reason", "too early")
    assert (withdrawn["status"], withdrawn["position"]) == ("waiting", 2)
    bakery.typed.run("admit-person", *person)
    until = ["--offered-until", offered["offered_until"]]
    assert bakery.typed.json("withdraw", *person, *until)["status"] == "waiting"
    assert bakery.status("bob") == "offered"
    result = bakery.typed("--json", "withdraw", bakery.waitlist_id, "--customer", "ada")
    assert problem(result)["code"] == "not_offered"


def test_an_exit_frees_a_place_inside(bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob")
    words = ["--rate", "1/day", "--acceptance", "automatic"]
    bakery.typed.run("policy", bakery.waitlist_id, *words)
    assert bakery.typed.run("admit", bakery.waitlist_id, "1") == "Admitted 1 person.\n"
    person = [bakery.waitlist_id, "--customer", "ada"]
    assert " has been out since " in bakery.typed.run("exit", *person, "--reason", "went home")
    exited = bakery.typed.json("exit", *person)
    assert exited["exited_at"]
    bakery.typed.run("admit", bakery.waitlist_id, "1")
    words = [bakery.waitlist_id, "--since", "1h"]
    listed = bakery.typed.json("admitted", *words)["entries"]
    assert [one["customer_id"] for one in listed] == ["ada", "bob"]
    (header, row) = bakery.typed.run("inside", *words).splitlines()
    assert header.split("\t")[:3] == ["admitted_at", "call_number", "entry_id"]
    assert row.split("\t")[3] == "bob"
    header, *rows = bakery.typed.run("export", *words, "--status", "admitted").splitlines()
    assert ("admitted_at" in header, len(rows)) == (True, 2)
    result = bakery.typed("--json", "exit", bakery.waitlist_id, "--customer", "eve")
    assert (result.exit_code, problem(result)["code"]) == (1, "entry_not_found")


def sign_up_and_park(bakery: Bakery, *people: str) -> None:
    bakery.sign_up(*people)
    for name, token in claim(bakery, "-n", str(len(people))):
        bakery.typed.run("park", bakery.waitlist_id, "--customer", name, "--token", token)


def test_all_parked_people_are_redriven(bakery: Bakery) -> None:
    """`redrive --all` returns all parked people to their old places (promise P1)."""
    sign_up_and_park(bakery, "ada", "bob", "cyd")
    bakery.sign_up("new")
    assert bakery.typed.json("redrive", bakery.waitlist_id, "--all") == {
        "redriven": 3,
        "refused": [],
    }
    assert bakery.line() == ["ada", "bob", "cyd", "new"]
    again = bakery.typed.run("redrive", bakery.waitlist_id, "--all")
    assert again == "0 people are waiting again, 0 refused.\n"
    for words in (["--all", "--customer", "ada"], []):
        refused = bakery.typed("redrive", bakery.waitlist_id, *words)
        assert (refused.exit_code, "either --all" in refused.stderr) == (2, True)


def test_a_redrive_names_the_parking_that_it_ends(fake: FakeService) -> None:
    """A request to return a parked person to the queue names the time at which they were parked. If
    they have returned and been parked again, a delayed request changes nothing (promise P2).
    """
    at = "2026-11-24T19:00:00.000Z"
    fake.script = [
        answer(200, {"parked_at": at}),
        refusal(503, "rebuilding", ""),
        refusal(409, "not_parked", ""),
    ]
    assert Typed(fake.url)("redrive", "bakery", "a" * 26).exit_code == 1
    sent = [json.loads(body) for method, _, _, body in fake.requests if method == "POST"]
    assert sent == [{"parked_at": at, "to": "place", "reason": ""}] * 2


def test_redriving_all_reads_every_page_and_reports_refused_entries(
    fake: FakeService,
) -> None:
    at = "2026-11-24T19:00:00.000Z"
    people = [{"entry_id": letter * 26, "customer_id": letter, "parked_at": at} for letter in "ab"]
    fake.script = [
        answer(200, {"entries": people[:1], "cursor": "more"}),
        answer(200, {"entries": people[1:], "cursor": None}),
        refusal(409, "not_parked", "The entry is not parked."),
        answer(200, {}),
    ]
    result = Typed(fake.url)("redrive", "bakery", "--all", "--back")
    assert (result.exit_code, result.stdout) == (1, "1 person is waiting again, 1 refused.\n")
    assert "a: The entry is not parked. (not_parked)" in result.stderr
    assert json.loads(fake.requests[-1][3]) == {"parked_at": at, "to": "back", "reason": ""}
