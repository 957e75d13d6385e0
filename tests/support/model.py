"""A model of a waitlist in plain Python, without concurrency: entries, queue, offers, counters and
histories.

The model checker and the property tests compare the service with this model.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations, zip_longest
from typing import Literal

from waitlist_shared.contracts import AfterMisses, DelayReason, NoShow, Unanswered
from waitlist_shared.ranks import ROOM, TIER, priority_of

# Places are fractions, so there is always a free place between any two.
Place = Fraction | int
State = Literal["joining", "waiting", "offered", "parked", "admitted", "left"]
ASIDE: tuple[State, ...] = ("offered", "parked")
ENDED: tuple[State, ...] = ("left", "admitted")
ON_LIST: tuple[State, ...] = ("waiting", *ASIDE)
# A question to a customer: are you still waiting? If no answer comes in time, the value becomes
# `over`, and then `noted` once the customer's history says so.
Question = Literal["", "asked", "to remind", "over", "noted", "closed"]
# The distance between the places of two consecutive signups.
GAP = 2**24
AT_BACK = 255 * TIER
# The place of an imported customer who joined early, between the second and the third signup.
EARLY = AT_BACK + 2 * GAP + GAP // 2
# The distance between the places of two import rows without an early `joined_at`.
APART = 8
MAX_ATTEMPTS = 3


@dataclass(frozen=True)
class Stay:
    """A customer's stay on the waitlist, from signing up until they leave or enter."""

    state: State
    rank: Place
    # The place that the entry got when the customer signed up.
    ticket: Place = 0
    attempts: int = 0
    # The entry's latest claim.
    hold: str = ""
    # How the worker or an operator ended the latest claim.
    hold_end: str = ""
    # Whether the claim was extended.
    is_long: bool = False
    # Whether the claim or offer has expired although Redis has not ended it yet.
    is_over: bool = False
    # Whether the customer must accept the claim or offer.
    is_offer: bool = False
    # The slot that was used for an offer.
    paid: str = ""
    # Whether the admission still counts towards the capacity.
    is_aside: bool = False
    # Whether Redis counts the admitted customer as inside.
    is_inside: bool = False
    # Whether DynamoDB has recorded an exit that Redis does not know about yet.
    has_exited: bool = False
    # When the claim or the pass ends, or when the customer was parked. Set only in tests with a
    # clock.
    time_millis: int = 0
    rests_until_millis: int = 0
    delayed_until_millis: int = 0
    # An entry is delayed after a release or a decline.
    delay_reason: DelayReason = "delayed"
    declines: int = 0
    # A customer who is held back keeps their place, but gets no offer.
    is_held_back: bool = False
    # A signup with an unverified address does not count in other people's positions.
    is_unverified: bool = False
    # The customer's last poll, at `polled_at` (in seconds), is so long ago that the customer counts
    # as away.
    is_away: bool = False
    polled_at: int | None = None
    question: Question = ""
    # The latest claim before the customer was asked whether they were still waiting.
    asked_hold: str = ""
    # The idempotency key of the signup, import or reinstatement.
    key: str = ""
    is_reinstated: bool = False
    has_number: bool = False
    # The earlier stay, which the current signup or import will replace once it is finished.
    former: "Stay | None" = None

    @property
    def is_ready(self) -> bool:
        return not (
            self.rests_until_millis
            or self.delayed_until_millis
            or self.is_held_back
            or self.is_unverified
            or self.is_away
        )

    @property
    def may_be_admitted(self) -> bool:
        """Whether an operator may make the customer an offer.

        Operators may also admit customers who are away.
        """
        return replace(self, is_away=False).is_ready

    @property
    def is_asked(self) -> bool:
        return self.question not in ("", "closed")


@dataclass(frozen=True)
class Event:
    """An event in a customer's history. `hold` names the claim that caused it, if any."""

    word: str
    by: str
    reason: str = ""
    hold: str = ""


