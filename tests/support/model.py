"""The sequential model of a waiting list: entries, order, offers, counters, histories.

The model checker and the property tests of the queue judge by it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations, zip_longest
from typing import Literal

from waitlist_api.settings.admission import NoShow
from waitlist_api.settings.confirm import Unanswered
from waitlist_shared.ranks import ROOM, TIER, priority_of

# Places are fractions, so that there is a place between any two for a moved entry.
Place = Fraction | int
State = Literal["joining", "waiting", "offered", "parked", "admitted", "left"]
ASIDE: tuple[State, ...] = ("offered", "parked")
ENDED: tuple[State, ...] = ("left", "admitted")
ON_LIST: tuple[State, ...] = ("waiting", *ASIDE)
# A question to the customer if they still wait: `over` is its time to answer, `noted` its end.
Question = Literal["", "asked", "to remind", "over", "noted", "closed"]
# The distance between the places of two signups.
GAP = 2**24
AT_BACK = 255 * TIER
# The place of an import's early rows: between the second and the third signup.
EARLY = AT_BACK + 2 * GAP + GAP // 2
# The distance between the places of an import's other rows.
APART = 8
MAX_ATTEMPTS = 3


@dataclass(frozen=True)
class Stay:
    """One customer's stay.

    `rank` is the current place, `ticket` the place that the signup drew. `hold` names the latest
    claim of the entry, `hold_end` how the claimer or an operator ended it. `is_long` marks an
    extended hold, `is_over` an expired one that Redis has not ended yet, `is_offer` one for the
    customer to accept, for which the slot `paid` was used. `is_aside` marks an admission that still
    counts against the capacity. An admitted customer `is_inside` while Redis counts the place as
    taken; `has_exited` is recorded first. Where a test has a clock, `time_millis` is the end of the
    hold, the time of the parking, or the end of the pass. A stay that rests or is delayed until a
    time, or `is_held_back`, keeps its place and is passed over; no position counts one that
    `is_unverified` either. The `question` was asked after the end of the hold `asked_hold`. `key`
    is that of the signup, import or reinstatement, and `former`
    the stay before it, kept until an intent is finished and after an import.
    """

    state: State
    rank: Place
    ticket: Place = 0
    attempts: int = 0
    hold: str = ""
    hold_end: str = ""
    is_long: bool = False
    is_over: bool = False
    is_offer: bool = False
    paid: str = ""
    is_aside: bool = False
    is_inside: bool = False
    has_exited: bool = False
    time_millis: int = 0
    rests_until_millis: int = 0
    delayed_until_millis: int = 0
    is_held_back: bool = False
    is_unverified: bool = False
    question: Question = ""
    asked_hold: str = ""
    key: str = ""
    is_reinstated: bool = False
    former: "Stay | None" = None

    @property
    def is_ready(self) -> bool:
        return not (
            self.rests_until_millis
            or self.delayed_until_millis
            or self.is_held_back
            or self.is_unverified
        )

    @property
    def is_asked(self) -> bool:
        return self.question not in ("", "closed")


@dataclass(frozen=True)
class Event:
    """An event of a history: word, actor, reason; `hold` names the claim, if any."""

    word: str
    by: str
    reason: str = ""
    hold: str = ""


# These events are of changes of the record that Redis follows.
OF_QUESTIONS = ("asked", "reminded", "confirmed", "unanswered")
OF_RECORD = ("held_back", "ready", "rested", "resumed", *OF_QUESTIONS)
CUSTOMER, OPERATOR, MAINTENANCE, POLICY = "customer", "operator", "maintenance", "policy"
NO_SHOW = "no_show"
UNANSWERED = "unanswered"
# Redis has taken the entry off the queue, and maintenance finishes the leave.
LEFT_LATER = (Event("left", POLICY, NO_SHOW), Event("left", MAINTENANCE, UNANSWERED))


QUOTA, RATE, SCHEDULE = "quota", "rate", "schedule"


@dataclass(frozen=True)
class Policy:
    """The admission policy of the list; with none of the first three only operators offer places.

    `scheduled` slots come due at one time, and with `has_rate` one slot after a day, which counts
    who enters.
    """

    max_inside: int | None = None
    scheduled: int = 0
    has_rate: bool = False
    no_show: NoShow = "keep_place"

    @property
    def slots(self) -> tuple[str, ...]:
        return (RATE,) * self.has_rate + (SCHEDULE,) * self.scheduled


@dataclass(frozen=True)
class Waitlist:
    """All stays by name, the requests that count only once, and the counters.

    By an import's key and by name, `looked` has the status that the import has read, and `drawn`
    the place that it has drawn and not used yet. `early` counts the places drawn for early rows.
    `events` are the histories, by name; a long run without their judge has none. `slots` are those
    that are due to be offered, in the order of their use; with `may_lose` Redis may forget them,
    and what has paid for the open offers. A list that `opens`, or `closes`, does so at some time.
    A wait ends as `then` says, if its customer does not answer that they still wait. While `then`
    is None no customer is asked, and no wait ends.
    """

    stays: frozenset[tuple[str, Stay]] = frozenset()
    done: frozenset[str] = frozenset()
    tickets: int = 0
    looked: frozenset[tuple[str, str, str]] = frozenset()
    drawn: frozenset[tuple[str, str, int]] = frozenset()
    early: int = 0
    signed_up: int = 0
    left: int = 0
    admitted: int = 0
    entered: int = 0
    declined: int = 0
    no_shows: int = 0
    capacity: int | None = None
    policy: Policy | None = None
    max_claims: int | None = None
    hours: Literal["open", "opens", "closes", "shut"] = "open"
    then: Unanswered | None = "park"
    slots: tuple[str, ...] = ()
    may_lose: bool = False
    events: frozenset[tuple[str, tuple[Event, ...]]] = frozenset()
    has_histories: bool = True
    by_name: dict[str, Stay] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", dict(self.stays))

    def stay(self, name: str) -> Stay | None:
        return self.by_name.get(name)

    def of(self, *states: State) -> list[str]:
        """Return the names of the entries in these states, in the order of their ranks."""
        found = [(stay.rank, name) for name, stay in self.stays if stay.state in states]
        return [name for _, name in sorted(found)]

    @property
    def room(self) -> int | None:
        """Return how many more customers may be inside or have an offer; None without a limit."""
        if self.policy is None or self.policy.max_inside is None:
            return None
        inside = [stay for _, stay in self.stays if _counts_as_inside(stay)]
        return max(0, self.policy.max_inside - len(inside) - len(self.of("offered")))

    def claimable(self, count: int) -> int:
        """Return how many entries a claim of `count` may hold."""
        claims = [name for name in self.of("offered") if not self.by_name[name].is_offer]
        return (
            count if self.max_claims is None else min(count, max(0, self.max_claims - len(claims)))
        )

    def next_ones(self, count: int | None = None, *, newest: bool = False) -> list[str]:
        """Return the entries to take next, at most `count`: from the head, or from the end."""
        ready = [name for name in self.of("waiting") if self.by_name[name].is_ready]
        return (ready[::-1] if newest else ready)[:count]

    def counted(self, name: str = "") -> list[str]:
        """Return whom positions and totals count: those with a verified address, and `name`."""
        line = self.of("waiting")
        return [one for one in line if one == name or not self.by_name[one].is_unverified]

    def position(self, name: str) -> int | None:
        line = self.counted(name)
        return line.index(name) + 1 if name in line else None

    def put(self, name: str, stay: Stay) -> "Waitlist":
        others = dict(self.stays) | {name: stay}
        return replace(self, stays=frozenset(others.items()))

    def change(self, name: str, **changes: object) -> "Waitlist":
        return self.put(name, replace(self.by_name[name], **changes))  # type: ignore[arg-type]

    def forget(self, name: str) -> "Waitlist":
        return replace(self, stays=frozenset(one for one in self.stays if one[0] != name))

    def erase(self, name: str) -> "Waitlist":
        line = given_back(self, name).forget(name)
        return replace(line, events=frozenset(one for one in self.events if one[0] != name))

    def history(self, name: str) -> tuple[Event, ...]:
        return dict(self.events).get(name, ())

    def happened(
        self, name: str, word: str, by: str, reason: str = "", hold: str = ""
    ) -> "Waitlist":
        """Add an event to an entry's history."""
        events = (*self.history(name), Event(word, by, reason, hold))
        return replace(self, events=frozenset((dict(self.events) | {name: events}).items()))

    def note(self, request: str) -> "Waitlist":
        """Remember a request that counts only once."""
        return replace(self, done=self.done | {request})

    def draw(self) -> tuple["Waitlist", int]:
        """Draw the rank at the end of the queue."""
        line = replace(self, tickets=self.tickets + 1)
        return line, AT_BACK + line.tickets * GAP

    def look(self, key: str, seen: dict[str, str]) -> "Waitlist":
        """Remember the status that an import has read, by name."""
        others = frozenset(one for one in self.looked if one[0] != key)
        return replace(self, looked=others | {(key, name, word) for name, word in seen.items()})

    def keep(self, key: str, drawn: dict[str, int]) -> "Waitlist":
        """Remember the places that an import has drawn and not used yet."""
        others = frozenset(one for one in self.drawn if one[0] != key)
        own = {(key, name, rank) for name, rank in drawn.items()}
        return replace(self, drawn=others | own)

    @property
    def takes_signups(self) -> bool:
        return self.hours in ("open", "closes") and not self.is_full

    @property
    def is_full(self) -> bool:
        room = [stay for _, stay in self.stays if stay.state in ON_LIST or stay.is_aside]
        return self.capacity is not None and len(room) >= self.capacity


