"""The situations in which the model checker starts an operation.

Every operation concerns entry `b`. In each scenario, some people signed up yesterday and others
today, and one customer was admitted.
"""

from tests.reliability.model.client import ASKED_AFTER_DAYS, FIRST, LEASE_SECONDS, Row
from tests.reliability.model.requests import (
    Request,
    admit,
    allow_claims,
    ask,
    bring,
    bump,
    claim,
    complete,
    cut_off,
    declare_segments,
    decline,
    decline_and_leave,
    end_admission,
    enter,
    erase,
    exit_,
    expect_answers,
    forget,
    go_away,
    hold_back,
    invite,
    leave,
    let_holds_end,
    let_pass,
    let_question_stand,
    limit_to,
    lose_redis,
    maintain,
    note_silence,
    notice_ends,
    number_people,
    open_or_close,
    park,
    redrive,
    release,
    rest,
    run_policy,
    set_policy,
    sign_up,
    withdraw,
)
from tests.reliability.model.requests.environment import DAY_SECONDS
from tests.support.model import Policy
from waitlist_queue import keys
from waitlist_shared.limits import MAX_PRESENCE_SECONDS

EARLIEST = "the-first-admission"
INVITATION = "the-invitation"
# Two steps of a request to invite people. The first stores the invitation, and the second makes the
# offers in Redis.
STORED_STEP, OFFERED_STEP = 3, 7
SIGNUP = "the-signup"
COLD = ", Redis lost"
# Scenarios in which a schedule, a quota or a rate has made an offer to `b`.
SLOTS = ("slot of a schedule", "slot of a quota", "slot of a rate")
OVER = " over"
# The first word in the names of scenarios in which customers are asked whether they are still
# waiting.
QUESTION = "question"
# The first words in the names of scenarios in which a limit allows only one more claim.
LIMITED = "claims limited"
# The first word in the names of scenarios in which each customer who joins gets a call number.
NUMBERED = "numbered"
# Scenarios in which admissions end at a set time. This time is still to come in the first scenario
# and has passed in the others.
UNTIL_END, ADMISSION_OVER = "offered until the end", "admission over"
END_OF_WAITS = "admission over, to leave"
SLOTS_OVER = tuple(name + OVER for name in SLOTS)
Scenario = tuple[Request, ...]

_admission: Scenario = (claim(1, EARLIEST), complete("a", EARLIEST))
_hold: Scenario = (claim(2, FIRST, newest=True),)
_night: Scenario = (let_pass(DAY_SECONDS), maintain())


def _signed_up(*names: str) -> Scenario:
    return tuple(sign_up(name, key=SIGNUP) for name in names)


_early = (*_signed_up("a", "c", "e"), *_night)
_two_absent = (*_early, *_admission)
_absent = (*_early, *_signed_up("d"), *_admission)
_numbered = (*_absent, number_people())
# The import's rows. `e` is on the waitlist before the import. The service writes the signups of `d`
# and `b` in two transactions.
NEW_ONES = (Row("d"), Row("e"), Row("b"))
_waiting = (*_early, *_signed_up("b", "d"), *_admission)
_held = (*_waiting, *_hold)
_left = (*_waiting, leave("b"))
_parked = (*_held, park("b"))
_over = (*_held, let_holds_end())
_worn_out = (
    *_waiting,
    claim(2, "1", newest=True),
    let_holds_end(),
    claim(2, "2", newest=True),
    let_holds_end(),
    *_hold,
    let_holds_end(),
)

# A delay after which claims are still open for one more request, but end before the next
# maintenance run.
NEARLY_OVER = let_pass(LEASE_SECONDS - 360)

OFFERS = "the-offers"


def _offered(policy: Policy) -> Scenario:
    return (*_waiting, set_policy(policy), admit(3, OFFERS), decline("c"), enter("e"))


_by_hand = Policy()
_watching = Policy(max_inside=3, presence_seconds=MAX_PRESENCE_SECONDS)
_offered_by_hand = _offered(_by_hand)
_offer_over = (*_offered_by_hand, let_holds_end())
_offer_over_to_back = (*_offered(Policy(no_show="to_back")), let_holds_end())
_offered_to_keep = _offered(Policy(declines_kept=1))


def _invited_with(policy: Policy) -> Scenario:
    """`b` was invited and has an offer. `e` is inside, and `d` and `c` are waiting."""
    return (*_waiting, set_policy(policy), invite(3, INVITATION), decline("c"), enter("e"))