# Changes that the service writes to DynamoDB first and then sends to Redis.
OF_QUESTIONS = ("asked", "reminded", "confirmed", "unanswered")
OF_RECORD = ("held_back", "ready", "rested", "resumed", *OF_QUESTIONS)
CUSTOMER, OPERATOR, MAINTENANCE, POLICY = "customer", "operator", "maintenance", "policy"
NO_SHOW = "no_show"
UNANSWERED = "unanswered"
OVER = "over"
# The events of customers whom Redis has removed from the queue, but whose DynamoDB records
# maintenance has not updated yet.
LEFT_LATER = (Event("left", POLICY, NO_SHOW), Event("left", MAINTENANCE, UNANSWERED))


QUOTA, RATE, SCHEDULE = "quota", "rate", "schedule"


@dataclass(frozen=True)
class Policy:
    """A waitlist's admission policy.

    Without a limit, a schedule or a rate, only operators make offers.
    """

    max_inside: int | None = None
    # How many offers each scheduled time allows.
    scheduled: int = 0
    # True if the policy lets one person enter a day. Offers that are not accepted do not count.
    has_rate: bool = False
    no_show: NoShow = "keep_place"
    # After this many missed offers, `after_misses` applies instead of `no_show`.
    misses: int | None = None
    after_misses: AfterMisses = "leave"
    # How many offers a customer can decline and still keep their place.
    declines_kept: int = 0
    # How many seconds after the last poll a customer counts as away.
    presence_seconds: int | None = None
    end: Literal["", "ahead", "over"] = ""
    # Whether the service removes the customers who are still waiting when admissions end.
    leaves_then: bool = False

    @property
    def slots(self) -> tuple[str, ...]:
        return (RATE,) * self.has_rate + (SCHEDULE,) * self.scheduled


@dataclass(frozen=True)
class Waitlist:
    """The state of a waitlist: all stays by name, counters, and the requests that must not take
    effect twice.
    """

    stays: frozenset[tuple[str, Stay]] = frozenset()
    done: frozenset[str] = frozenset()
    tickets: int = 0
    # The status that each import has read for each name.
    looked: frozenset[tuple[str, str, str]] = frozenset()
    # The place that each import has reserved for each name but not yet used.
    drawn: frozenset[tuple[str, str, int]] = frozenset()
    # How many places were reserved for rows with an early `joined_at`.
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
    # With `opens`, the waitlist is closed now and opens later. With `closes`, it is open now and
    # closes later.
    hours: Literal["open", "opens", "closes", "shut"] = "open"
    # What happens to a customer who does not confirm that they are still waiting. None means that
    # customers are never asked.
    then: Unanswered | None = "park"
    # Whether each customer who joins gets a call number.
    has_numbers: bool = False
    # The slots (permissions for one offer) that can be used now, in the order of their use.
    slots: tuple[str, ...] = ()
    # Whether Redis may have lost its slots, and which slot each open offer has used.
    may_lose: bool = False
    # The customers' histories by name. In long runs that do not check histories, this field is
    # empty.
    events: frozenset[tuple[str, tuple[Event, ...]]] = frozenset()
    has_histories: bool = True
    by_name: dict[str, Stay] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", dict(self.stays))

    def stay(self, name: str) -> Stay | None:
        return self.by_name.get(name)

    def of(self, *states: State) -> list[str]:
        found = [(stay.rank, name) for name, stay in self.stays if stay.state in states]
        return [name for _, name in sorted(found)]

    @property
    def is_over(self) -> bool:
        return self.policy is not None and self.policy.end == "over"

    @property
    def room(self) -> int | None:
        """How many offers `max_inside` still allows.

        None means that there is no limit.
        """
        if self.policy is None or self.policy.max_inside is None:
            return None
        inside = [stay for _, stay in self.stays if _counts_as_inside(stay)]
        return max(0, self.policy.max_inside - len(inside) - len(self.of("offered")))

    def claimable(self, count: int) -> int:
        claims = [name for name in self.of("offered") if not self.by_name[name].is_offer]
        return (
            count if self.max_claims is None else min(count, max(0, self.max_claims - len(claims)))
        )

    def next_ones(self, count: int | None = None, *, newest: bool = False) -> list[str]:
        """Return the entries that the next claim or offer takes.

        If `newest` is true, they come from the end of the queue.
        """
        ready = [name for name in self.of("waiting") if self.by_name[name].is_ready]
        return (ready[::-1] if newest else ready)[:count]

    def counted(self, name: str = "") -> list[str]:
        """Return the waiting entries that count in the position of the entry `name`.

        Entries with an unverified address are left out, except for the entry `name` itself.
        """
        line = self.of("waiting")
        return [other for other in line if other == name or not self.by_name[other].is_unverified]

    def position(self, name: str) -> int | None:
        line = self.counted(name)
        return line.index(name) + 1 if name in line else None

    def put(self, name: str, stay: Stay) -> "Waitlist":
        others = dict(self.stays) | {name: stay}
        return replace(self, stays=frozenset(others.items()))

    def change(self, name: str, **changes: object) -> "Waitlist":
        return self.put(name, replace(self.by_name[name], **changes))  # type: ignore[arg-type]

    def forget(self, name: str) -> "Waitlist":
        return replace(self, stays=frozenset(pair for pair in self.stays if pair[0] != name))

    def erase(self, name: str) -> "Waitlist":
        line = given_back(self, name).forget(name)
        return replace(line, events=frozenset(pair for pair in self.events if pair[0] != name))

    def history(self, name: str) -> tuple[Event, ...]:
        return dict(self.events).get(name, ())

    def happened(
        self, name: str, word: str, by: str, reason: str = "", hold: str = ""
    ) -> "Waitlist":
        events = (*self.history(name), Event(word, by, reason, hold))
        return replace(self, events=frozenset((dict(self.events) | {name: events}).items()))

    def note(self, request: str) -> "Waitlist":
        """Remember a request that must not take effect again when it is repeated."""
        return replace(self, done=self.done | {request})

    def draw(self) -> tuple["Waitlist", int]:
        line = replace(self, tickets=self.tickets + 1)
        return line, AT_BACK + line.tickets * GAP

    def look(self, key: str, seen: dict[str, str]) -> "Waitlist":
        """Remember the statuses that an import has read."""
        others = frozenset(seen for seen in self.looked if seen[0] != key)
        return replace(self, looked=others | {(key, name, word) for name, word in seen.items()})

    def keep(self, key: str, drawn: dict[str, int]) -> "Waitlist":
        """Remember the places that an import has reserved but not used yet."""
        others = frozenset(place for place in self.drawn if place[0] != key)
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
    """Remember that a signup was refused because the waitlist was not open, so that a retry is
    refused too.
    """
    return line if line.is_full else line.note(f"{name} with {key} was refused")


