"""The requests of clients to a waitlist, and the events of its environment."""

from tests.reliability.model.requests.environment import (
    cut_off,
    declare_segments,
    finish_intents,
    forget,
    let_holds_end,
    let_pass,
    limit_to,
    look_after,
    lose_redis,
    maintain,
    notice_ends,
    set_policy,
)
from tests.reliability.model.requests.in_queue import bump, edit, erase, leave, look, sign_up
from tests.reliability.model.requests.of_admissions import (
    admit,
    decline,
    decline_and_leave,
    enter,
    exit_,
    run_policy,
)
from tests.reliability.model.requests.of_claims import (
    claim,
    complete,
    extend,
    park,
    redrive,
    release,
)
from tests.reliability.model.requests.of_imports import bring
from tests.reliability.model.requests.request import Expected, Request

__all__ = [
    "Expected",
    "Request",
    "admit",
    "bring",
    "bump",
    "claim",
    "complete",
    "cut_off",
    "declare_segments",
    "decline",
    "decline_and_leave",
    "edit",
    "enter",
    "erase",
    "exit_",
    "extend",
    "finish_intents",
    "forget",
    "leave",
    "let_holds_end",
    "let_pass",
    "limit_to",
    "look",
    "look_after",
    "lose_redis",
    "maintain",
    "notice_ends",
    "park",
    "redrive",
    "release",
    "run_policy",
    "set_policy",
    "sign_up",
]