def refused(line: Waitlist, name: str, key: str) -> Waitlist:
    """Note a signup that the list's hours refuse: it does not join later."""
    return line if line.is_full else line.note(f"{name} with {key} was refused")


def was_refused(line: Waitlist, name: str, key: str) -> bool:
    return f"{name} with {key} was refused" in line.done


def hours_passed(line: Waitlist) -> Waitlist:
    """Let the list have opened, or closed, if it is to."""
    match line.hours:
        case "opens":
            return replace(line, hours="open")
        case "closes":
            return replace(line, hours="shut")
        case _:
            return line


def _counts_as_inside(stay: Stay) -> bool:
    """Return whether Redis counts the place as taken; a signup frees it when it gets a place."""
    if stay.state == "joining" and stay.former is not None:
        return _counts_as_inside(stay.former)
    return stay.is_inside


def joined(line: Waitlist, name: str, key: str) -> Waitlist:
    line, rank = line.draw()
    line = line.put(name, Stay("waiting", rank, ticket=rank, key=key))
    line = line.happened(name, "joined", CUSTOMER)
    return replace(line, signed_up=line.signed_up + 1)


def signup_finished(line: Waitlist, name: str) -> Waitlist:
    """Finish a signup's intent: the entry gets a place, or the intent disappears."""
    stay = line.stay(name)
    if stay is None or stay.state != "joining" or stay.rank:
        return line
    line = _not_joined(line, name)
    return joined(line, name, stay.key) if line.takes_signups else refused(line, name, stay.key)


