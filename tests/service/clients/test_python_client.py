"""Tests that a Python client generated from the OpenAPI document can read every response of the
service.
"""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.service.clients.python_client import BASE_URL, PythonClient, generate, write
from tests.support.openapi import document_file
from tests.support.stores import empty_redis
from tests.support.world import SECRET, START_MILLIS, World
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.auth.token_keys import stay_of
from waitlist_api.clock import iso, now_millis
from waitlist_api.http.routes.params import ENTRY_ID
from waitlist_api.settings.rest import DAY_MILLIS

DOCUMENT = document_file("guests.json")
OPERATIONS: dict[str, Any] = {
    operation["operationId"]: operation
    for methods in json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"].values()
    for operation in methods.values()
}
REFUSALS = {
    name: [int(status) for status in operation["responses"] if int(status) >= 400]
    for name, operation in OPERATIONS.items()
}
BAKERY = "bakery"
Send = Callable[..., Any]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> PythonClient:
    return generate(DOCUMENT, tmp_path_factory.mktemp("client"))


def test_an_app_generates_a_client_of_the_customers_routes_alone(tmp_path: Path) -> None:
    api = write(document_file("customers.json"), tmp_path) / "api"
    operations = {file.stem for file in (api / "customer").glob("*.py")}
    assert {"sign_up", "get_entry", "enter", "get_pass"} <= operations
    assert not (api / "operator").exists()


def answered(client: PythonClient, name: str, response: httpx.Response) -> Any:
    """Return the object that the generated client makes from a response."""
    tag = OPERATIONS[name]["tags"][0]
    wanted = {
        "waitlist_id": BAKERY,
        "entry_id": ENTRY_ID,
        "invitation_id": "0a1b2c3d4e5f6789",
        "body": SimpleNamespace(to_dict=dict),
    }
    parameters = [one["name"] for one in OPERATIONS[name]["parameters"] if one["in"] == "path"]
    named = [*parameters, *(["body"] if "requestBody" in OPERATIONS[name] else [])]
    return client.call(tag, name, lambda _: response, **{one: wanted[one] for one in named}).parsed


@pytest.mark.parametrize("name", REFUSALS)
def test_it_reads_every_problem(client: PythonClient, name: str) -> None:
    for status in REFUSALS[name]:
        problem = {
            "type": "about:blank",
            "title": "a code that is new",
            "status": status,
            "code": "a_code_that_is_new",
            "detail": "What happened, and what to do.",
            "errors": [{"field": "body.reason", "message": "must be a valid string"}],
        }
        media_type = {"content-type": "application/problem+json"}
        parsed = answered(client, name, httpx.Response(status, json=problem, headers=media_type))
        assert (parsed.code, parsed.status) == ("a_code_that_is_new", status)
        assert [one.field for one in parsed.errors] == ["body.reason"]


@pytest.mark.parametrize("name", REFUSALS)
def test_it_reads_what_the_gateway_answers_by_itself(client: PythonClient, name: str) -> None:
    for status in REFUSALS[name]:
        response = httpx.Response(status, json={"message": "Too Many Requests"})
        parsed = answered(client, name, response)
        assert parsed.message == "Too Many Requests", status
        assert not parsed.code, status


@pytest.fixture
def called() -> set[str]:
    return set()


@pytest.fixture
def send(client: PythonClient, called: set[str]) -> Send:
    world = World.on(MemoryTable(), empty_redis())

    def respond(request: httpx.Request) -> httpx.Response:
        answer = world.request(
            request.method,
            request.url.path,
            raw_body=request.content.decode() or None,
            headers={name.lower(): value for name, value in request.headers.items()},
            query=request.url.query.decode(),
            operator="/admin/" in request.url.path,
        )
        return httpx.Response(answer.status, text=answer.text, headers=answer.headers)

    def call(name: str, status: int, token: str = "", **arguments: Any) -> Any:
        def signed(request: httpx.Request) -> httpx.Response:
            if token:
                request.headers["authorization"] = f"Bearer {token}"
            return respond(request)

        response = client.call(OPERATIONS[name]["tags"][0], name, signed, **arguments)
        assert response.status_code == status, response.content
        called.add(name)
        return response.parsed

    return call


