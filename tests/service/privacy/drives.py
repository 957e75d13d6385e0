"""For each route, a correct request, and then requests with personal data in the wrong places."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx

from tests.service.privacy.deployment import Deployment
from tests.service.privacy.marks import (
    ATTRIBUTES,
    CUSTOMER,
    FRENCH,
    KEY,
    PROFILE,
    REASON,
    SPANISH,
    WORD,
)
from tests.support.routes import path_of
from tests.support.world import SECRET
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.clock import iso, now_millis
from waitlist_api.settings.rest import DAY_MILLIS
from waitlist_shared.ids import entry_id_of

LIST = "/v1/waitlists/bakery"
ENTRIES = f"{LIST}/entries"
ADMIN = "/v1/admin/waitlists/bakery"
ENTRY_ID = entry_id_of("bakery", CUSTOMER)
ENTRY = f"{LIST}/entries/{ENTRY_ID}"
ADMIN_ENTRY = f"{ADMIN}/entries/{ENTRY_ID}"
CLAIM = f"{ADMIN}/claims/{ENTRY_ID}"
# The code belongs to an earlier signup, but the response is the same as for a valid code.
UNSUBSCRIBE_CODE = EntryTokens(SECRET).unsubscribe_code("bakery", ENTRY_ID, 1)
SIGNUP = {"customer_id": CUSTOMER, "profile": PROFILE, "attributes": ATTRIBUTES}
SETTINGS = {
    "name": "Bakery",
    "segments": [["language"]],
    "max_attempts": 2,
    "admission": {"pass_seconds": 3600},
}
# A query that a client may send by mistake.
WRONG_QUERY = f"customer_id={quote(CUSTOMER)}&cursor={WORD}&segment={quote(SPANISH)}&limit={WORD}"

Drive = Callable[[Deployment], None]
DRIVES: dict[str, Drive] = {}


def drives(route: str) -> Callable[[Drive], Drive]:
    def register(drive: Drive) -> Drive:
        DRIVES[route] = drive
        return drive

    return register


def sign_up(service: Deployment, customer_id: str = CUSTOMER) -> httpx.Response:
    body = {**SIGNUP, "customer_id": customer_id}
    return service.customer("POST", ENTRIES, json=body, headers={"Idempotency-Key": KEY})


def prepare(service: Deployment) -> None:
    assert service.operator("PUT", ADMIN, json=SETTINGS).is_success
    answer = sign_up(service)
    assert answer.status_code == 201, answer.text
    # A guest gets a new entry token with each signup. A customer with an account keeps using the
    # JWT.
    service.token = answer.json().get("entry_token") or service.token


def hold(service: Deployment) -> str:
    (claim,) = service.operator("POST", f"{ADMIN}/claims", json={}).json()["claims"]
    return str(claim["claim_token"])


def wrong(service: Deployment, method: str, path: str) -> None:
    """Send personal data where it does not belong.

    The service must refuse or ignore the data.
    """
    service.is_wrong = True
    call = service.operator if "/admin/" in path else service.customer
    call(method, f"{path}?{WRONG_QUERY}")
    call(method, path.replace(ENTRY_ID, quote(CUSTOMER)), headers={"X-Correlation-Id": CUSTOMER})
    if method in ("POST", "PUT", "PATCH"):
        call(method, path, json={"reason": [REASON], CUSTOMER: PROFILE, "claim_token": CUSTOMER})
        call(method, path, content=f'{{"customer_id": "{CUSTOMER}"')
        call(method, path, content=CUSTOMER, headers={"Content-Type": "text/plain"})
        call(method, path, json={"profile": CUSTOMER * 1000})
        call(method, path, json={"attributes": {"language": [FRENCH + "\n"]}, "filter": SPANISH})
    service.is_wrong = False


@drives("POST /v1/admin/waitlists/{waitlist_id}/preview")
def preview_admission(service: Deployment) -> None:
    body = {"admission": {"rate": {"count": 1, "per": "hour"}}}
    assert service.operator("POST", f"{ADMIN}/preview", json=body).is_success
    wrong(service, "POST", f"{ADMIN}/preview")


@drives("POST /v1/admin/webhook/replay")
def replay_webhook(service: Deployment) -> None:
    path = "/v1/admin/webhook/replay"
    answer = service.operator("POST", path, json={"since": "2026-01-01T00:00:00Z"})
    assert answer.json()["code"] == "no_webhook"
    wrong(service, "POST", path)


@drives("GET /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}")
def get_person(service: Deployment) -> None:
    body = {"to": "back", "reason": REASON}
    assert service.operator("POST", f"{ADMIN_ENTRY}/bump", json=body).is_success
    assert pages(service, f"{ADMIN_ENTRY}?include=history&limit=1") >= 2
    look(service, ADMIN_ENTRY)


def look(service: Deployment, path: str) -> None:
    call = service.operator if "/admin/" in path else service.customer
    assert call("GET", path).status_code == 200
    wrong(service, "GET", path)


@drives("PUT /v1/admin/waitlists/{waitlist_id}")
def put_waitlist(service: Deployment) -> None:
    assert service.operator("PUT", ADMIN, json={**SETTINGS, "segments": []}).is_success
    service.maintain()
    wrong(service, "PUT", ADMIN)


@drives("PATCH /v1/admin/waitlists/{waitlist_id}")
def change_waitlist(service: Deployment) -> None:
    assert service.operator("PATCH", ADMIN, json={"capacity": 7}).is_success
    wrong(service, "PATCH", ADMIN)


@drives("POST /v1/waitlists/{waitlist_id}/entries")
def post_entry(service: Deployment) -> None:
    assert sign_up(service).status_code == 200
    service.customer("POST", ENTRIES, json=SIGNUP)
    sign_up(service, f"{CUSTOMER}2")
    by_address(service)
    wrong(service, "POST", ENTRIES)


def by_address(service: Deployment) -> None:
    path = ADMIN.replace("bakery", "addresses")
    blocked = [f"{WORD}.example"]
    settings = {**SETTINGS, "identity": {"field": "email", "blocked_domains": blocked}}
    assert service.operator("PUT", path, json=settings).is_success
    entries = ENTRIES.replace("bakery", "addresses")
    body = {"profile": {**PROFILE, "email": CUSTOMER}, "attributes": ATTRIBUTES}
    assert service.customer("POST", entries, json=body).status_code == 201
    service.customer("POST", entries, json=body)
    for address in (f"a@{WORD}.example", f"{WORD} at example.com"):
        service.customer("POST", entries, json={"profile": {"email": address}})


@drives("GET /v1/waitlists/{waitlist_id}/entries/{entry_id}")
def get_entry(service: Deployment) -> None:
    assert service.customer("GET", f"{ENTRY}?segment=language").json()["segments"]
    service.redis.flushall()
    service.customer("GET", ENTRY)
    service.maintain()
    assert service.customer("GET", ENTRY).json()["position"] == 1
    service.customer("GET", ENTRY, CUSTOMER)
    service.customer("GET", f"{ENTRIES}/me")
    wrong(service, "GET", ENTRY)


@drives("DELETE /v1/waitlists/{waitlist_id}/entries/{entry_id}")
def leave(service: Deployment) -> None:
    wrong(service, "DELETE", ENTRY)
    assert service.customer("DELETE", ENTRY).status_code == 204


@drives("PATCH /v1/waitlists/{waitlist_id}/entries/{entry_id}")
def change_own_data(service: Deployment) -> None:
    answer = service.customer("PATCH", ENTRY, json={"profile": PROFILE})
    assert answer.json()["profile"] == PROFILE
    wrong(service, "PATCH", ENTRY)


@drives("GET /v1/admin/waitlists/{waitlist_id}/segments")
def get_segments(service: Deployment) -> None:
    body = {"attributes": {"language": [SPANISH, FRENCH]}}
    assert service.operator("PATCH", ADMIN_ENTRY, json=body).is_success
    assert pages(service, f"{ADMIN}/segments?limit=1") >= 2
    wrong(service, "GET", f"{ADMIN}/segments")


@drives("GET /v1/admin/waitlists/{waitlist_id}/entries")
def list_entries(service: Deployment) -> None:
    waiting, offered, parked = (
        f"{ADMIN}/entries?limit=1&status={status}" for status in ("waiting", "offered", "parked")
    )
    assert pages(service, waiting) >= 1
    token = hold(service)
    assert pages(service, offered) == 2
    body = {"claim_token": token, "reason": REASON}
    assert service.operator("POST", f"{CLAIM}/park", json=body).is_success
    assert pages(service, parked) == 2
    for status in ("admitted", "left", "inside"):
        assert pages(service, f"{ADMIN}/entries?limit=1&status={status}") >= 1
    wrong(service, "GET", f"{ADMIN}/entries")


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/unban")
def unban(service: Deployment) -> None:
    path = f"{ADMIN_ENTRY}/unban"
    done(service, "POST", f"{ADMIN_ENTRY}/remove", {"ban": True, "reason": REASON})
    done(service, "POST", path, {"reason": REASON})
    wrong(service, "POST", path)


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/reinstate")
def reinstate(service: Deployment) -> None:
    path = f"{ADMIN_ENTRY}/reinstate"
    done(service, "POST", f"{ADMIN_ENTRY}/remove", {"reason": REASON})
    done(service, "POST", path, {"reason": REASON})
    wrong(service, "POST", path)


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/token")
def issue_token(service: Deployment) -> None:
    answer = service.operator("POST", f"{ADMIN_ENTRY}/token").json()
    assert answer.get("entry_token", answer.get("code")) in (service.token, "no_entry_tokens")
    wrong(service, "POST", f"{ADMIN_ENTRY}/token")


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/link")
def get_link(service: Deployment) -> None:
    answer = service.operator("POST", f"{ADMIN_ENTRY}/link").json()
    if "url" in answer:
        assert answer["url"].endswith(f"#t={ENTRY_ID}.{service.token}")
    wrong(service, "POST", f"{ADMIN_ENTRY}/link")


@drives("GET /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/messages")
def list_messages(service: Deployment) -> None:
    assert service.operator("GET", f"{ADMIN_ENTRY}/messages").json() == {"messages": []}
    wrong(service, "GET", f"{ADMIN_ENTRY}/messages")


@drives("POST /v1/admin/waitlists/{waitlist_id}/messages/test")
def send_test_message(service: Deployment) -> None:
    path = f"{ADMIN}/messages/test"
    body = {"kind": "offered", "email": CUSTOMER}
    assert service.operator("POST", path, json=body).json()["code"] == "no_messages"
    for other in ({**body, "phone": CUSTOMER}, {**body, "email": WORD}, {**body, "kind": WORD}):
        assert not service.operator("POST", path, json=other).is_success
    wrong(service, "POST", path)


@drives("GET /v1/admin/waitlists/{waitlist_id}/messages")
def preview_messages(service: Deployment) -> None:
    found = service.operator("GET", f"{ADMIN}/messages?language=ar").json()["messages"]
    assert len(found) == 12
    for query in ("kind=offer", "language=tlh"):
        assert not service.operator("GET", f"{ADMIN}/messages?{query}").is_success
    wrong(service, "GET", f"{ADMIN}/messages")


@drives("POST /v1/admin/waitlists/{waitlist_id}/find")
def find_person(service: Deployment) -> None:
    by_address(service)
    path = f"{ADMIN.replace('bakery', 'addresses')}/find"
    found = service.operator("POST", path, json={"email": CUSTOMER}).json()
    assert found.get("profile", {}).get("email", found.get("code")) in (CUSTOMER, "no_entry_tokens")
    for body in ({"email": f"nobody-{CUSTOMER}"}, {"email": WORD}, {"phone": CUSTOMER}):
        assert not service.operator("POST", path, json=body).is_success
    wrong(service, "POST", path)


@drives("POST /v1/waitlists/{waitlist_id}/links")
def send_link(service: Deployment) -> None:
    by_address(service)
    path = f"{LIST.replace('bakery', 'addresses')}/links"
    for address in (CUSTOMER, f"nobody-{CUSTOMER}"):
        assert service.customer("POST", path, json={"email": address}).status_code in (202, 409)
    wrong(service, "POST", path)


@drives("GET /v1/waitlists/{waitlist_id}/unsubscribe/{code}")
def show_unsubscribe(service: Deployment) -> None:
    path = f"{LIST}/unsubscribe/{UNSUBSCRIBE_CODE}"
    assert service.customer("GET", path).status_code == 200
    wrong(service, "GET", f"{LIST}/unsubscribe/{ENTRY_ID}")


@drives("POST /v1/waitlists/{waitlist_id}/unsubscribe/{code}")
def unsubscribe(service: Deployment) -> None:
    path = f"{LIST}/unsubscribe/{UNSUBSCRIBE_CODE}"
    form = {"List-Unsubscribe": "One-Click"}
    assert service.customer("POST", path, data=form).status_code == 200
    wrong(service, "POST", path)
    wrong(service, "POST", f"{LIST}/unsubscribe/{ENTRY_ID}")


@drives("POST /v1/waitlists/{waitlist_id}/verify")
def verify(service: Deployment) -> None:
    path = ADMIN.replace("bakery", "verified")
    rules = {"field": "email", "verify": "before_offer"}
    assert service.operator("PUT", path, json={**SETTINGS, "identity": rules}).is_success
    entries = ENTRIES.replace("bakery", "verified")
    body = {"profile": {**PROFILE, "email": CUSTOMER}, "attributes": ATTRIBUTES}
    for _ in range(2):
        assert service.customer("POST", entries, json=body).status_code in (200, 201, 202)
    (entry,) = service.operator("GET", f"{path}/entries").json()["entries"]
    link = service.operator("POST", f"{path}/entries/{entry['entry_id']}/link").json()
    if "url" in link:
        code = link["url"].partition("#v=")[2]
        to = LIST.replace("bakery", "verified") + "/verify"
        verified = service.customer("POST", to, json={"code": code}).json()
        assert verified["ready"]
        moves(service, verified)
    wrong(service, "POST", f"{LIST}/verify")


def moves(service: Deployment, verified: Any) -> None:
    entry, entry_id = ENTRIES.replace("bakery", "verified"), verified["entry_id"]
    body = {"profile": {"email": f"new-{CUSTOMER}"}}
    token = verified["entry_token"]
    asked = service.customer("PATCH", f"{entry}/{entry_id}", json=body, token=token)
    assert asked.status_code == 202
    path = f"{ADMIN.replace('bakery', 'verified')}/entries/{entry_id}/link"
    code = service.operator("POST", path).json()["new_address"]["url"].partition("#v=")[2]
    to = LIST.replace("bakery", "verified") + "/verify"
    assert service.customer("POST", to, json={"code": code}).is_success
    links = LIST.replace("bakery", "verified") + "/links"
    for address in (CUSTOMER, f"new-{CUSTOMER}"):
        assert service.customer("POST", links, json={"email": address}).status_code == 202


@drives("POST /v1/admin/waitlists/{waitlist_id}/import")
def import_entries(service: Deployment) -> None:
    rows: list[Any] = [SIGNUP, {**SIGNUP, "customer_id": f"{CUSTOMER}2", "priority": 2}]
    wrong_rows = [{CUSTOMER: PROFILE}, CUSTOMER, {**SIGNUP, "joined_at": CUSTOMER}]
    done(service, "POST", f"{ADMIN}/import", {"entries": rows + wrong_rows})


@drives("POST /v1/admin/waitlists/{waitlist_id}/import/tokens")
def import_with_tokens(service: Deployment) -> None:
    rows: list[Any] = [SIGNUP, {**SIGNUP, "customer_id": f"{CUSTOMER}2", "priority": 2}]
    body = {"entries": [*rows, {CUSTOMER: PROFILE}]}
    answer = service.operator("POST", f"{ADMIN}/import/tokens", json=body)
    assert answer.json().get("code") == "no_entry_tokens" or len(service.issued) == len(rows)


@drives("POST /v1/admin/waitlists/{waitlist_id}/claims")
def claim(service: Deployment) -> None:
    service.operator("POST", f"{ADMIN}/claims", json={"filter": {WORD: SPANISH}})
    service.operator("POST", f"{ADMIN}/claims", json={"filters": [{}, {WORD: SPANISH}]})
    done(service, "POST", f"{ADMIN}/claims", {"filters": [{"language": SPANISH}]})


@drives("POST /v1/admin/waitlists/{waitlist_id}/admit")
def admit(service: Deployment) -> None:
    service.operator("POST", f"{ADMIN}/admit", json={"count": 1, "filter": {WORD: SPANISH}})
    done(service, "POST", f"{ADMIN}/admit", {"count": 1, "filter": {"language": SPANISH}})


@drives("POST /v1/admin/waitlists/{waitlist_id}/messages")
def send_message(service: Deployment) -> None:
    service.operator("PATCH", ADMIN, json={"messages": {"kinds": ["left"]}})
    path, text = f"{ADMIN}/messages", {"text": {"en": "We close at 5 pm."}}
    for more in ({"dry_run": True}, {"filter": {"language": SPANISH}}, {"entries": [ENTRY_ID]}):
        assert service.operator("POST", path, json={**text, **more}).json()["code"] == "no_messages"
    wrong(service, "POST", path)


@drives("PUT /v1/admin/waitlists/{waitlist_id}/notice")
def put_notice(service: Deployment) -> None:
    done(service, "PUT", f"{ADMIN}/notice", {"text": "The oven is being repaired."})


@drives("POST /v1/admin/waitlists/{waitlist_id}/invitations")
def invite(service: Deployment) -> None:
    body = {"count": 1, "offer_seconds": 600, "filter": {"language": SPANISH}}
    done(service, "POST", f"{ADMIN}/invitations", body)


@drives("GET /v1/admin/waitlists/{waitlist_id}/invitations")
def list_invitations(service: Deployment) -> None:
    for _ in range(2):
        body = {"count": 1, "offer_seconds": 600}
        assert service.operator("POST", f"{ADMIN}/invitations", json=body).is_success
    assert pages(service, f"{ADMIN}/invitations?limit=1") >= 2
    wrong(service, "GET", f"{ADMIN}/invitations")


@drives("GET /v1/admin/waitlists/{waitlist_id}/invitations/{invitation_id}")
def get_invitation(service: Deployment) -> None:
    invite(service)
    (made,) = service.operator("GET", f"{ADMIN}/invitations").json()["invitations"]
    look(service, f"{ADMIN}/invitations/{made['invitation_id']}")


def offer(service: Deployment) -> None:
    (offered,) = service.operator("POST", f"{ADMIN}/admit", json={"count": 1}).json()["entries"]
    assert offered["entry_id"] == ENTRY_ID


@drives("POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/enter")
def enter(service: Deployment) -> None:
    offer(service)
    assert service.customer("POST", f"{ENTRY}/enter").json()["pass"]
    wrong(service, "POST", f"{ENTRY}/enter")


@drives("POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/decline")
def decline(service: Deployment) -> None:
    offer(service)
    wrong(service, "POST", f"{ENTRY}/decline")
    answer = service.customer("POST", f"{ENTRY}/decline", json={"to": "leave"})
    assert answer.json()["status"] == "left"


@drives("GET /v1/waitlists/{waitlist_id}/entries/{entry_id}/pass")
def get_pass(service: Deployment) -> None:
    enter(service)
    assert service.customer("GET", f"{ENTRY}/pass").json()["pass"]
    wrong(service, "GET", f"{ENTRY}/pass")


@drives("POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/exit")
def exit_(service: Deployment) -> None:
    enter(service)
    assert service.customer("POST", f"{ENTRY}/exit").json()["exited_at"]
    wrong(service, "POST", f"{ENTRY}/exit")


@drives("POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/rest")
def rest(service: Deployment) -> None:
    body = {**SETTINGS, "rest": {"max_days": 9, "times": 9}}
    assert service.operator("PUT", ADMIN, json=body).is_success
    tomorrow = iso(now_millis() + DAY_MILLIS)
    answer = service.customer("POST", f"{ENTRY}/rest", json={"until": tomorrow})
    assert answer.json()["not_ready"] == ["resting"]
    wrong(service, "POST", f"{ENTRY}/rest")


@drives("POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/resume")
def resume(service: Deployment) -> None:
    rest(service)
    until = service.customer("GET", ENTRY).json()["rest_until"]
    body = {"rest_until": until}
    assert service.customer("POST", f"{ENTRY}/resume", json=body).json()["ready"]
    wrong(service, "POST", f"{ENTRY}/resume")


@drives("POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/confirm")
def confirm(service: Deployment) -> None:
    ask_all(service)
    assert service.customer("POST", f"{ENTRY}/confirm").json()["confirm_by"] is None
    wrong(service, "POST", f"{ENTRY}/confirm")


@drives("POST /v1/admin/waitlists/{waitlist_id}/confirm")
def ask_all(service: Deployment) -> None:
    body = {**SETTINGS, "confirm": {"every_days": 90}}
    assert service.operator("PUT", ADMIN, json=body).is_success
    done(service, "POST", f"{ADMIN}/confirm", {"dry_run": False})


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/ready")
def hold_back(service: Deployment) -> None:
    done(service, "POST", f"{ADMIN_ENTRY}/ready", {"ready": False, "reason": REASON})


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/verify")
def mark_verified(service: Deployment) -> None:
    done(service, "POST", f"{ADMIN_ENTRY}/verify", {"reason": REASON})


def done(service: Deployment, method: str, path: str, body: dict[str, Any]) -> None:
    headers = {"Idempotency-Key": KEY}
    answer = service.operator(method, path, json=body, headers=headers)
    assert answer.is_success, answer.text
    wrong(service, method, path)


def pages(service: Deployment, path: str) -> int:
    """Return the number of pages in a list.

    All pages are read, because the test also checks the cursors in their URLs.
    """
    count, following = 1, service.operator("GET", path).json()["cursor"]
    while following is not None:
        answer = service.operator("GET", f"{path}&cursor={following}")
        count, following = count + 1, answer.json()["cursor"]
    return count


def nothing(_: Deployment) -> None: ...


def with_the_token(service: Deployment) -> dict[str, Any]:
    return {"claim_token": hold(service)}


def park(service: Deployment) -> None:
    DRIVES["POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/park"](service)


LOOKED_AT = (
    "GET /v1/health",
    "GET /.well-known/openid-configuration",
    "GET /.well-known/jwks.json",
    "GET /v1/waitlists/{waitlist_id}",
    "GET /v1/waitlists/{waitlist_id}/board",
    "GET /v1/waitlists/{waitlist_id}/screen",
    "GET /w/{waitlist_id}",
    "GET /w/{waitlist_id}/{view}",
    "GET /assets/{edition}/{file}",
    "GET /v1/admin/waitlists",
    "GET /v1/admin/waitlists/{waitlist_id}",
    "GET /v1/admin/waitlists/{waitlist_id}/stats",
    "GET /v1/admin/waitlists/{waitlist_id}/stats/history",
)
WHY = {"reason": REASON}
EDIT = {
    "attributes": {"language": [SPANISH, FRENCH]},
    "profile": {**PROFILE, "note": WORD},
    "reason": REASON,
}
# For each route, a function that prepares the request, and the request's body.
DONE: dict[str, tuple[Callable[[Deployment], dict[str, Any] | None], dict[str, Any]]] = {
    "PATCH /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}": (nothing, EDIT),
    "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/bump": (
        nothing,
        {"places": 1, "reason": REASON},
    ),
    "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/remove": (nothing, WHY),
    "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/admit": (nothing, WHY),
    "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/claim": (nothing, WHY),
    "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/withdraw": (offer, WHY),
    "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/exit": (enter, WHY),
    "POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/call": (
        with_the_token,
        {"to": "Room 2"},
    ),
    "POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/complete": (with_the_token, WHY),
    "POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/release": (with_the_token, WHY),
    "POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/extend": (with_the_token, {}),
    "POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/park": (with_the_token, WHY),
    "POST /v1/admin/waitlists/{waitlist_id}/parked/{entry_id}/redrive": (park, WHY),
}


def looked_at(route: str) -> Drive:
    return lambda service: look(service, path_of(route, ENTRY_ID))


def done_with(route: str) -> Drive:
    before, body = DONE[route]

    def drive(service: Deployment) -> None:
        more = before(service) or {}
        done(service, route.partition(" ")[0], path_of(route, ENTRY_ID), {**body, **more})

    return drive


for one in LOOKED_AT:
    DRIVES[one] = looked_at(one)
for one in DONE:
    DRIVES[one] = done_with(one)


# Routes that delete the customer or the waitlist are tested last.
@drives("DELETE /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}")
def erase(service: Deployment) -> None:
    wrong(service, "DELETE", ADMIN_ENTRY.replace(ENTRY_ID, "a" * 26))
    sign_up(service, f"{CUSTOMER}2")
    assert service.operator("DELETE", ADMIN_ENTRY).status_code == 204


@drives("DELETE /v1/admin/waitlists/{waitlist_id}")
def delete(service: Deployment) -> None:
    wrong(service, "DELETE", f"{ADMIN}-of-nobody")
    assert service.operator("DELETE", ADMIN).status_code == 204