_invited = _invited_with(_by_hand)
_offer_over_leave = (*_invited_with(Policy(no_show="leave")), let_holds_end())
_inside = (*_offered_by_hand, enter("b"))
_left_an_offer = (NEARLY_OVER, decline_and_leave("b"))
_full_inside = (*_inside, set_policy(Policy(max_inside=2)))

# In this scenario, `b` has the only open offer, and `d` would get its slot next.
_of_a_schedule = (
    *_waiting,
    set_policy(Policy(scheduled=3, no_show="to_back")),
    run_policy(),
    enter("c"),
    enter("e"),
)
_of_a_quota = (
    *_waiting,
    set_policy(Policy()),
    admit(3, FIRST, refill=True),
    enter("c"),
    enter("e"),
)
_of_a_rate = (
    *_waiting,
    bump("b", "a move", to="front"),
    set_policy(Policy(has_rate=True, no_show="leave")),
    let_pass(DAY_SECONDS),
    run_policy(),
)
_of_slots = dict(zip(SLOTS, (_of_a_schedule, _of_a_quota, _of_a_rate), strict=True))

# In this scenario, only `a` and `b` signed up long ago, and `a` has been admitted since.
_long_ago = (
    *_signed_up("a", "b"),
    let_pass(ASKED_AFTER_DAYS * DAY_SECONDS),
    maintain(),
    *_signed_up("c", "e", "d"),
    *_admission,
)
_asked = (*_long_ago, expect_answers("park"), ask("b"))
_silent = (maintain(), let_question_stand(is_over=True))
_unanswered = (*_asked, *_silent)
_noted = (*_unanswered, note_silence())