def intent_finished(line: Waitlist, name: str) -> Waitlist:
    """Finish an intent to join, of a signup or of an import."""
    stay = line.stay(name)
    if stay is None or stay.state != "joining":
        return line
    return enlisted(line, name) if stay.rank else signup_finished(line, name)


def drawn_for(line: Waitlist, people: list[tuple[str, bool]]) -> tuple[Waitlist, dict[str, int]]:
    """Draw places for an import: by `joined_at` for early rows, at the end for others."""
    line, back = line.draw()
    drawn = {}
    for name, is_early in people:
        drawn[name] = EARLY + line.early if is_early else back
        line = replace(line, early=line.early + is_early)
        back += 0 if is_early else APART
    return line, drawn


def enlisted(line: Waitlist, name: str) -> Waitlist:
    """Place an entry at its rank, unless the list is full.

    If the rank is taken an import gets the next free one, a former place the free one ahead.
    """
    stay = line.by_name[name]
    if line.is_full:
        return _not_joined(line, name)
    rank, ticket = stay.rank, stay.rank
    ranks = {line.by_name[other].rank for other in line.of("waiting")}
    while rank in ranks:
        rank += -1 if stay.is_reinstated else 1
    line = line.change(name, state="waiting", rank=rank, ticket=ticket)
    line = line.happened(name, "reinstated" if stay.is_reinstated else "joined", OPERATOR)
    return replace(line, signed_up=line.signed_up + 1)


