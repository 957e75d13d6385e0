"""Compares the data in DynamoDB and Redis with the data that must be there, according to the
responses to all requests.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from tests.reliability.model.client import (
    LEASE_SECONDS,
    NAMES,
    PASS_SECONDS,
    WAITLIST_ID,
    Tokens,
    id_of,
)
from tests.reliability.model.final_state import FinalState
from tests.support.model import (
    MAINTENANCE,
    OF_RECORD,
    ON_LIST,
    POLICY,
    QUOTA,
    Event,
    Stay,
    Waitlist,
)
from tests.support.problem import Problem
from waitlist_api.records.entry import ended_place, line_place, shard_of

EDITED, EXPIRED = "edited", "expired"
LONGEST_CLAIM_MILLIS = 15 * 60_000
# The longest time that a request takes. Some faults let two minutes pass within a request, so that
# maintenance runs in the meantime.
LONGEST_REQUEST_MILLIS = 150_000
STATE_OF_NOTE = {
    "held": "offered",
    "offered": "offered",
    "no_show": "leaving",
    "parked": "parked",
    "done": "admitted",
}


def judge(
    ends: Iterable[Waitlist],
    found: FinalState,
    tokens: Tokens,
    answered: frozenset[str] = frozenset(),
) -> list[Problem]:
    """Return the differences between the stored data and the correct outcome.

    If a race has several correct outcomes, use the one that fits the stored data best. For the
    events in `answered`, the history must say who made the change and why.
    """
    verdicts = [list(_problems(line, found, tokens, answered)) for line in ends]
    return min(verdicts, key=_weight)


def _weight(found: list[Problem]) -> tuple[int, int]:
    return sum(one.kind not in ("counter", "history") for one in found), len(found)


def _problems(
    line: Waitlist, found: FinalState, tokens: Tokens, answered: frozenset[str]
) -> Iterator[Problem]:
    for name in NAMES.values():
        stay = line.stay(name)
        # A claim whose response reached no client ends at its deadline. DynamoDB may or may not
        # have recorded its end.
        is_claimed = bool(stay and stay.hold and not stay.is_offer)
        is_unheard = bool(stay and is_claimed and name not in tokens.get(stay.hold, {}))
        yield from _in_redis(name, stay, found, is_unheard)
        yield from _in_record(name, stay, found, is_unheard)
        yield from _history(name, line, found, tokens, answered)
        yield from _stamps(name, found)
        if stay is not None and stay.state in ON_LIST:
            yield from _agreement(name, stay, found, is_unheard)
            yield from _readiness(name, stay, found)
            yield from _number(name, stay, found)
            yield from _holds(name, stay, found, tokens)
    yield from _order(line, found)
    yield from _counters(line, found)
    yield from _inside(line, found)
    yield from _slots(line, found)
    yield from _segments(found)
    yield from _invitations(found)
    yield from _left_over(found)
    for number, count in found.numbers.items():
        if count > 1:
            yield Problem("number", f"{count} customers got the number {number}")


def _in_redis(
    name: str, stay: Stay | None, found: FinalState, is_unheard: bool
) -> Iterator[Problem]:
    """Redis has each entry exactly once, in the right state, and no other entries."""
    note = found.notes.get(name)
    places = [
        *(["waiting"] if name in found.line else []),
        *([STATE_OF_NOTE[note.state]] if note else []),
    ]
    expected = [stay.state] if stay and stay.state in ON_LIST else []
    if stay and stay.state == "admitted" and places in (["admitted"], ["offered"] * is_unheard):
        places = []
    if places == expected:
        return
    kind = "elsewhere" if expected else "revived"
    if len(places) != 1:
        kind = "twice" if places else "lost"
    yield Problem(kind, f"in Redis, {name} is {places}, not {expected}")


def _in_record(
    name: str, stay: Stay | None, found: FinalState, is_unheard: bool
) -> Iterator[Problem]:
    record = found.records.get(name)
    status = record["status"] if record else None
    if stay is None:
        if name in found.traces:
            yield Problem("trace", f"{name} was erased, but DynamoDB still contains {record}")
        return
    also = ["waiting"] if stay.state == "offered" and is_unheard else []
    if status not in [stay.state, *also]:
        yield Problem("record", f"in DynamoDB, {name} is {status}, not {stay.state}")
    if found.admissions[name] > found.signups[name]:
        yield Problem("twice", f"{name} was admitted more often than they signed up")
    if record is not None and record.get("place") != _index_place(name, str(status)):
        yield Problem("index", f"{name} is {status}, but the index has {record.get('place')}")


def _history(
    name: str, line: Waitlist, found: FinalState, tokens: Tokens, answered: frozenset[str]
) -> Iterator[Problem]:
    """The history contains each change once and in order.

    Events in OF_RECORD may appear too early, because their time is taken before the record is
    written.
    """
    of_record = [event for event in line.history(name) if event.word in OF_RECORD]
    expected = tuple(event for event in line.history(name) if event.word not in OF_RECORD)
    found_ones = [event for event in found.histories.get(name, ()) if event.word != EDITED]
    recorded = tuple(event for event in found_ones if event.word not in OF_RECORD)
    if Counter(of_record) != Counter(event for event in found_ones if event.word in OF_RECORD):
        yield Problem("history", f"the history of {name} is {found_ones}, not {of_record}")

    def may_lack(event: Event) -> bool:
        # If no client received a claim's token, the history may be missing the end of this claim
        # and of the claim before it.
        is_before = event.word == EXPIRED and expected[-2:-1] == (event,) and may_lack(expected[-1])
        return is_before or (bool(event.hold) and name not in tokens.get(event.hold, {}))

    if not _explains(expected, recorded, answered, may_lack):
        words = [_words(event) for event in expected]
        yield Problem(
            "history", f"the history of {name} is {[*map(_words, recorded)]}, not {words}"
        )


def _stamps(name: str, found: FinalState) -> Iterator[Problem]:
    """An entry's events all have different stamps (logical timestamps), and its next event gets a
    higher one.
    """
    stamps, record = found.stamps.get(name, ()), found.records.get(name)
    if len(set(stamps)) < len(stamps):
        yield Problem("stamp", f"two events of {name} have the same stamp: {stamps}")
    stored = record or {}
    known = max(stored.get("stamp", 0), stored.get("changes", {}).get("edited_stamp", 0))
    if record is not None and stamps and stamps[-1] > known:
        yield Problem("stamp", f"{name} has the event {stamps[-1]}, but the record has {known}")


def _explains(
    expected: tuple[Event, ...],
    recorded: tuple[Event, ...],
    answered: frozenset[str],
    may_lack: Callable[[Event], bool],
) -> bool:
    if not expected:
        return not recorded
    first, rest = expected[0], expected[1:]
    if may_lack(first) and _explains(rest, recorded, answered, may_lack):
        return True
    return (
        bool(recorded)
        and _is_recorded(first, recorded[0], answered)
        and _explains(rest, recorded[1:], answered, may_lack)
    )


def _is_recorded(event: Event, recorded: Event, answered: frozenset[str]) -> bool:
    """If a request got no response, maintenance may have recorded its event."""
    is_own = (event.by, event.reason) == (recorded.by, recorded.reason)
    is_found = recorded.by in (MAINTENANCE, POLICY) and event.word not in answered
    return event.word == recorded.word and (is_own or is_found)


def _words(event: Event) -> str:
    return " ".join(filter(None, (event.word, event.by, event.reason)))


def _index_place(name: str, status: str) -> str:
    shard = shard_of(id_of(name))
    place = line_place if status in ON_LIST else ended_place
    return place(WAITLIST_ID, shard)


def _agreement(name: str, stay: Stay, found: FinalState, is_unheard: bool) -> Iterator[Problem]:
    """DynamoDB and Redis agree on each entry's rank (sort key) and number of attempts."""
    record = found.records.get(name, {})
    note = found.notes.get(name)
    rank = found.line.get(name, note.rank if note else None)
    if rank is not None and record.get("rank") != rank:
        yield Problem("rank", f"{name}: Redis has {rank}, DynamoDB has {record.get('rank')}")
    in_redis = note.attempts if note else found.tries.get(name, 0)
    recorded = int(record.get("hold", {}).get("attempts", 0))
    if is_unheard and stay.state == "offered":
        recorded = in_redis
    if not in_redis == recorded == stay.attempts:
        expected = f"{in_redis} in Redis, {recorded} in DynamoDB, {stay.attempts} expected"
        yield Problem("attempts", f"attempts of {name}: {expected}")
    if int(record.get("stamp", 0)) > found.last_ticket:
        yield Problem("ticket", f"the next signup may get a place ahead of {name}")