NAMES: dict[str, Scenario] = {
    "absent": _absent,
    "joining": (*_absent, cut_off(sign_up("b", SIGNUP), step=1)),
    "waiting": _waiting,
    "waiting since yesterday": (*_signed_up("a", "c", "e", "b", "d"), *_night, *_admission),
    "place forgotten": (*_waiting, forget("b", keys.queue)),
    "held": _held,
    LIMITED: (*_held, allow_claims(3)),
    "hold forgotten": (*_held, forget("b", keys.held, keys.claims)),
    "full": (*_absent, limit_to(3)),
    "opening": (*_absent, open_or_close(opens=True)),
    "closing": (*_absent, open_or_close(opens=False)),
    "left and closing": (*_left, open_or_close(opens=False)),
    NUMBERED: _numbered,
    f"{NUMBERED}, joining": (*_numbered, cut_off(sign_up("b", SIGNUP), step=1)),
    f"{NUMBERED}, left": (*_numbered, sign_up("b", SIGNUP), leave("b")),
    f"{NUMBERED}, two absent": (*_two_absent, number_people()),
    "leaving": (*_waiting, cut_off(leave("b"), step=0)),
    "left": _left,
    "left and full": (*_left, limit_to(3)),
    "left a hold": (*_held, release("d"), NEARLY_OVER, leave("b", by="operator")),
    "left an offer": (*_offered_by_hand, *_left_an_offer),
    "left an offer, to leave": (*_offered(Policy(no_show="leave")), *_left_an_offer),
    "back again": (*_left, sign_up("b", "again")),
    "moved": (*_waiting, bump("b", "a move", places=1)),
    "on a new list": (*_signed_up("a", "c", "e", "b"), maintain()),
    "admitted": (*_held, complete("b")),
    "admitted, reconciled": (*_held, complete("b"), let_pass(120), maintain()),
    "dequeued": (*_waiting, claim(2, "at-once", newest=True, at_once=True)),
    "parked": _parked,
    "parked forgotten": (*_parked, forget("b", keys.parked, keys.claims)),
    "over": _over,
    "over, noticed": (*_over, notice_ends()),
    "worn out": _worn_out,
    "worn out, noticed": (*_worn_out, notice_ends()),
    "complete unrecorded": (*_held, cut_off(complete("b"), step=0)),
    "release unrecorded": (*_held, cut_off(release("b", to="back"), step=0)),
    "park unrecorded": (*_held, cut_off(park("b"), step=0)),
    "redrive unrecorded": (*_parked, cut_off(redrive("b", to="back"), step=1)),
    "delay unrecorded": (*_held, cut_off(release("b", is_delayed=True), step=0)),
    "released": (*_held, release("b")),
    "two absent": _two_absent,
    "room for one": (*_two_absent, limit_to(3)),
    "import begun": (*_two_absent, cut_off(bring("of the night", *NEW_ONES), step=3)),
    "import intended": (*_two_absent, cut_off(bring("of the night", *NEW_ONES), step=4)),
    "import placed": (*_two_absent, cut_off(bring("of the night", *NEW_ONES), step=5)),
    "segments declared": (*_waiting, declare_segments()),
    "held, segments declared": (*_held, declare_segments()),
    "held back": (*_waiting, hold_back("b")),
    "resting": (*_waiting, rest("b")),
    "held back while claimed": (*_held, hold_back("b")),
    "held back, policy": (*_waiting, set_policy(_by_hand), hold_back("c")),
    "erased": (*_waiting, erase("b")),
    "waiting, policy": (*_waiting, set_policy(_by_hand)),
    "held, policy": (*_held, set_policy(_by_hand)),
    "places due": (*_waiting, set_policy(Policy(max_inside=3))),
    # `b` is away, and all slots are taken.
    "away": (*_waiting, set_policy(_watching), go_away("b"), run_policy()),
    "offered": _offered_by_hand,
    "offered unrecorded": (
        *_waiting,
        set_policy(_by_hand),
        cut_off(admit(3, "cut-off"), step=0),
    ),
    "invited": _invited,
    f"invited{OVER}": (*_invited, let_holds_end()),
    "invitation begun": (
        *_waiting,
        set_policy(_by_hand),
        cut_off(invite(3, INVITATION), step=STORED_STEP),
    ),
    "invitation unrecorded": (
        *_waiting,
        set_policy(_by_hand),
        cut_off(invite(3, INVITATION), step=OFFERED_STEP),
    ),
    "offered, full": (*_offered_by_hand, set_policy(Policy(max_inside=2))),
    "offer over": _offer_over,
    "offer over, noticed": (*_offer_over, notice_ends()),
    "offer over, to the back": _offer_over_to_back,
    "offer over, to leave": _offer_over_leave,
    "no-show noticed": (*_offer_over_leave, notice_ends()),
    "enter unrecorded": (*_offered_by_hand, cut_off(enter("b"), step=1), let_pass(120)),
    "decline unrecorded": (*_offered_by_hand, cut_off(decline("b"), step=1)),
    "offered, declines keep the place": _offered_to_keep,
    "declined at the place": (*_offered_to_keep, decline("b", by_policy=True)),
    "decline at the place unrecorded": (
        *_offered_to_keep,
        cut_off(decline("b", by_policy=True), step=2),
    ),
    "missed, over": (*_offered(Policy(misses=1, after_misses="park")), let_holds_end()),
    "missed, to leave": (*_offered(Policy(misses=1, no_show="to_back")), let_holds_end()),
    # Admissions end earlier than usual, and `b`'s offer ends at the same time.
    UNTIL_END: (*_offered_by_hand, set_policy(Policy(end="ahead"))),
    ADMISSION_OVER: (
        *_offered_by_hand,
        set_policy(Policy(max_inside=3, end="ahead")),
        end_admission(),
    ),
    END_OF_WAITS: (
        *_waiting,
        *map(leave, ("c", "d", "e")),
        set_policy(Policy(max_inside=3, end="ahead", leaves_then=True)),
        end_admission(),
    ),
    "withdraw unrecorded": (*_offered_by_hand, cut_off(withdraw("b"), step=1)),
    **_of_slots,
    **{name + OVER: (*scenario, let_holds_end()) for name, scenario in _of_slots.items()},
    f"{QUESTION} due": (*_long_ago, expect_answers("park")),
    f"{QUESTION} asked": _asked,
    f"{QUESTION} to be repeated": (*_asked, maintain(), let_question_stand(is_over=False)),
    f"{QUESTION} over": _unanswered,
    f"{QUESTION} over, to leave": (*_long_ago, expect_answers("leave"), ask("b"), *_silent),
    f"{QUESTION} over, to the back": (*_long_ago, expect_answers("to_back"), ask("b"), *_silent),
    f"{QUESTION} over, noted": _noted,
    f"{QUESTION} over, noted, held since": (*_noted, claim(1, FIRST), release("b")),
    f"{QUESTION} over, noted, none asked": (*_noted, expect_answers(None)),
    f"{QUESTION} over, held since": (*_asked, claim(1, FIRST), release("b"), *_silent),
    "inside": _inside,
    "inside, full": _full_inside,
    "exit unfinished": (*_full_inside, cut_off(exit_("b"), step=1)),
}


def of(name: str) -> Scenario:
    if name.endswith(COLD):
        return (*NAMES[name.removesuffix(COLD)], lose_redis())
    return NAMES[name]


def is_cold(name: str) -> bool:
    return name.endswith(COLD)


def made_cold(name: str) -> str:
    return name if is_cold(name) else name + COLD