def _not_joined(line: Waitlist, name: str) -> Waitlist:
    former = line.by_name[name].former
    return line.put(name, former) if former else line.forget(name)


def _has_open_offer(stay: Stay) -> bool:
    return stay.state == "offered" and stay.is_offer


def declined(line: Waitlist, name: str) -> Waitlist:
    """Count a decline of an offer that Redis has not ended yet."""
    is_open = _has_open_offer(line.by_name[name])
    return replace(line, declined=line.declined + is_open)


def ended(
    line: Waitlist,
    name: str,
    state: Literal["left", "admitted"],
    by: str = OPERATOR,
    reason: str = "",
) -> Waitlist:
    """End a stay, and count the end; with a policy an admitted customer is inside."""
    if state == "left":
        line = given_back(line, name)
    elif _has_open_offer(line.by_name[name]):
        line = replace(line, entered=line.entered + 1)
    line = line.change(name, state=state, is_over=False).happened(name, state, by, reason)
    if state == "left":
        return replace(line, left=line.left + 1)
    line = line.change(name, is_inside=line.policy is not None, paid="")
    return replace(line, admitted=line.admitted + 1)


def left_before_maintenance(line: Waitlist, name: str, by: str, reason: str = "") -> Waitlist:
    """Let a request have ended a stay of which maintenance was about to finish the leave."""
    events = line.history(name)
    if not is_leaving(line, name):
        return line
    own = (*events[:-1], Event("left", by, reason))
    return replace(line, events=frozenset((dict(line.events) | {name: own}).items()))


def is_leaving(line: Waitlist, name: str) -> bool:
    """Return whether the record may still have the stay: maintenance finishes its leave."""
    return line.history(name)[-1:] in [(event,) for event in LEFT_LATER]


def asked(line: Waitlist, name: str, by: str) -> Waitlist:
    """Ask a customer if they still wait."""
    line = line.change(name, question="asked", asked_hold=line.by_name[name].hold)
    return line.happened(name, "asked", by)


def answered(line: Waitlist, name: str) -> Waitlist:
    """End a question, if there is one."""
    return line.change(name, question="closed") if line.by_name[name].is_asked else line


def noted(line: Waitlist, name: str) -> Waitlist:
    """Note that no answer came, after which an answer is too late."""
    return line.change(name, question="noted").happened(name, UNANSWERED, MAINTENANCE)


def may_end_wait(line: Waitlist, stay: Stay) -> bool:
    """Return whether silence ends the wait: not while none is asked, or after a claim since."""
    return line.then is not None and stay.hold == stay.asked_hold


def question_followed(line: Waitlist) -> Iterator[Waitlist]:
    """Make the next step of maintenance: remind, note that there is no answer, end the wait.

    A customer whose entry was claimed or offered since is asked anew, if the record has that hold.
    """
    for name, stay in line.stays:
        if stay.state != "waiting" or not stay.is_ready or line.then is None:
            continue
        if stay.question == "to remind":
            yield line.change(name, question="asked").happened(name, "reminded", MAINTENANCE)
        if stay.question not in ("over", "noted"):
            continue
        if stay.hold != stay.asked_hold:
            yield asked(line, name, MAINTENANCE)
        if stay.hold != stay.asked_hold and stay.hold_end:
            continue
        if stay.question == "over":
            yield noted(line, name)
        else:
            yield _not_answered(answered(line, name), name)


