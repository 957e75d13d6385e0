"""What is done to each route: once as it should be, then with personal data in wrong places."""

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
from waitlist_shared.ids import entry_id_of

LIST = "/v1/waitlists/bakery"
ENTRIES = f"{LIST}/entries"
ADMIN = "/v1/admin/waitlists/bakery"
ENTRY_ID = entry_id_of("bakery", CUSTOMER)
ENTRY = f"{LIST}/entries/{ENTRY_ID}"
ADMIN_ENTRY = f"{ADMIN}/entries/{ENTRY_ID}"
CLAIM = f"{ADMIN}/claims/{ENTRY_ID}"
SIGNUP = {"customer_id": CUSTOMER, "profile": PROFILE, "attributes": ATTRIBUTES}
SETTINGS = {
    "name": "Bakery",
    "segments": [["language"]],
    "max_attempts": 2,
    "admission": {"pass_seconds": 3600},
}
# What a client may write into an address by mistake.
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
    """Make a waitlist, and have the customer stand in it."""
    assert service.operator("PUT", ADMIN, json=SETTINGS).is_success
    answer = sign_up(service)
    assert answer.status_code == 201, answer.text
    # A guest's proof; in the other mode the token stays as it is.
    service.token = answer.json().get("entry_token") or service.token


def hold(service: Deployment) -> str:
    """Have the customer be held, and return the claim's token."""
    (claim,) = service.operator("POST", f"{ADMIN}/claims", json={}).json()["claims"]
    return str(claim["claim_token"])


def wrong(service: Deployment, method: str, path: str) -> None:
    """Send personal data wherever it does not belong; everything is refused, or ignored."""
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


@drives("GET /v1/health")
def get_health(service: Deployment) -> None:
    look(service, "/v1/health")


@drives("GET /.well-known/openid-configuration")
def get_pass_issuer(service: Deployment) -> None:
    look(service, "/.well-known/openid-configuration")


@drives("GET /.well-known/jwks.json")
def get_pass_keys(service: Deployment) -> None:
    look(service, "/.well-known/jwks.json")


@drives("GET /v1/waitlists/{waitlist_id}")
def get_waitlist(service: Deployment) -> None:
    look(service, LIST)


@drives("GET /v1/waitlists/{waitlist_id}/board")
def get_board(service: Deployment) -> None:
    look(service, f"{LIST}/board")


@drives("GET /w/{waitlist_id}")
def get_page(service: Deployment) -> None:
    look(service, LIST.replace("/v1/waitlists/", "/w/"))


@drives("HEAD /w/{waitlist_id}")
def head_page(service: Deployment) -> None:
    path = LIST.replace("/v1/waitlists/", "/w/")
    assert service.customer("HEAD", path).status_code == 200


@drives("GET /assets/{edition}/{file}")
def get_page_file(service: Deployment) -> None:
    look(service, "/assets/latest/waitlist.js")


@drives("GET /v1/admin/waitlists")
def list_waitlists(service: Deployment) -> None:
    look(service, "/v1/admin/waitlists")


@drives("GET /v1/admin/waitlists/{waitlist_id}")
def get_settings(service: Deployment) -> None:
    look(service, ADMIN)


@drives("GET /v1/admin/waitlists/{waitlist_id}/stats")
def get_stats(service: Deployment) -> None:
    look(service, f"{ADMIN}/stats")


@drives("POST /v1/admin/waitlists/{waitlist_id}/preview")
def preview_admission(service: Deployment) -> None:
    body = {"admission": {"rate": {"count": 1, "per": "hour"}}}
    assert service.operator("POST", f"{ADMIN}/preview", json=body).is_success
    wrong(service, "POST", f"{ADMIN}/preview")


@drives("GET /v1/admin/waitlists/{waitlist_id}/stats/history")
def get_history(service: Deployment) -> None:
    look(service, f"{ADMIN}/stats/history")


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


@drives("POST /v1/waitlists/{waitlist_id}/entries")
def post_entry(service: Deployment) -> None:
    assert sign_up(service).status_code == 200
    service.customer("POST", ENTRIES, json=SIGNUP)
    sign_up(service, f"{CUSTOMER}2")
    wrong(service, "POST", ENTRIES)


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


@drives("PATCH /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}")
def edit(service: Deployment) -> None:
    both: dict[str, Any] = {"language": [SPANISH, FRENCH]}
    body = {"attributes": both, "profile": {**PROFILE, "note": WORD}, "reason": REASON}
    done(service, "PATCH", ADMIN_ENTRY, body)


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/bump")
def bump(service: Deployment) -> None:
    done(service, "POST", f"{ADMIN_ENTRY}/bump", {"places": 1, "reason": REASON})


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/remove")
def remove(service: Deployment) -> None:
    done(service, "POST", f"{ADMIN_ENTRY}/remove", {"reason": REASON})


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/unban")
def unban(service: Deployment) -> None:
    path = f"{ADMIN_ENTRY}/unban"
    done(service, "POST", f"{ADMIN_ENTRY}/remove", {"ban": True, "reason": REASON})
    done(service, "POST", path, {"reason": REASON})
    wrong(service, "POST", path)


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/token")
def issue_token(service: Deployment) -> None:
    answer = service.operator("POST", f"{ADMIN_ENTRY}/token").json()
    assert answer.get("entry_token", answer.get("code")) in (service.token, "no_entry_tokens")
    wrong(service, "POST", f"{ADMIN_ENTRY}/token")