def was_refused(line: Waitlist, name: str, key: str) -> bool:
    return f"{name} with {key} was refused" in line.done


def hours_passed(line: Waitlist) -> Waitlist:
    match line.hours:
        case "opens":
            return replace(line, hours="open")
        case "closes":
            return replace(line, hours="shut")
        case _:
            return line


def _counts_as_inside(stay: Stay) -> bool:
    """Return whether Redis counts the customer as inside.

    Someone who is inside and signs up again stays inside until the new signup is in the queue.
    """
    if stay.state == "joining" and stay.former is not None:
        return _counts_as_inside(stay.former)
    return stay.is_inside


def joined(line: Waitlist, name: str, key: str) -> Waitlist:
    line, rank = line.draw()
    stay = Stay("waiting", rank, ticket=rank, key=key, has_number=line.has_numbers)
    line = line.put(name, stay).happened(name, "joined", CUSTOMER)
    return replace(line, signed_up=line.signed_up + 1)


def signup_finished(line: Waitlist, name: str) -> Waitlist:
    """Finish an interrupted signup.

    If the waitlist no longer accepts signups, the signup is cancelled.
    """
    stay = line.stay(name)
    if stay is None or stay.state != "joining" or stay.rank:
        return line
    line = _not_joined(line, name)
    return joined(line, name, stay.key) if line.takes_signups else refused(line, name, stay.key)


def intent_finished(line: Waitlist, name: str) -> Waitlist:
    stay = line.stay(name)
    if stay is None or stay.state != "joining":
        return line
    return enlisted(line, name) if stay.rank else signup_finished(line, name)