def test_it_calls_every_operation(client: PythonClient, send: Send, called: set[str]) -> None:
    def body(name: str, /, **fields: Any) -> Any:
        return client.body(name, fields)

    admission = body("AdmissionBody", offer_seconds=60)
    rests = body("RestRulesBody", max_days=180, times=9)
    parts = {"segments": [["language"]], "admission": admission, "rest": rests}
    settings = body("WaitlistBody", name="Bakery", **parts)
    made = send("putWaitlist", 201, waitlist_id=BAKERY, body=settings)
    assert made.name == "Bakery"
    tokens: dict[str, str] = {}
    ids: dict[str, str] = {}
    for name in ("ada", "bob", "cyd", "dan"):
        guest = body("SignupBody", customer_id=name, attributes={"language": "English"})
        joined = send("signUp", 201, waitlist_id=BAKERY, body=guest)
        assert (joined.status, joined.position) == ("waiting", len(ids) + 1)
        tokens[name], ids[name] = joined.entry_token, joined.entry_id

    names = {entry_id: name for name, entry_id in ids.items()}

    def on(name: str, operation: str, status: int = 200, **arguments: Any) -> Any:
        return send(operation, status, waitlist_id=BAKERY, entry_id=ids[name], **arguments)

    assert send("health", 200).status == "ok"
    assert send("getPassIssuer", 200).issuer == BASE_URL
    assert [one.alg for one in send("getPassKeys", 200).keys] == ["RS256"]
    assert send("getWaitlist", 200, waitlist_id=BAKERY).total == 4
    assert len(send("getBoard", 200, waitlist_id=BAKERY).cuts) == 4
    assert send("getScreen", 200, waitlist_id=BAKERY).called == []
    assert send("getWaitlistConfig", 200, waitlist_id=BAKERY).name == "Bakery"
    assert [one.waitlist_id for one in send("listWaitlists", 200).waitlists] == [BAKERY]
    assert on("bob", "getEntry", token=tokens["bob"]).position == 2
    patch = body("WaitlistPatch", capacity=90)
    assert send("changeWaitlist", 200, waitlist_id=BAKERY, body=patch).capacity == 90
    until = iso(now_millis() + DAY_MILLIS)
    resting = on("bob", "rest", token=tokens["bob"], body=body("RestBody", until=until))
    assert resting.not_ready == ["resting"]
    rest = body("ResumeBody", rest_until=until)
    assert on("bob", "resume", token=tokens["bob"], body=rest).ready
    own = body("OwnDataBody", profile={"phone": "+49 30 901820"})
    shown = on("bob", "changeOwnData", token=tokens["bob"], body=own).profile
    assert shown.to_dict() == {"phone": "+49 30 901820"}
    assert on("bob", "setReady", body=body("ReadyBody", ready=True)).ready
    assert on("bob", "listMessages").messages == []
    assert on("bob", "verifyPerson", body=body("VerifyEntryBody", reason="passport")).ready
    confirm = body("ConfirmBody", every_days=90).to_dict()
    assert send(
        "changeWaitlist", 200, waitlist_id=BAKERY, body=body("WaitlistPatch", confirm=confirm)
    )
    assert send("askAll", 200, waitlist_id=BAKERY, body=body("AskBody")).asked == 4
    assert on("bob", "confirm", token=tokens["bob"]).confirm_by is None
    assert on("cyd", "bump", body=body("BumpToEnd", to="front")).position == 1
    key = "0a4f8f0e-5a0c-4f6b-9b53-6a1d1a1b1c1d"
    assert on("dan", "bump", body=body("BumpByPlaces", places=1), idempotency_key=key).position == 3
    assert on("dan", "bump", body=body("BumpByPriority", priority=1)).priority == 1
    on("ada", "editPerson", body=body("EditProfileBody", profile={"note": "tall"}))
    assert on("ada", "getPerson").profile.to_dict() == {"note": "tall"}
    assert on("ada", "issueToken").entry_token
    assert on("ada", "getLink").url.partition("#")[2] == f"t={ids['ada']}.{tokens['ada']}"
    stay = (BAKERY, ids["ada"], stay_of(tokens["ada"]))
    code = body("VerifyBody", code=EntryTokens(SECRET).issue_code(*stay, START_MILLIS))
    assert send("verify", 200, waitlist_id=BAKERY, body=code).entry_token == tokens["ada"]
    assert len(send("listEntries", 200, waitlist_id=BAKERY).entries) == 4
    assert send("listSegments", 200, waitlist_id=BAKERY).segments[0].waiting == 4

    one = on("bob", "claimPerson", body=body("ClaimOneBody")).claim_token
    assert on("bob", "release", body=body("ReleaseBody", claim_token=one)).status == "waiting"
    claims = send("claim", 200, waitlist_id=BAKERY, body=body("ClaimBody", count=3)).claims
    (dan, cyd, ada) = [one.claim_token for one in claims]
    assert on("dan", "extend", body=body("ExtendBody", claim_token=dan)).status == "offered"
    called_to = body("CallAgainBody", claim_token=dan, to="Room 2")
    assert on("dan", "call", body=called_to).call.to == "Room 2"
    assert on("dan", "complete", body=body("CompleteBody", claim_token=dan)).status == "admitted"
    assert on("cyd", "park", body=body("ParkBody", claim_token=cyd)).status == "parked"
    assert on("cyd", "redrive", body=body("RedriveBody")).status == "waiting"
    assert on("ada", "release", body=body("ReleaseBody", claim_token=ada)).status == "waiting"
    assert send("getStats", 200, waitlist_id=BAKERY).admitted == 1
    history = send("getStatsHistory", 200, waitlist_id=BAKERY)
    assert history.step_seconds == 600
    tried = body("PreviewBody", admission=body("AdmissionBody", max_inside=3), people=2)
    preview = send("previewAdmission", 200, waitlist_id=BAKERY, body=tried)
    assert preview.estimates[0].estimated_wait.seconds == 0
    assert len(send("previewMessages", 200, waitlist_id=BAKERY).messages) == 60
    late = body("NoticeBody", text="The oven is being repaired.")
    assert send("putNotice", 200, waitlist_id=BAKERY, body=late).text == late.text
    sends = body("WaitlistPatch", messages={"kinds": ["left"]})
    assert send("changeWaitlist", 200, waitlist_id=BAKERY, body=sends).messages.kinds == ["left"]
    news = body("MessageBody", text={"en": "We close at 5 pm."}, dry_run=True)
    assert send("sendMessage", 200, waitlist_id=BAKERY, body=news).message_id is None
    test = body("TestMessageBody", kind="offered", email="ada@example.com")
    assert send("sendTestMessage", 200, waitlist_id=BAKERY, body=test).outcome == "sent"
    since = body("ReplayBody", since="2026-01-01T00:00:00Z")
    assert send("replayWebhook", 200, body=since).replayed == 0

    offers = send("admit", 200, waitlist_id=BAKERY, body=body("AdmitBody", count=2)).entries
    (cyd, ada) = [names[one.entry_id] for one in offers]
    assert on(cyd, "withdraw", body=body("WithdrawBody")).status == "waiting"
    assert on(cyd, "admitPerson", body=body("AdmitOneBody")).status == "offered"
    assert on(cyd, "decline", token=tokens[cyd], body=body("DeclineBody")).status == "waiting"
    assert on(ada, "enter", token=tokens[ada]).pass_
    assert on(ada, "getPass", token=tokens[ada]).pass_
    assert on(ada, "exitEntry", token=tokens[ada]).exited_at
    assert on(ada, "exitPerson", body=body("ExitBody")).exited_at
    few = body("InvitationBody", count=1, offer_seconds=3600)
    invited = send("invite", 200, waitlist_id=BAKERY, body=few)
    (listed,) = send("listInvitations", 200, waitlist_id=BAKERY).invitations
    known = {"waitlist_id": BAKERY, "invitation_id": listed.invitation_id}
    assert invited.invitation_id == listed.invitation_id
    assert send("getInvitation", 200, **known).count == 1

    on("bob", "leave", 204, token=tokens["bob"])
    on(cyd, "remove", 204, body=body("RemoveBody", reason="asked by telephone"))
    on(cyd, "unban", 204, body=body("UnbanBody"))
    back = on(cyd, "reinstate", body=body("ReinstateBody", reason="an error"))
    assert back.status == "waiting"
    token = on(cyd, "issueToken").entry_token
    assert on(cyd, "getEntry", token=token).position == back.position
    on("ada", "erasePerson", 204)
    rows = body("ImportBody", entries=[{"customer_id": "eve"}])
    assert send("importEntries", 200, waitlist_id=BAKERY, body=rows).joined == 1
    (again,) = send("importWithTokens", 200, waitlist_id=BAKERY, body=rows).results
    assert (again.outcome, bool(again.entry_token)) == ("already", True)
    assert on("bob", "getEntry", 401).code == "unauthorized"
    send("deleteWaitlist", 204, waitlist_id=BAKERY)

    known = body("IdentityBody", field="phone", region="DE")
    by_phone = body("WaitlistBody", name="Phones", identity=known)
    assert send("putWaitlist", 201, waitlist_id="phones", body=by_phone).identity.region == "DE"
    signup = body("SignupBody", profile={"phone": "030 901820"})
    caller = send("signUp", 201, waitlist_id="phones", body=signup)
    asked = body("AddressBody", phone="+49 30 901820")
    found = send("findPerson", 200, waitlist_id="phones", body=asked)
    assert found.entry_id == caller.entry_id
    assert send("sendLink", 202, waitlist_id="phones", body=asked).status == "check_your_inbox"
    send("deleteWaitlist", 204, waitlist_id="phones")
    assert called == set(OPERATIONS)


def test_it_reads_a_status_that_is_new(client: PythonClient) -> None:
    """A client must accept a status that it does not know, because a later version of the service
    may add one.
    """
    entry: dict[str, Any] = {
        "entry_id": ENTRY_ID,
        "status": "resting",
        "position": None,
        "total": None,
    }
    entry |= {"priority": 0, "joined_at": None, "poll_after_seconds": None, "segments": None}
    entry |= {"estimated_wait": None, "estimate_unavailable": None, "rank": None}
    parsed = answered(client, "getEntry", httpx.Response(200, json=entry))
    assert parsed.status == "resting"