@drives("POST /v1/admin/waitlists/{waitlist_id}/import")
def import_entries(service: Deployment) -> None:
    rows: list[Any] = [SIGNUP, {**SIGNUP, "customer_id": f"{CUSTOMER}2", "priority": 2}]
    wrong_rows = [{CUSTOMER: PROFILE}, CUSTOMER, {**SIGNUP, "joined_at": CUSTOMER}]
    done(service, "POST", f"{ADMIN}/import", {"entries": rows + wrong_rows})
    body = {"entries": rows + wrong_rows, "entry_tokens": True}
    answer = service.operator("POST", f"{ADMIN}/import", json=body)
    assert answer.json().get("code") == "no_entry_tokens" or len(service.issued) == len(rows)


@drives("POST /v1/admin/waitlists/{waitlist_id}/claims")
def claim(service: Deployment) -> None:
    service.operator("POST", f"{ADMIN}/claims", json={"filter": {WORD: SPANISH}})
    done(service, "POST", f"{ADMIN}/claims", {"filter": {"language": SPANISH}})


@drives("POST /v1/admin/waitlists/{waitlist_id}/admit")
def admit(service: Deployment) -> None:
    service.operator("POST", f"{ADMIN}/admit", json={"count": 1, "filter": {WORD: SPANISH}})
    done(service, "POST", f"{ADMIN}/admit", {"count": 1, "filter": {"language": SPANISH}})


def offer(service: Deployment) -> None:
    """Offer the customer a place."""
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


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/admit")
def admit_entry(service: Deployment) -> None:
    done(service, "POST", f"{ADMIN_ENTRY}/admit", {"reason": REASON})


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/withdraw")
def withdraw(service: Deployment) -> None:
    offer(service)
    done(service, "POST", f"{ADMIN_ENTRY}/withdraw", {"reason": REASON})


@drives("POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/exit")
def exit_by_operator(service: Deployment) -> None:
    enter(service)
    done(service, "POST", f"{ADMIN_ENTRY}/exit", {"reason": REASON})


@drives("POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/complete")
def complete(service: Deployment) -> None:
    body = {"claim_token": hold(service), "reason": REASON}
    done(service, "POST", f"{CLAIM}/complete", body)


@drives("POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/release")
def release(service: Deployment) -> None:
    body = {"claim_token": hold(service), "reason": REASON}
    done(service, "POST", f"{CLAIM}/release", body)


@drives("POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/extend")
def extend(service: Deployment) -> None:
    done(service, "POST", f"{CLAIM}/extend", {"claim_token": hold(service)})


@drives("POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/park")
def park(service: Deployment) -> None:
    body = {"claim_token": hold(service), "reason": REASON}
    done(service, "POST", f"{CLAIM}/park", body)


@drives("POST /v1/admin/waitlists/{waitlist_id}/parked/{entry_id}/redrive")
def redrive(service: Deployment) -> None:
    park(service)
    done(service, "POST", f"{ADMIN}/parked/{ENTRY_ID}/redrive", {"reason": REASON})


@drives("DELETE /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}")
def erase(service: Deployment) -> None:
    wrong(service, "DELETE", ADMIN_ENTRY.replace(ENTRY_ID, "a" * 26))
    sign_up(service, f"{CUSTOMER}2")
    assert service.operator("DELETE", ADMIN_ENTRY).status_code == 204


@drives("DELETE /v1/admin/waitlists/{waitlist_id}")
def delete(service: Deployment) -> None:
    wrong(service, "DELETE", f"{ADMIN}-of-nobody")
    assert service.operator("DELETE", ADMIN).status_code == 204


def done(service: Deployment, method: str, path: str, body: dict[str, Any]) -> None:
    """Do what a route is for, then what it refuses."""
    headers = {"Idempotency-Key": KEY}
    answer = service.operator(method, path, json=body, headers=headers)
    assert answer.is_success, answer.text
    wrong(service, method, path)


def pages(service: Deployment, path: str) -> int:
    """Ask for each page, for a cursor stands in addresses too; return how many there are."""
    count, following = 1, service.operator("GET", path).json()["cursor"]
    while following is not None:
        answer = service.operator("GET", f"{path}&cursor={following}")
        count, following = count + 1, answer.json()["cursor"]
    return count