def _readiness(name: str, stay: Stay, found: FinalState) -> Iterator[Problem]:
    """Claims and offers skip exactly the waiting entries that are not ready for admission."""
    if (name in found.passed_over) != (stay.state == "waiting" and not stay.is_ready):
        yield Problem("readiness", f"claims skip {name}: {name in found.passed_over}")
    record, reasons = found.records.get(name, {}), found.reasons.get(name, "")
    in_redis = tuple(reason in reasons for reason in ("held_back", stay.delay_reason, "resting"))
    expected = (stay.is_held_back, bool(stay.delayed_until_millis), bool(stay.rests_until_millis))
    pauses, question = record.get("pauses", {}), record.get("question", {})
    delayed = record.get("hold", {}).get("delayed_until_millis")
    ends = (pauses.get("held_back"), delayed, pauses.get("rest_until_millis"))
    recorded = tuple(map(bool, ends))
    if not in_redis == recorded == expected:
        yield Problem("readiness", f"{name}: Redis has {reasons}, DynamoDB has {recorded}")
    deadline = question.get("confirm_by_millis")
    asked = (stay.is_asked, stay.question == "noted")
    if found.questions.get(name) != deadline or asked != (bool(deadline), "unanswered" in question):
        yield Problem("question", f"{name}: {stay.question}, {found.questions}, {deadline}")


