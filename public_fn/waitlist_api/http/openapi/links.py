"""OpenAPI links from a response to operations that need an id from this response."""

from typing import Any

Link = dict[str, Any]

WAITLIST = {"waitlist_id": "$response.body#/waitlist_id"}
HERE = {"waitlist_id": "$request.path.waitlist_id"}
ENTRY = {**HERE, "entry_id": "$response.body#/entry_id"}
SAME_ENTRY = {**HERE, "entry_id": "$request.path.entry_id"}


def to(parameters: dict[str, str], *operations: str) -> dict[str, Link]:
    """Return a link to each of these operations, by operation id.

    All links pass the same parameters.
    """
    return {name: {"operationId": name, "parameters": parameters} for name in operations}


def next_page(operation: str, parameters: dict[str, str] | None = None) -> dict[str, Link]:
    """Return the link from one page of a list to the next page."""
    cursor = {"cursor": "$response.body#/cursor"}
    return {"nextPage": {"operationId": operation, "parameters": {**(parameters or {}), **cursor}}}


OF_A_WAITLIST = to(
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
OF_A_SIGNUP = to(
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
OF_THE_PARKED = to(SAME_ENTRY, "redrive", "getPerson")
