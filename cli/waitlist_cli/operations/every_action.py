"""Lists all actions, and says which actions are possible for a person or for a waitlist."""

from collections.abc import Sequence
from typing import TypeVar

from waitlist_cli.errors import Refused
from waitlist_cli.operations.action import Action, Document, ListAction, PersonAction, Request
from waitlist_cli.operations.admit import ADMIT, ADMIT_PERSON, END_QUOTA, EXIT, WITHDRAW
from waitlist_cli.operations.ask import ASK
from waitlist_cli.operations.ban import BAN, UNBAN
from waitlist_cli.operations.broadcast import MESSAGE
from waitlist_cli.operations.bump import BUMP
from waitlist_cli.operations.claim import (
    CALL,
    CLAIM_PEOPLE,
    CLAIM_PERSON,
    COMPLETE,
    EXTEND,
    PARK,
    RELEASE,
)
from waitlist_cli.operations.edit import EDIT
from waitlist_cli.operations.invite import INVITE
from waitlist_cli.operations.leave import ERASE, REMOVE
from waitlist_cli.operations.lists import CLOSE, DELETE, LIST, OPEN, PAUSE, RESUME
from waitlist_cli.operations.notice import END_NOTICE, NOTICE
from waitlist_cli.operations.readiness import HOLD_BACK, READY
from waitlist_cli.operations.redrives import REDRIVE, REDRIVE_ALL
from waitlist_cli.operations.reinstate import REINSTATE
from waitlist_cli.operations.sign_up import ADD
from waitlist_cli.operations.tokens import LINK, TOKEN, VERIFY

AnyAction = TypeVar("AnyAction", bound=Action)
CLAIM_ACTIONS = (COMPLETE, CALL, RELEASE, EXTEND, PARK)
# The actions on a person, most common first.
PERSON_ACTIONS: tuple[PersonAction, ...] = (
    *(VERIFY, READY, BUMP, ADMIT_PERSON, CLAIM_PERSON, HOLD_BACK, WITHDRAW, REDRIVE, REINSTATE),
    *(EXIT, *CLAIM_ACTIONS, EDIT, TOKEN, LINK, REMOVE, BAN, UNBAN, ERASE),
)
LIST_ACTIONS: tuple[ListAction, ...] = (
    *(ADMIT, INVITE, END_QUOTA, CLAIM_PEOPLE, ADD, MESSAGE, NOTICE, END_NOTICE, ASK, REDRIVE_ALL),
    *(PAUSE, RESUME, OPEN, CLOSE, DELETE),
)
# Requests to operator routes that no `Action` declares. The console's forms, some commands and
# imports send them.
OTHERS = (
    Request(method="PUT", path=LIST),
    Request(method="PATCH", path=LIST),
    Request(path=f"{LIST}/preview"),
    Request(path=f"{LIST}/find"),
    Request(path=f"{LIST}/import"),
    # The response contains entry tokens.
    Request(path=f"{LIST}/import/tokens", is_daily=False),
    # A test message can be sent to any address, so the team on duty may not send this request.
    Request(path=f"{LIST}/messages/test", is_daily=False),
)
# All requests that operators can send, except GET requests. The team on duty may send a request
# only if `is_daily` is true.
REQUESTS: tuple[Request, ...] = (*PERSON_ACTIONS, *LIST_ACTIONS, *OTHERS)


def find_action(actions: Sequence[AnyAction], name: str) -> AnyAction:
    """Return the action with this name. Raises Refused if there is none."""
    for action in actions:
        if action.name == name:
            return action
    raise Refused(f"There is no action {name!r}.", "not_found", 404)


def possible_for_person(person: Document) -> list[PersonAction]:
    """Return the actions that are possible for a person in this state, most common first."""
    return [action for action in PERSON_ACTIONS if action.is_possible(person)]


def possible_for_people(people: Sequence[Document]) -> list[PersonAction]:
    """Return the actions that operators can take on several of these people at once."""
    bulk = [action for action in PERSON_ACTIONS if action.bulk]
    return [action for action in bulk if any(map(action.is_possible, people))]


def possible_for_list(waitlist: Document) -> list[ListAction]:
    """Return the actions that the waitlist's settings allow, except deleting the waitlist."""
    return [
        ADMIT,
        INVITE,
        CLAIM_PEOPLE,
        ADD,
        MESSAGE,
        NOTICE,
        *([ASK] if waitlist["confirm"] else []),
        RESUME if waitlist["paused"] else PAUSE,
        CLOSE if waitlist["open"] else OPEN,
    ]