def questions_followed(line: Waitlist) -> Iterator[Waitlist]:
    """Yield the states after all that maintenance does of questions."""
    following = list(question_followed(line))
    for one in following:
        yield from questions_followed(one)
    if not following:
        yield line


def _not_answered(line: Waitlist, name: str) -> Waitlist:
    if line.then == "leave":
        return ended(line, name, "left", MAINTENANCE, UNANSWERED)
    if line.then == "park":
        line = line.happened(name, "parked", MAINTENANCE, UNANSWERED)
        return line.change(name, state="parked")
    line, rank = line.happened(name, "bumped", MAINTENANCE, UNANSWERED).draw()
    return line.change(name, rank=rank)


def held(line: Waitlist, names: list[str], hold: str, *, at_once: bool = False) -> Waitlist:
    """Hold entries for a claim; a claim that admits at once writes no `offered` event."""
    for name in names:
        line = line.change(
            name, state="offered", hold=hold, hold_end="", is_long=False, is_offer=False
        )
        line = line if at_once else line.happened(name, "offered", OPERATOR, hold=hold)
    return line


def offered(
    line: Waitlist, names: list[str], hold: str, by: str, slots: tuple[str, ...] = ()
) -> Waitlist:
    """Offer places to entries; these slots pay for the first of them."""
    for name, paid in zip_longest(names, slots[: len(names)], fillvalue=""):
        line = line.change(
            name, state="offered", hold=hold, hold_end="", is_long=False, is_offer=True, paid=paid
        )
        line = line.happened(name, "offered", by)
    return line


def policy_run(line: Waitlist, most: int | None = None) -> Waitlist:
    """Offer the places that the policy, or a quota, has due: for room alone none is paid."""
    due, room = line.slots, line.room
    if line.policy and not line.policy.slots:
        due = (*due, *[""] * (room or 0))
    taken = line.next_ones(len(due[:room][:most]))
    line = replace(line, slots=line.slots[len(taken) :])
    return offered(line, taken, POLICY, POLICY, due)


def given_back(line: Waitlist, name: str) -> Waitlist:
    """Return the slot of an offer that ends without an admission."""
    paid = line.by_name[name].paid if name in line.by_name else ""
    if not paid:
        return line
    return replace(line.change(name, paid=""), slots=tuple(sorted((*line.slots, paid))))


def slots_lost(line: Waitlist) -> Waitlist:
    """Have Redis forget the slots that are due, and what has paid for the open offers."""
    for name in line.of("offered"):
        line = line.change(name, paid="")
    return replace(line, slots=())


def back_in_line(line: Waitlist, name: str, to: str, **changes: object) -> Waitlist:
    line = given_back(line, name)
    rank = line.by_name[name].rank
    if to == "back":
        line, rank = line.draw()
    rank = free_rank(line, name, rank)
    return line.change(name, state="waiting", rank=rank, is_over=False, **changes)


def moved(line: Waitlist, name: str, kind: str, value: int | str) -> Waitlist:
    """Move a waiting entry.

    `kind` and `value` say where: to its signup's place within a priority, some places ahead but
    not beyond the head of its priority, to that head, or to the end of the line.
    """
    if kind == "priority":
        wanted = (255 - int(value)) * TIER + line.by_name[name].ticket % TIER
        return line.change(name, rank=free_rank(line, name, wanted))
    if value == "back":
        line, rank = line.draw()
        return line.change(name, rank=rank)
    own = line.by_name[name].rank
    own_priority = priority_of(int(own))
    waiting = [
        one
        for one in line.of("waiting")
        if priority_of(int(line.by_name[one].rank)) == own_priority
    ]
    index = waiting.index(name)
    places = index if value == "front" else min(int(value), index)
    if not places:
        return line
    return line.change(name, rank=_ahead_of(line, waiting[index - places]))


