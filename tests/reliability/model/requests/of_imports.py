"""Operators' requests to import people from a file."""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import permutations

from tests.reliability.model.client import Row
from tests.reliability.model.determinism import FEW_INTENTS
from tests.reliability.model.requests.in_queue import erased
from tests.reliability.model.requests.request import Effect, Expected, Request
from tests.support import model
from tests.support.model import ENDED, Stay, Waitlist

IMPORT = "import"
ABSENT, PRESENT, INTENDED = "absent", "present", "intended"
Words = frozenset[str]
NONE: Words = frozenset()
# The results are cached, because the oracle computes an import's effect on the same state many
# times.
remembered = lru_cache(maxsize=2**16)
JOINED, ALREADY = frozenset({"joined"}), frozenset({"already"})
# If the waitlist is full, the import cancels the row's signup. Another request may cancel it first.
GONE = frozenset({"not_waiting", "waitlist_full"})


def bring(call: str, *rows: Row, repeat: int = 0) -> Request:
    """Import people from a file. The import first begins all signups in DynamoDB, a few per
    transaction. Then it adds all entries to the queue in one step.
    """
    one = _Import(f"{IMPORT} {call} {repeat}", rows)
    return Request(
        lambda client: client.bring(rows),
        one.effect,
        one.parts,
        one.early,
        early_steps=len(one.chunks) + 2,
        look=one.look,
        repeat=partial(bring, call, *rows, repeat=repeat + 1),
    )


def has_drawn(stay: Stay | None) -> bool:
    """Return whether an unfinished signup has a rank. Imports and reinstatements choose the rank
    before they begin the signup.
    """
    return stay is not None and (stay.key.startswith(IMPORT) or stay.is_reinstated)


@dataclass(frozen=True)
class _Import:
    """`key` identifies one attempt to import the rows. All signups that this attempt begins have
    this key.
    """

    key: str
    rows: tuple[Row, ...]

    @property
    def people(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_good)

    @property
    def chunks(self) -> list[int]:
        return list(range(0, len(self.people), FEW_INTENTS))

    @remembered
    def effect(self, line: Waitlist) -> Effect:
        line = self.look(line)
        for start in self.chunks:
            line = self._begun(line, start)
        placed = self._placed(line, [row.name for row in self.people])
        expected = Expected(rows=tuple(self._words(row, line, placed) for row in self.rows))
        return self._forgotten(placed), expected

    @remembered
    def early(self, line: Waitlist) -> Waitlist:
        leaving = [row.name for row in self.people if model.is_leaving(line, row.name)]
        if leaving and not self._has_looked(line):
            # The customer has left, but the record may not say so yet.
            return line.look(self.key, self._seen(line) | dict.fromkeys(leaving, PRESENT))
        for start in self.chunks:
            begun = self._begun(line, start)
            if begun != line:
                return begun
        return self._placed(line, [row.name for row in self.people])

    def parts(self, line: Waitlist) -> Iterator[Waitlist]:
        """An interrupted import may complete its entries in any order.

        If only a few places are left, the order decides who gets one.
        """
        for done in range(len(self.chunks) + 1):
            begun = line
            for start in self.chunks[:done]:
                begun = self._begun(begun, start)
            names = [row.name for row in self.people]
            for order in [names] if line.capacity is None else permutations(names):
                yield self._forgotten(self._placed(begun, list(order)))

    def look(self, line: Waitlist) -> Waitlist:
        """Record once who is already on the waitlist. The import does not notice later changes."""
        if self._has_looked(line):
            return line
        return line.look(self.key, {row.name: _standing(line, row.name) for row in self.people})

    def _has_looked(self, line: Waitlist) -> bool:
        return any(key == self.key for key, _, _ in line.looked)

    def _looked_again(self, line: Waitlist, some: tuple[Row, ...]) -> Waitlist:
        if not self._has_looked(line):
            return line
        now = {row.name: _standing(line, row.name) for row in some}
        return line.look(self.key, self._seen(line) | now)

    def _forgotten(self, line: Waitlist) -> Waitlist:
        return line.look(self.key, {}).keep(self.key, {})

    def _seen(self, line: Waitlist) -> dict[str, str]:
        now = {row.name: _standing(line, row.name) for row in self.people}
        return now | {name: word for key, name, word in line.looked if key == self.key}

    @remembered
    def _begun(self, line: Waitlist, start: int) -> Waitlist:
        """The import has chosen the ranks of all rows before its first transaction."""
        some, rest = self.people[start : start + FEW_INTENTS], self.people[start:]
        drawn = {name: rank for key, name, rank in line.drawn if key == self.key}
        if any(self._is_overtaken(line, row.name, drawn) for row in some):
            # Another request has added one of these people in the meantime. The remaining rows get
            # new ranks behind that person.
            line, drawn = self._looked_again(line, some), {}
        for row in some:
            line = model.signup_finished(line, row.name)
        new = [row for row in some if self._may_join(line, row.name)]
        if not (new or drawn):
            return line.keep(self.key, drawn)
        if any(row.name not in drawn for row in new):
            wanted = [row for row in rest if self._may_join(line, row.name)]
            line, drawn = model.drawn_for(line, [(row.name, row.is_early) for row in wanted])
        for row in new:
            stay = Stay("joining", drawn.pop(row.name), key=self.key, former=line.stay(row.name))
            line = line.put(row.name, stay)
        return line.keep(self.key, drawn)

    def _is_overtaken(self, line: Waitlist, name: str, drawn: Container[str]) -> bool:
        stay = line.stay(name)
        is_own = stay is not None and stay.key == self.key
        is_on = _standing(line, name) != ABSENT
        was_absent = self._seen(line)[name] == ABSENT or name in drawn
        return was_absent and is_on and not is_own

    def _may_join(self, line: Waitlist, name: str) -> bool:
        stay = line.stay(name)
        if self._seen(line)[name] != ABSENT or erased(name, self.key) in line.done:
            return False
        return stay is None or (stay.state in ENDED and stay.key != self.key)

    def _placed(self, line: Waitlist, names: list[str]) -> Waitlist:
        for name in names:
            stay = line.stay(name)
            if stay is not None and stay.state == "joining" and has_drawn(stay):
                line = model.enlisted(line, name)
        return line

    def _words(self, row: Row, begun: Waitlist, placed: Waitlist) -> Words:
        if not row.is_good:
            return frozenset({"invalid_request"})
        stay, now = begun.stay(row.name), placed.stay(row.name)
        is_erased = erased(row.name, self.key) in begun.done
        is_own = stay is not None and stay.key == self.key
        is_gone = is_erased or stay is None or stay.state == "left"
        if is_erased or (is_own and is_gone):
            return JOINED | GONE
        if is_own and (now is None or now.key != self.key):
            return frozenset({"waitlist_full"})
        if is_own:
            return JOINED
        if self._seen(begun)[row.name] == INTENDED:
            # Two imports have found the same unfinished signup. Only the import that completes the
            # signup answers `joined`.
            return JOINED | ALREADY | (GONE if is_gone or now is None else NONE)
        return ALREADY


def _standing(line: Waitlist, name: str) -> str:
    stay = line.stay(name)
    if stay is None or stay.state in ENDED:
        return ABSENT
    return INTENDED if stay.state == "joining" and has_drawn(stay) else PRESENT
