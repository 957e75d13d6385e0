"""The model checker's operations.

Each one lists the scenarios (prepared waitlists) that it starts from.
"""

from dataclasses import dataclass

from tests.reliability.model.client import Row
from tests.reliability.model.requests import (
    Request,
    admit,
    admit_one,
    ask,
    bring,
    bump,
    claim,
    claim_one,
    complete,
    confirm,
    continue_invitations,
    declare_segments,
    decline,
    decline_and_leave,
    edit,
    enter,
    erase,
    exit_,
    extend,
    finish_intents,
    hold_back,
    invite,
    leave,
    look,
    look_after,
    park,
    poll,
    redrive,
    reinstate,
    release,
    rest,
    resume,
    run_policy,
    sign_up,
    withdraw,
)
from tests.reliability.model.scenarios import (
    ADMISSION_OVER,
    END_OF_WAITS,
    INVITATION,
    LIMITED,
    NEW_ONES,
    NUMBERED,
    SIGNUP,
    SLOTS,
    SLOTS_OVER,
    UNTIL_END,
)
from tests.reliability.model.scenarios import made_cold as cold

REPEAT = "the-request"
ASKED = ("question due", "question asked", "question over")
# The scenarios in which DynamoDB has recorded that the customer did not answer a question in time.
VOID = ("question over, noted, held since", "question over, noted, none asked")