def expired(line: Waitlist, name: str) -> Waitlist:
    """End an expired hold."""
    if line.by_name[name].is_offer:
        return _not_accepted(line, name)
    attempts = line.by_name[name].attempts + 1
    hold = line.by_name[name].hold
    if attempts >= MAX_ATTEMPTS:
        line = line.happened(name, "parked", MAINTENANCE, "max_attempts", hold=hold)
        return line.change(name, state="parked", attempts=attempts, is_over=False)
    line = line.happened(name, "expired", MAINTENANCE, hold=hold)
    return back_in_line(line, name, "place", attempts=attempts)


def _not_accepted(line: Waitlist, name: str) -> Waitlist:
    """End an offer that its customer has not accepted in time."""
    line = given_back(line, name).happened(name, NO_SHOW, POLICY)
    line = replace(line, no_shows=line.no_shows + 1)
    no_show = line.policy.no_show if line.policy else "to_back"
    if no_show == "leave":
        return ended(line, name, "left", POLICY, NO_SHOW)
    if no_show == "to_back":
        return back_in_line(line, name, "back")
    attempts = line.by_name[name].attempts + 1
    if attempts >= MAX_ATTEMPTS:
        line = line.happened(name, "parked", MAINTENANCE, "max_attempts")
        return line.change(name, state="parked", attempts=attempts, is_over=False)
    return back_in_line(line, name, "place", attempts=attempts)


def all_expired(line: Waitlist, *, only_over: bool = False) -> Waitlist:
    """End all holds, or only the expired ones."""
    for name in line.of("offered"):
        if line.by_name[name].is_over or not only_over:
            line = expired(line, name)
    return line


def all_over(line: Waitlist) -> Iterator[Waitlist]:
    """Yield the states after all holds have ended and the slots that they gave back are offered.

    Holds that one request began end together, but the state does not have when each began.
    """
    holds = {line.by_name[name].hold for name in line.of("offered")}
    for order in permutations(sorted(holds)):
        ended = line
        for hold in order:
            for name in line.of("offered"):
                ended = expired(ended, name) if line.by_name[name].hold == hold else ended
        yield from questions_followed(policy_run(ended))


def expired_by(line: Waitlist, millis: int, in_order: Callable[[str], str] = str) -> Waitlist:
    """End the holds whose deadlines have passed, by deadline and rank, then `in_order`."""
    held = [(line.by_name[name], name) for name in line.of("offered")]
    over = [(stay.time_millis, stay.rank, in_order(name), name) for stay, name in held]
    for deadline, *_, name in sorted(over):
        line = expired(line, name) if deadline <= millis else line
    return line


def rests_ended_by(line: Waitlist, millis: int) -> Waitlist:
    """End the rests and delays whose time has come."""
    for name, stay in line.stays:
        if 0 < stay.rests_until_millis <= millis:
            line = line.change(name, rests_until_millis=0)
        if 0 < stay.delayed_until_millis <= millis:
            line = line.change(name, delayed_until_millis=0)
    return line


def by_itself(line: Waitlist) -> Waitlist:
    """End the expired holds of a list with a policy or a quota, and offer the places due."""
    if line.policy is None and not line.slots:
        return line
    return policy_run(all_expired(line, only_over=True))


def subsets(names: list[str]) -> Iterator[list[str]]:
    """Yield every subset of the names."""
    for bits in range(2 ** len(names)):
        yield [name for number, name in enumerate(names) if bits >> number & 1]


def free_rank(line: Waitlist, name: str, rank: Place) -> Place:
    """Return the place, or the nearest one ahead of it that no other waiting entry has."""
    taken = {line.by_name[other].rank for other in line.of("waiting") if other != name}
    while rank in taken:
        rank -= 1
    return rank


def _ahead_of(line: Waitlist, name: str) -> Place:
    """Return the place between an entry and the next entry ahead of it."""
    rank = line.by_name[name].rank
    begin = (rank + ROOM) // TIER * TIER - ROOM  # the room ahead of the priority's first ticket
    others = [line.by_name[other].rank for other in line.of(*ON_LIST)]
    nearest = max([other for other in others if begin < other < rank], default=begin)
    return Fraction(nearest + rank, 2)
