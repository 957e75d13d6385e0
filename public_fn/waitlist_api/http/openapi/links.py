"""Builds OpenAPI links.

A link says which operation a client can call with an id from the response.
"""

import re
from typing import Any

Link = dict[str, Any]

WAITLIST = {"waitlist_id": "$response.body#/waitlist_id"}
HERE = {"waitlist_id": "$request.path.waitlist_id"}
ENTRY = {**HERE, "entry_id": "$response.body#/entry_id"}
SAME_ENTRY = {**HERE, "entry_id": "$request.path.entry_id"}


def to(parameters: dict[str, str], *operations: str) -> dict[str, Link]:
    """Return a link to each operation, by operation id. All links have the same parameters."""
    return {name: {"operationId": name, "parameters": parameters} for name in operations}


def next_page(operation_id: str, route_key: str) -> dict[str, Link]:
    """Return the link from one page of a list to the next."""
    here = {name: f"$request.path.{name}" for name in re.findall(r"{(\w+)}", route_key)}
    parameters = {**here, "cursor": "$response.body#/cursor"}
    return {"nextPage": {"operationId": operation_id, "parameters": parameters}}


OF_WAITLIST = to(
    WAITLIST,
    "getWaitlist",
    "getBoard",
    "getWaitlistConfig",
    "deleteWaitlist",
    "signUp",
    "claim",
    "admit",
    "listEntries",
    "listSegments",
    "getStats",
    "previewAdmission",
    "previewMessages",
    "askAll",
)
OF_ENTRY = to(
    ENTRY,
    "getEntry",
    "leave",
    "enter",
    "decline",
    "exitEntry",
    "rest",
    "resume",
    "confirm",
    "changeOwnData",
    "getPass",
    "getPerson",
    "editPerson",
    "setReady",
    "verifyPerson",
    "bump",
    "admitPerson",
    "remove",
    "unban",
    "reinstate",
    "issueToken",
    "getLink",
    "listMessages",
    "erasePerson",
)
OF_PARKED_ENTRY = to(SAME_ENTRY, "redrive", "getPerson")
LINKS = {"entry": OF_ENTRY, "parked_entry": OF_PARKED_ENTRY, "waitlist": OF_WAITLIST}