def drawn_for(line: Waitlist, people: list[tuple[str, bool]]) -> tuple[Waitlist, dict[str, int]]:
    """Reserve places in the queue for an import's rows.

    Rows with an early `joined_at` get places among the early signups.
    """
    line, back = line.draw()
    drawn = {}
    for name, is_early in people:
        drawn[name] = EARLY + line.early if is_early else back
        line = replace(line, early=line.early + is_early)
        back += 0 if is_early else APART
    return line, drawn


def enlisted(line: Waitlist, name: str) -> Waitlist:
    """Put a customer into the queue at the recorded rank, unless the waitlist is full.

    If the rank is taken, an imported customer gets the next free rank behind it, and a reinstated
    customer gets the next free rank ahead of it.
    """
    stay = line.by_name[name]
    if line.is_full:
        return _not_joined(line, name)
    rank, ticket = stay.rank, stay.rank
    ranks = {line.by_name[other].rank for other in line.of("waiting")}
    while rank in ranks:
        rank += -1 if stay.is_reinstated else 1
    # A reinstated customer gets their old call number back.
    had_number = stay.is_reinstated and stay.former is not None and stay.former.has_number
    has_number = line.has_numbers or had_number
    line = line.change(name, state="waiting", rank=rank, ticket=ticket, has_number=has_number)
    line = line.happened(name, "reinstated" if stay.is_reinstated else "joined", OPERATOR)
    return replace(line, signed_up=line.signed_up + 1)


def _not_joined(line: Waitlist, name: str) -> Waitlist:
    former = line.by_name[name].former
    return line.put(name, former) if former else line.forget(name)


def _has_open_offer(stay: Stay) -> bool:
    return stay.state == "offered" and stay.is_offer


def declined(line: Waitlist, name: str) -> Waitlist:
    is_open = _has_open_offer(line.by_name[name])
    return replace(line, declined=line.declined + is_open)


def ended(
    line: Waitlist,
    name: str,
    state: Literal["left", "admitted"],
    by: str = OPERATOR,
    reason: str = "",
) -> Waitlist:
    """End a customer's signup and count it.

    On a waitlist with an admission policy, an admitted customer is inside afterwards.
    """
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
    """Record a departure that a request wrote to DynamoDB before maintenance did.

    The customer has already left in Redis. The request's event says who made the customer leave and
    why, and replaces the event that maintenance would have written.
    """
    events = line.history(name)
    if not is_leaving(line, name):
        return line
    own = (*events[:-1], Event("left", by, reason))
    return replace(line, events=frozenset((dict(line.events) | {name: own}).items()))


def is_leaving(line: Waitlist, name: str) -> bool:
    """Return whether the customer has left in Redis.

    DynamoDB may not show this until maintenance runs.
    """
    return line.history(name)[-1:] in [(event,) for event in LEFT_LATER]


def asked(line: Waitlist, name: str, by: str) -> Waitlist:
    line = line.change(name, question="asked", asked_hold=line.by_name[name].hold)
    return line.happened(name, "asked", by)


def answered(line: Waitlist, name: str) -> Waitlist:
    return line.change(name, question="closed") if line.by_name[name].is_asked else line


def noted(line: Waitlist, name: str) -> Waitlist:
    """Record that a customer did not confirm in time that they are still waiting. A later answer is
    refused.
    """
    return line.change(name, question="noted").happened(name, UNANSWERED, MAINTENANCE)


def may_end_wait(line: Waitlist, stay: Stay) -> bool:
    """Return whether a customer is parked or removed for not confirming that they are still
    waiting.

    If the customer was claimed after being asked, maintenance asks again instead.
    """
    return line.then is not None and stay.hold == stay.asked_hold