@dataclass(frozen=True)
class Operation:
    """A request, and the scenarios (prepared waitlists) in which faults are injected into it.

    If `is_maintenance` is true, no client repeats the request.
    """

    name: str
    request: Request
    scenarios: tuple[str, ...]
    is_maintenance: bool = False

    def __str__(self) -> str:
        return self.name


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "signup",
        sign_up("b", REPEAT),
        ("absent", "absent, Redis lost", "full", "opening", "closing", "erased", NUMBERED),
    ),
    Operation("signup without a key", sign_up("b", "keyless", is_keyless=True), ("absent", "left")),
    Operation(
        "signup again", sign_up("b", SIGNUP), ("waiting", "held", "joining", f"{NUMBERED}, joining")
    ),
    Operation(
        "rejoin",
        sign_up("b", "again"),
        (
            "left",
            "left a hold",
            "left an offer",
            "left an offer, to leave",
            "left and full",
            "left and closing",
            "admitted",
            "dequeued",
            "leaving",
            "no-show noticed",
            "inside, full",
            f"{NUMBERED}, left",
        ),
    ),
    Operation(
        "leave",
        leave("b"),
        (
            "waiting",
            "waiting since yesterday",
            "waiting, Redis lost",
            "joining",
            "place forgotten",
            "held back",
            "offered",
            "invited",
            *ASKED,
            *SLOTS,
            END_OF_WAITS,
        ),
    ),
    Operation(
        "remove", leave("b", by="operator"), ("held", "parked", LIMITED, "slot of a schedule")
    ),
    Operation(
        "erase",
        erase("b"),
        (
            "waiting",
            "waiting since yesterday",
            "waiting, Redis lost",
            "left",
            "back again",
            *ASKED[1:],
        ),
    ),
    Operation("erase of one aside", erase("b"), ("held", "parked", "invited", *SLOTS)),
    Operation("bump to a priority", bump("b", "p", priority=7), ("waiting",)),
    Operation(
        "bump by places",
        bump("b", "n", places=1),
        (
            "waiting",
            "waiting since yesterday",
            "joining",
            "place forgotten",
            "held back",
            "over, noticed",
            f"{NUMBERED}, joining",
        ),
    ),
    Operation("bump to the front", bump("b", "f", to="front"), ("waiting",)),
    Operation("bump to the back", bump("b", "l", to="back"), ("waiting", "question over")),
    Operation(
        "look",
        look("b"),
        (
            "waiting",
            "place forgotten",
            "held back",
            "parked",
            "on a new list",
            "question due",
            "question asked",
        ),
    ),
    Operation("poll", poll("b"), ("away", "offered", cold("away"))),
    Operation(
        "claim",
        claim(3, REPEAT),
        (
            "waiting",
            "waiting since yesterday",
            "joining",
            "leaving",
            "held back",
            "over",
            "moved",
            f"{NUMBERED}, joining",
            LIMITED,
            cold(LIMITED),
            *ASKED,
        ),
    ),
    Operation(
        "claim one",
        claim_one("b", "b alone"),
        ("waiting", "place forgotten", LIMITED, "away"),
    ),
    Operation("claim without a key", claim(3, ""), ("waiting",)),
    Operation("claim the newest", claim(2, "newest", newest=True), ("waiting",)),
    Operation(
        "dequeue", claim(3, "dequeue", at_once=True), ("waiting", "joining", "waiting, policy")
    ),
    Operation(
        "complete",
        complete("b"),
        (
            "held",
            "held, Redis lost",
            "hold forgotten",
            LIMITED,
            "complete unrecorded",
            "held, policy",
            "slot of a quota",
        ),
    ),
    Operation(
        "release",
        release("b"),
        ("held", "held, Redis lost", "held back while claimed", LIMITED, "slot of a quota"),
    ),
    Operation(
        "release with a delay",
        release("b", is_delayed=True),
        ("held", "held, Redis lost", "held back while claimed", "delay unrecorded"),
    ),
    Operation("release to the back", release("b", to="back"), ("held", "release unrecorded")),
    Operation("extend", extend("b"), ("held",)),
    Operation("park", park("b"), ("held", "park unrecorded", "slot of a quota")),
    Operation("redrive", redrive("b"), ("parked", "parked, Redis lost", "parked forgotten")),
    Operation(
        "redrive to the back",
        redrive("b", to="back"),
        ("parked", "redrive unrecorded", "worn out, noticed"),
    ),
    Operation(
        "import",
        bring("a file", *NEW_ONES),
        (
            "two absent",
            "two absent, Redis lost",
            "room for one",
            "joining",
            "leaving",
            "left",
            f"{NUMBERED}, two absent",
        ),
    ),
    Operation(
        "import of those of one time",
        bring(
            "of one time", Row("a", is_good=False), Row("b", is_early=True), Row("d", is_early=True)
        ),
        ("two absent", "two absent, Redis lost", "admitted", "erased"),
    ),
    Operation(
        "import again",
        bring("of the morning", *NEW_ONES),
        ("import begun", "import intended", "import intended, Redis lost", "import placed"),
    ),
    Operation(
        "expiry",
        look_after(),
        (
            "over",
            "over, noticed",
            "worn out",
            "complete unrecorded",
            "release unrecorded",
            "park unrecorded",
            "offered unrecorded",
            "offer over",
            "offer over, to the back",
            "missed, over",
            "missed, to leave",
            "offer over, to leave",
            "no-show noticed",
            "enter unrecorded",
            "decline unrecorded",
            "invitation unrecorded",
            "invited over",
            *SLOTS_OVER,
            UNTIL_END,
            ADMISSION_OVER,
            END_OF_WAITS,
            cold(END_OF_WAITS),
        ),
        is_maintenance=True,
    ),
    Operation(
        "finishing of intents",
        finish_intents(),
        ("joining", "leaving", f"{NUMBERED}, joining"),
        is_maintenance=True,
    ),
    Operation("declaration of segments", declare_segments(), ("waiting", "held", "joining")),
    Operation(
        "segment re-index",
        look_after(),
        ("segments declared", "held, segments declared", "segments declared, Redis lost"),
        is_maintenance=True,
    ),
    Operation("edit", edit("b", "neither"), ("segments declared", "held, segments declared")),
    Operation(
        "hold back", hold_back("b"), ("waiting", "held", "waiting, Redis lost", "place forgotten")
    ),
    Operation(
        "make ready",
        hold_back("b", is_ready=True),
        ("held back", "held back, Redis lost", "held back while claimed"),
    ),
    Operation(
        "rest",
        rest("b"),
        ("waiting", "held", "waiting, Redis lost", "place forgotten", *ASKED, *VOID),
    ),
    Operation("resume", resume("b"), ("resting", "resting, Redis lost")),
    Operation("ask", ask("b"), ("question due", "question due, Redis lost")),
    Operation(
        "confirm",
        confirm("b"),
        (
            "question asked",
            "question asked, Redis lost",
            "question to be repeated",
            "question over",
            "question over, noted",
            *VOID,
        ),
    ),
    Operation(
        "end of questions",
        look_after(),
        (
            "question asked",
            "question to be repeated",
            "question over",
            "question over, to leave",
            "question over, to the back",
            "question over, noted",
            "question over, held since",
            *VOID,
        ),
        is_maintenance=True,
    ),
    Operation(
        "reinstate",
        reinstate("b", "the-return"),
        (
            "left",
            "left, Redis lost",
            "left and full",
            "left a hold",
            "leaving",
            "parked",
            f"{NUMBERED}, left",
        ),
    ),
    Operation(
        "admit",
        admit(3, "the-admission"),
        (
            "waiting, policy",
            "held back, policy",
            "places due",
            "offered",
            "offer over",
            "offer over, noticed",
            "question over",
            ADMISSION_OVER,
        ),
    ),
    Operation(
        "admit with refill", admit(3, "the-quota", refill=True), ("waiting, policy", "offered")
    ),
    Operation(
        "admit run",
        run_policy(),
        (
            "places due",
            "exit unfinished",
            "offered, full",
            "slot of a quota",
            ADMISSION_OVER,
            *SLOTS_OVER,
        ),
    ),
    Operation(
        "invite",
        invite(3, INVITATION),
        (
            "waiting, policy",
            "held back, policy",
            "places due",
            "offered",
            "invitation begun",
            "invitation unrecorded",
            "invited",
            UNTIL_END,
            ADMISSION_OVER,
        ),
    ),
    Operation(
        "continuation of invitations",
        continue_invitations(),
        ("invitation begun", "invitation unrecorded"),
        is_maintenance=True,
    ),
    Operation(
        "enter",
        enter("b"),
        (
            "offered",
            "offered, Redis lost",
            "offered unrecorded",
            "invited",
            "invitation unrecorded",
            "enter unrecorded",
            "offer over",
            UNTIL_END,
            cold(UNTIL_END),
            ADMISSION_OVER,
            *SLOTS,
        ),
    ),
    Operation(
        "decline",
        decline("b"),
        (
            "offered",
            "offered, Redis lost",
            "offered unrecorded",
            "invited",
            "invitation unrecorded",
            "decline unrecorded",
            *SLOTS,
        ),
    ),
    Operation(
        "decline at the place",
        decline("b", by_policy=True),
        (
            "offered, declines keep the place",
            "declined at the place",
            "decline at the place unrecorded",
        ),
    ),
    Operation(
        "withdraw",
        withdraw("b"),
        (
            "offered",
            "offered, Redis lost",
            "offered unrecorded",
            "invited",
            "offered, full",
            "offer over",
            "withdraw unrecorded",
            *SLOTS,
        ),
    ),
    Operation(
        "admit one",
        admit_one("b", "the-only-one"),
        ("waiting, policy", "places due", "place forgotten", "away", ADMISSION_OVER),
    ),
    Operation(
        "decline and leave", decline_and_leave("b"), ("offered", "invited", "offered, full", *SLOTS)
    ),
    Operation(
        "exit",
        exit_("b"),
        ("inside", "inside, Redis lost", "inside, full", "exit unfinished", "enter unrecorded"),
    ),
    Operation(
        "rebuild",
        look_after(),
        (
            "waiting since yesterday, Redis lost",
            "held, Redis lost",
            "held back, Redis lost",
            "held back while claimed, Redis lost",
            "parked, Redis lost",
            "left, Redis lost",
            "joining, Redis lost",
            "inside, full, Redis lost",
            "exit unfinished, Redis lost",
            "offered, full, Redis lost",
            cold(UNTIL_END),
            "question asked, Redis lost",
            "question over, Redis lost",
            cold(LIMITED),
            *map(cold, SLOTS),
        ),
        is_maintenance=True,
    ),
)
BY_NAME = {operation.name: operation for operation in OPERATIONS}