def _number(name: str, stay: Stay, found: FinalState) -> Iterator[Problem]:
    number = found.records.get(name, {}).get("joined", {}).get("call_number", "")
    if stay.has_number and not found.numbers[number]:
        yield Problem(
            "number", f"{name} has the number {number!r}, but the history has {found.numbers}"
        )


def _holds(name: str, stay: Stay, found: FinalState, tokens: Tokens) -> Iterator[Problem]:
    """A claim's token is valid until the claim's deadline, even if Redis has lost its data."""
    hold = found.records.get(name, {}).get("hold", {})
    if stay.state == "parked":
        at, recorded = found.parked.get(name), hold.get("parked_millis")
        if at != recorded:
            yield Problem(
                "parked", f"{name} was parked at {at} in Redis, at {recorded} in DynamoDB"
            )
    token = tokens.get(stay.hold, {}).get(name)
    note = found.notes.get(name)
    if stay.state != "offered" or note is None:
        return
    if stay.is_offer:
        # A customer is not told their offer's token. Only the record contains it.
        token = note.token
    if token is None or note.state not in ("held", "offered"):
        return
    if {note.state == "offered", bool(hold.get("is_offer"))} != {stay.is_offer}:
        yield Problem("hold", f"{name} is {note.state} in Redis, but DynamoDB has {hold}")
    if token != note.token or token != hold.get("token"):
        yield Problem("hold", f"the claim token of {name} is no longer valid")
    deadline = found.held.get(name, 0)
    if deadline != hold.get("until_millis"):
        yield Problem("hold", f"{name} has different deadlines in Redis and in DynamoDB")
    if stay.is_long != (deadline > found.now_millis + LEASE_SECONDS * 1000):
        yield Problem("hold", f"{name} should have a long deadline: {stay.is_long}")


def _order(line: Waitlist, found: FinalState) -> Iterator[Problem]:
    expected = line.of("waiting")
    if set(found.order) == set(expected) and found.order != expected:
        yield Problem("order", f"the order is {found.order}, not {expected}")
    for place, name in enumerate(found.order, start=1):
        recorded = found.views[name]
        heard = (getattr(recorded, "outcome", recorded), getattr(recorded, "position", None))
        if heard != ("waiting", place) or recorded.total != len(found.line):
            yield Problem("position", f"{name} is number {place}, but the response is {recorded}")


# The counters that both the model and the private function have.
COUNTERS = ("signed_up", "left", "admitted", "entered", "declined", "no_shows")


def _counters(line: Waitlist, found: FinalState) -> Iterator[Problem]:
    counted = getattr(found.stats, "counters", None)
    if counted is None:
        yield Problem("cold", f"instead of counts, the response is {found.stats!r}")
        return
    seen = [getattr(counted, name) for name in COUNTERS]
    expected = [getattr(line, name) for name in COUNTERS]
    # After Redis has lost its data, the counters may be missing the last minute. An operation that
    # was running at the time may be counted twice.
    if found.is_first_life and seen != expected:
        yield Problem("counter", f"{', '.join(COUNTERS)}: {seen}, not {expected}")
    shown = (found.stats.waiting, found.stats.offered, found.stats.parked)
    if shown != (len(found.line), len(found.held), len(found.parked)):
        yield Problem("counter", f"counts of waiting, offered and parked: {shown}")


