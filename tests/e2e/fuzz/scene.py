"""Prepares entries with the status that a generated request needs, such as waiting, claimed or
parked.
"""

from http import HTTPStatus
from itertools import count
from typing import Any
from urllib.parse import quote

import httpx
import schemathesis

from tests.e2e.callers import send_patiently
from tools.local.functions import ENTRY_TOKEN_SECRET
from tools.local.operator import local_operator
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.auth.token_keys import stay_of
from waitlist_api.clock import iso, now_millis
from waitlist_api.settings.rest import DAY_MILLIS

# The ids of two waitlists. Generated requests may change or delete the first waitlist. The prepared
# entries are on the second waitlist.
EXAMPLE, OWN = "bakery", "scene"
# The waitlist whose guests identify themselves by email address.
KNOWN = "known"
SETTINGS = {
    "segments": [["gender", "language"], ["language"]],
    "rejoin": "always",
    "admission": {"pass_seconds": 3600},
    "rest": {"max_days": 180, "times": 1000},
    "confirm": {"every_days": 90, "answer_days": 14},
    "messages": {"kinds": ["left"]},
}
# The operations that need an entry whose status is not `waiting`.
HELD = ("complete", "release", "extend", "park", "redrive", "call")
INVITATION: dict[str, Any] = {"count": 1, "offer_seconds": 60}
OFFERED = ("enter", "decline", "withdraw")
INSIDE = ("getPass", "exitEntry", "exitPerson")
ENDED = ("unban", "reinstate")
BY_ADDRESS = ("findPerson", "sendLink")
SPOILING = ("putWaitlist", "changeWaitlist", "deleteWaitlist")


