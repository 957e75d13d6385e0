"""What claims should do, in plain Python: entries with ranks; the caller passes the time."""

from dataclasses import dataclass, field

from waitlist_shared.ranks import EPOCH_MILLIS, TICKETS_PER_MILLISECOND, TIER

MAX_ATTEMPTS = 3
AT_BACK = 255 * TIER
DECISIONS_KEPT = 16
VERBS = {"release": "released", "park": "parked"}


@dataclass
class Person:
    """One stay of one customer: `state` is waiting, held, parked or done.

    `hold_stamp` is that at which the hold began or was extended.
    """

    entry_id: str
    rank: int
    ticket: int
    state: str = "waiting"
    attempts: int = 0
    token: str = ""
    time_millis: int = 0
    hold_stamp: int = 0


@dataclass(frozen=True)
class Decided:
    """A decision that the record may not have yet, about the stay with this ticket."""

    verb: str
    token: str
    ticket: int


@dataclass
class ClaimModel:
    """The entries on the list by name, and the decisions that are not settled yet."""

    people: dict[str, Person] = field(default_factory=dict)
    dirty: set[str] = field(default_factory=set)
    decided: dict[str, list[Decided]] = field(default_factory=dict)
    signed_up: int = 0
    left: int = 0
    admitted: int = 0

    def of(self, state: str) -> list[str]:
        return [name for name, person in self.people.items() if person.state == state]

    def in_line(self) -> list[str]:
        return sorted(self.of("waiting"), key=lambda name: self.people[name].rank)

    def off_queue(self, state: str) -> list[str]:
        def place(name: str) -> tuple[int, str]:
            return self.people[name].time_millis, self.people[name].entry_id

        return sorted(self.of(state), key=place)

    def verdict(self, name: str, token: str, millis: int) -> str:
        """Return held or done if the token may act on the entry, else the code of the refusal."""
        person = self.people.get(name)
        if person is None or person.state in ("waiting", "parked"):
            return "not_held"
        if person.token != token:
            return "claim_mismatch"
        if person.state == "held" and person.time_millis <= millis:
            return "claim_expired"
        return person.state

    def decide(self, name: str, verb: str, token: str = "") -> None:
        """Keep a decision until it is settled."""
        self.dirty.add(name)
        decision = Decided(verb, token, self.people[name].ticket)
        self.decided[name] = [*self.decided.get(name, []), decision][-DECISIONS_KEPT:]

    def settle(self, name: str) -> None:
        self.dirty.remove(name)
        self.decided.pop(name, None)

    def is_repeat(self, name: str, verb: str, token: str = "") -> bool:
        """Return whether this was decided already, for the current stay if there is one."""
        made = [one for one in self.decided.get(name, []) if (one.verb, one.token) == (verb, token)]
        if not made:
            return False
        person = self.people.get(name)
        return bool(token) or person is None or person.ticket == made[-1].ticket

    def put_in_line(self, name: str, rank: int) -> int:
        person = self.people[name]
        person.rank, person.state = self.free_rank(rank), "waiting"
        return person.rank

    def free_rank(self, rank: int) -> int:
        """Return the rank, or the nearest free one ahead if it is taken."""
        taken = {self.people[name].rank for name in self.of("waiting")}
        while rank in taken:
            rank -= 1
        return rank

    def end_expired(self, micros: int) -> None:
        millis = micros // 1_000
        held = [self.people[name] for name in self.of("held")]
        in_order = sorted(held, key=lambda one: (one.time_millis, one.rank, one.entry_id))
        names = {person.entry_id: name for name, person in self.people.items()}
        for person in in_order:
            name = names[person.entry_id]
            if person.time_millis > millis:
                return
            person.attempts += 1
            if person.attempts >= MAX_ATTEMPTS:
                # At the deadline, but later than the hold, whatever the clock says.
                after_hold = -(-(person.hold_stamp + 1) // TICKETS_PER_MILLISECOND) + EPOCH_MILLIS
                person.state, person.time_millis = "parked", max(person.time_millis, after_hold)
                self.decide(name, "worn_out")
            else:
                self.put_in_line(name, person.rank)
                self.decide(name, "expired")

    def claim(self, count: int, newest: bool, micros: int) -> list[str]:
        """Return the names to hold now; expired holds return to the line first."""
        self.end_expired(micros)
        line = self.in_line()
        return list(reversed(line))[:count] if newest else line[:count]

    def take_out(self, name: str) -> Person | None:
        return self.people.pop(name, None)