def _inside(line: Waitlist, found: FinalState) -> Iterator[Problem]:
    """For each customer who is inside, Redis has the recorded end of their pass."""
    expected = {name for name, stay in line.stays if stay.is_inside}
    if found.inside.keys() != expected:
        yield Problem("inside", f"inside are {sorted(found.inside)}, not {sorted(expected)}")
    if getattr(found.stats, "inside", None) != len(found.inside):
        yield Problem("inside", f"{found.inside} are inside, but the counts are {found.stats}")
    for name, until in found.inside.items():
        record = found.records.get(name, {})
        end = record.get("end", {})
        recorded = end.get("inside_until_millis")
        if record.get("status") != "admitted":
            continue
        # Some claims admit their entries at once. DynamoDB then records when the request began.
        if recorded is None or abs(until - recorded) > LONGEST_CLAIM_MILLIS:
            yield Problem("inside", f"{name} is inside until {until}, but DynamoDB has {recorded}")
            continue
        # From this time on, the customer can get the admission pass.
        since = end["admitted_millis"]
        if recorded - since < PASS_SECONDS * 1000 - LONGEST_REQUEST_MILLIS:
            yield Problem("inside", f"the pass of {name} is only valid from {since} to {recorded}")


def _slots(line: Waitlist, found: FinalState) -> Iterator[Problem]:
    """A slot is a permission for one offer.

    If Redis has lost its data, there may be fewer slots than expected, but never more.
    """
    paid = {name: stay.paid for name, stay in line.stays if stay.paid}
    if found.paid.items() - paid.items() or (found.is_first_life and found.paid != paid):
        yield Problem("slot", f"used slots in Redis: {found.paid}, not {paid}")
    due = Counter(line.slots)
    if found.slots - due or (found.is_first_life and found.slots != due):
        yield Problem("slot", f"free slots in Redis: {dict(found.slots)}, not {dict(due)}")
    quota = due[QUOTA] + [*paid.values()].count(QUOTA)
    counted = getattr(found.stats, "quota", 0)
    if counted > quota or (found.is_first_life and counted != quota):
        yield Problem("slot", f"the quota has {counted} slots left, not {quota}")


def _segments(found: FinalState) -> Iterator[Problem]:
    """Redis and the records agree on each entry's segments.

    The index contains each segment's waiting entries.
    """
    segments = found.segments
    if segments.state != "ready":
        yield Problem("segment", "the segments are not ready")
    if segments.of_people != segments.recorded:
        yield Problem(
            "segment", f"segments in Redis: {segments.of_people}, not {segments.recorded}"
        )
    expected = {
        f"{segment}{';' if name in found.passed_over else ':'}{rank:016d}:{id_of(name)}"
        for name, rank in found.line.items()
        for segment in segments.of_people.get(name, ())
    }
    if segments.waiting != expected:
        yield Problem("segment", f"the index has {segments.waiting}, not {expected}")


def _invitations(found: FinalState) -> Iterator[Problem]:
    """After an invited customer was erased, only the invitation mentions them. It says how their
    offer ended.
    """
    for invitation in found.invitations.values():
        if invitation.is_running:
            yield Problem("invitation", "the invitation still makes offers")
        twice = [name for name, ends in invitation.ends.items() if len(ends) > 1]
        if twice:
            yield Problem("invitation", f"{twice} were invited twice")
        expected = Counter(end for ends in invitation.ends.values() for end in ends)
        more = invitation.states - expected
        erased = len(NAMES) - len(found.histories)
        if expected - invitation.states or more["open"] or more.total() > erased:
            states = dict(invitation.states)
            yield Problem(
                "invitation", f"the counts of the invitation are {states}, not {dict(expected)}"
            )


def _left_over(found: FinalState) -> Iterator[Problem]:
    if found.dirty:
        yield Problem("unsettled", f"maintenance has not recorded the changes of {found.dirty}")
    present = {*found.line, *found.held, *found.parked}
    if strangers := {*found.moved, *found.tries} - set(found.line) | {*found.reasons} - present:
        yield Problem("unsettled", f"Redis still has data of {strangers}")
    claims = {name for name, note in found.notes.items() if note.state == "held"}
    counted = {name: deadline for name, deadline in found.held.items() if name in claims}
    if found.claimed not in (None, counted):
        yield Problem("limit", f"{found.claimed} count towards the limit of claims, not {counted}")
    notes = {name for name, note in found.notes.items() if note.state != "done"}
    if notes != {*found.held, *found.parked}:
        yield Problem("twice", f"notes of {notes}, held {found.held}, parked {found.parked}")