def question_followed(line: Waitlist) -> Iterator[Waitlist]:
    """Yield each state that the next step of maintenance can lead to.

    A step concerns one customer who was asked whether they are still waiting. Maintenance reminds
    the customer, records a missing answer, or parks or removes the customer. If the customer got a
    claim or an offer after the question, maintenance asks again.
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
    following = list(question_followed(line))
    for next_line in following:
        yield from questions_followed(next_line)
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
    """Claim entries.

    If `at_once` is true, the customers are admitted immediately and their histories contain no
    `offered` event.
    """
    for name in names:
        line = line.change(
            name, state="offered", hold=hold, hold_end="", is_long=False, is_offer=False
        )
        line = line if at_once else line.happened(name, "offered", OPERATOR, hold=hold)
    return line


def offered(
    line: Waitlist, names: list[str], hold: str, by: str, slots: tuple[str, ...] = ()
) -> Waitlist:
    for name, paid in zip_longest(names, slots[: len(names)], fillvalue=""):
        line = line.change(
            name, state="offered", hold=hold, hold_end="", is_long=False, is_offer=True, paid=paid
        )
        line = line.happened(name, "offered", by)
    return line


# The time of a poll so long ago that the customer counts as away.
LONG_AGO = -(10**9)


def polled(line: Waitlist, name: str, second: int) -> Waitlist:
    return line.change(name, is_away=False, polled_at=second)


def passed_over(line: Waitlist, count: int, second: int = 0) -> Waitlist:
    """Mark customers who last polled too long ago as away, until `count` present customers are
    found.
    """
    seconds = line.policy.presence_seconds if line.policy else None
    present = 0
    for name in line.next_ones():
        at = line.by_name[name].polled_at
        if present == count or seconds is None:
            return line
        if at is not None and second - at > seconds:
            line = line.change(name, is_away=True)
        else:
            present += 1
    return line


def policy_run(line: Waitlist, most: int | None = None, second: int = 0) -> Waitlist:
    """Make the offers that the admission policy or a quota allows now.

    Each offer uses a slot (permission for one offer). If the policy's only limit is `max_inside`,
    there are no slots.
    """
    due, room = line.slots, line.room
    if line.policy and not line.policy.slots:
        due = (*due, *[""] * (room or 0))
    count = 0 if line.is_over else len(due[:room][:most])
    line = passed_over(line, count, second)
    taken = line.next_ones(count)
    line = replace(line, slots=line.slots[len(taken) :])
    return offered(line, taken, POLICY, POLICY, due)


def given_back(line: Waitlist, name: str) -> Waitlist:
    paid = line.by_name[name].paid if name in line.by_name else ""
    if not paid:
        return line
    return replace(line.change(name, paid=""), slots=tuple(sorted((*line.slots, paid))))


def slots_lost(line: Waitlist) -> Waitlist:
    """Forget what only Redis stores: slots and poll times.

    Customers whose last poll is unknown count as present.
    """
    for name, _ in line.stays:
        line = line.change(name, paid="", is_away=False, polled_at=None)
    return replace(line, slots=())


def back_in_line(line: Waitlist, name: str, to: str, **changes: object) -> Waitlist:
    line = given_back(line, name)
    rank = line.by_name[name].rank
    if to == "back":
        line, rank = line.draw()
    rank = free_rank(line, name, rank)
    return line.change(name, state="waiting", rank=rank, is_over=False, **changes)


def back_after_decline(
    line: Waitlist, name: str, until_millis: int = 1, **changes: object
) -> Waitlist:
    """Put a customer who has declined an offer back into the queue.

    A customer who keeps their place gets no other offer until `until_millis`.
    """
    declines = line.by_name[name].declines + 1
    keeps_place = line.policy is not None and declines <= line.policy.declines_kept
    to = "place" if keeps_place else "back"
    line = back_in_line(line, name, to, declines=declines, **changes)
    if not keeps_place:
        return line
    return line.change(name, delayed_until_millis=until_millis, delay_reason="declined")


def moved(line: Waitlist, name: str, kind: str, value: int | str) -> Waitlist:
    """Move a customer in the queue.

    If `kind` is `priority`, `value` is the new priority. Otherwise, `value` is a number of places,
    `front` or `back`.
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
        other
        for other in line.of("waiting")
        if priority_of(int(line.by_name[other].rank)) == own_priority
    ]
    index = waiting.index(name)
    places = index if value == "front" else min(int(value), index)
    if not places:
        return line
    return line.change(name, rank=_ahead_of(line, waiting[index - places]))