class Scene:
    """Creates the entries that generated requests need."""

    def __init__(self, url: str, customer_token: str | None) -> None:
        self._http = httpx.Client(base_url=url, timeout=30, trust_env=False)
        self._token = customer_token
        self._people = count()
        self._tokens: dict[tuple[str, str], str] = {}

    def close(self) -> None:
        self._http.close()

    def prepare(self) -> None:
        for waitlist_id in (EXAMPLE, OWN):
            settings = {"name": waitlist_id, **SETTINGS}
            url = f"/v1/admin/waitlists/{waitlist_id}"
            self._ask("PUT", url, json=settings, auth=local_operator()).raise_for_status()
        known = {"name": KNOWN, "identity": {"field": "email"}}
        url = f"/v1/admin/waitlists/{KNOWN}"
        self._ask("PUT", url, json=known, auth=local_operator()).raise_for_status()

    @staticmethod
    def is_about_a_waitlist(case: schemathesis.Case[Any], operation: str) -> bool:
        return "waitlist_id" in case.path_parameters and operation not in SPOILING

    def spare(self, case: schemathesis.Case[Any], operation: str) -> None:
        if operation in SPOILING and case.path_parameters.get("waitlist_id") in (OWN, KNOWN):
            case.path_parameters["waitlist_id"] = EXAMPLE

    def cast(self, case: schemathesis.Case[Any], operation: str) -> None:
        case.path_parameters |= {"waitlist_id": OWN}
        if operation in BY_ADDRESS:
            case.path_parameters |= {"waitlist_id": KNOWN}
            case.body = {"email": self._known()}
        if operation == "sendTestMessage":
            case.body = {"kind": "offered", "email": "ada@example.com"}
        if operation == "sendMessage":
            case.body = {"text": {"en": "We close at 5 pm."}}
        if operation == "invite":
            case.body = INVITATION
        if operation == "getInvitation":
            made = self._post("invitations", INVITATION)
            case.path_parameters |= {"invitation_id": made["invitation_id"]}
        if operation == "signUp" and not self._token and isinstance(case.body, dict):
            case.body |= {"customer_id": f"customer-{next(self._people)}"}
        if operation == "verify":
            case.body = {"code": self._code()}
        if "entry_id" not in case.path_parameters:
            return
        person = self._sign_up()
        if operation == "rest":
            case.body = {"until": iso(now_millis() + DAY_MILLIS)}
        token = {}
        if operation in (*OFFERED, *INSIDE):
            person = self._offered(person)
            if operation in INSIDE:
                self._enter(person)
        elif operation in ENDED:
            self._post(f"entries/{person}/remove", {"ban": operation == "unban"})
        elif operation in HELD:
            (claim,) = self._post("claims", {})["claims"]
            person, token = claim["entry_id"], {"claim_token": claim["claim_token"]}
        if operation == "redrive":
            self._post(f"claims/{person}/park", token)
        elif isinstance(case.body, dict) and token.keys() <= case.body.keys():
            case.body |= token
        case.path_parameters |= {"entry_id": person}

    def token_of(self, waitlist_id: str, entry_id: str) -> str:
        if (waitlist_id, entry_id) not in self._tokens:
            self._tokens[waitlist_id, entry_id] = self._issued_token(waitlist_id, entry_id)
        return self._tokens[waitlist_id, entry_id]

    def _ask(self, method: str, url: str, **sent: Any) -> httpx.Response:
        """Send a request, and retry it if the service is too busy to accept it."""
        return send_patiently(lambda: self._http.request(method, url, **sent))

    def _issued_token(self, waitlist_id: str, entry_id: str) -> str:
        path = "/".join(quote(part, safe="") for part in (waitlist_id, "entries", entry_id))
        answer = self._ask("POST", f"/v1/admin/waitlists/{path}/token", auth=local_operator())
        if answer.status_code == HTTPStatus.OK:
            return str(answer.json()["entry_token"])
        return EntryTokens(ENTRY_TOKEN_SECRET).issue(waitlist_id, entry_id, 0)

    def _code(self) -> str:
        """Return a verification code that is valid for a guest. Customers with an account have no
        address to verify.
        """
        person = self._sign_up()
        stay = 0 if self._token else stay_of(self.token_of(OWN, person))
        return EntryTokens(ENTRY_TOKEN_SECRET).issue_code(OWN, person, stay, now_millis())

    def _known(self) -> str:
        address = f"person-{next(self._people)}@example.com"
        url = f"/v1/waitlists/{KNOWN}/entries"
        self._ask("POST", url, json={"profile": {"email": address}}).raise_for_status()
        return address

    def _offered(self, person: str) -> str:
        """Make an offer to a customer. The only customer with an account may have asked to wait
        longer, so this customer first leaves and then rejoins.
        """
        if self._token:
            url = f"/v1/admin/waitlists/{OWN}/entries/{person}"
            self._ask("DELETE", url, auth=local_operator()).raise_for_status()
            self._sign_up()
        (offer,) = self._post("admit", {"count": 1})["entries"]
        return str(offer["entry_id"])

    def _enter(self, person: str) -> None:
        # The token must belong to the current signup. A reinstated customer has signed up more than
        # once.
        token = self._token or self._issued_token(OWN, person)
        url = f"/v1/waitlists/{OWN}/entries/{person}/enter"
        headers = {"Authorization": f"Bearer {token}"}
        self._ask("POST", url, headers=headers).raise_for_status()

    def _sign_up(self) -> str:
        url, headers = f"/v1/waitlists/{OWN}/entries", {}
        body = {"customer_id": f"customer-{next(self._people)}"}
        if self._token:
            headers, body = {"Authorization": f"Bearer {self._token}"}, {}
        entry = self._ask("POST", url, json=body, headers=headers).raise_for_status().json()
        entry_id: str = entry["entry_id"]
        if "entry_token" in entry:
            self._tokens[OWN, entry_id] = entry["entry_token"]
        return entry_id

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        url = f"/v1/admin/waitlists/{OWN}/{path}"
        answer = self._ask("POST", url, json=body, auth=local_operator()).raise_for_status()
        return answer.json() if answer.content else None