def expired(line: Waitlist, name: str) -> Waitlist:
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
    line = given_back(line, name).happened(name, NO_SHOW, POLICY)
    line = replace(line, no_shows=line.no_shows + 1)
    policy = line.policy or Policy(no_show="to_back")
    attempts = line.by_name[name].attempts
    attempts += policy.misses is not None or policy.no_show == "keep_place"
    after: str = policy.no_show
    if policy.misses is not None:
        after = policy.after_misses if attempts >= policy.misses else after
    elif after == "keep_place" and attempts >= MAX_ATTEMPTS:
        after = "park"
    if after == "leave":
        return ended(line.change(name, attempts=attempts), name, "left", POLICY, NO_SHOW)
    if after == "park":
        line = line.happened(name, "parked", MAINTENANCE, "max_attempts")
        return line.change(name, state="parked", attempts=attempts, is_over=False)
    to = "back" if after == "to_back" else "place"
    return back_in_line(line, name, to, attempts=attempts)


def all_expired(line: Waitlist, *, only_over: bool = False) -> Waitlist:
    for name in line.of("offered"):
        if line.by_name[name].is_over or not only_over:
            line = expired(line, name)
    return line


def admission_ended(line: Waitlist) -> Waitlist:
    policy = line.policy
    if policy is None or policy.end != "ahead":
        return line
    for name in line.of("offered"):
        if line.by_name[name].is_offer:
            line = line.change(name, is_over=True)
    return replace(line, policy=replace(policy, end="over"))


def all_left(line: Waitlist) -> Waitlist:
    if line.policy is None or not (line.is_over and line.policy.leaves_then):
        return line
    for name in line.of("waiting"):
        line = ended(line, name, "left", MAINTENANCE, OVER)
    return line


def all_over(line: Waitlist) -> Iterator[Waitlist]:
    """Yield the possible states after all claims and offers have ended.

    The model does not know when each claim began, so it tries every order in which they can end.
    """
    holds = {line.by_name[name].hold for name in line.of("offered")}
    for order in permutations(sorted(holds)):
        ended = line
        for hold in order:
            for name in line.of("offered"):
                ended = expired(ended, name) if line.by_name[name].hold == hold else ended
        ended = policy_run(admission_ended(ended))
        yield from map(all_left, questions_followed(ended))


def expired_by(line: Waitlist, millis: int, in_order: Callable[[str], str] = str) -> Waitlist:
    """End the claims and offers whose deadline has passed, earliest deadline first and then lowest
    rank first.
    """
    held = [(line.by_name[name], name) for name in line.of("offered")]
    over = [(stay.time_millis, stay.rank, in_order(name), name) for stay, name in held]
    for deadline, *_, name in sorted(over):
        line = expired(line, name) if deadline <= millis else line
    return line


def rests_ended_by(line: Waitlist, millis: int) -> Waitlist:
    for name, stay in line.stays:
        if 0 < stay.rests_until_millis <= millis:
            line = line.change(name, rests_until_millis=0)
        if 0 < stay.delayed_until_millis <= millis:
            line = line.change(name, delayed_until_millis=0)
    return line


def by_itself(line: Waitlist) -> Waitlist:
    """End expired claims and offers, and make new offers.

    If the waitlist has a policy or a quota, Redis does both by itself.
    """
    if line.policy is None and not line.slots:
        return line
    return policy_run(all_expired(line, only_over=True))


def subsets(names: list[str]) -> Iterator[list[str]]:
    for bits in range(2 ** len(names)):
        yield [name for number, name in enumerate(names) if bits >> number & 1]


def free_rank(line: Waitlist, name: str, rank: Place) -> Place:
    """Return the rank if it is free, and otherwise the nearest free rank ahead of it."""
    taken = {line.by_name[other].rank for other in line.of("waiting") if other != name}
    while rank in taken:
        rank -= 1
    return rank


def _ahead_of(line: Waitlist, name: str) -> Place:
    rank = line.by_name[name].rank
    # `begin` is the lowest rank with the same priority. Ranks between `begin` and the first signup
    # are for entries that are moved to the front.
    begin = (rank + ROOM) // TIER * TIER - ROOM
    others = [line.by_name[other].rank for other in line.of(*ON_LIST)]
    nearest = max([other for other in others if begin < other < rank], default=begin)
    return Fraction(nearest + rank, 2)
