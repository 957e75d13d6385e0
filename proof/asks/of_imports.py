"""What operators ask who bring people along from elsewhere."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations

from proof import model
from proof.asks.ask import Ask, Outcome, Told
from proof.asks.in_line import erased
from proof.desk import Row
from proof.model import ENDED, Line, Stay
from proof.small_world import FEW_INTENTS

IMPORT = "import"
ABSENT, PRESENT, INTENDED = "absent", "present", "intended"
Words = frozenset[str]
NONE: Words = frozenset()
JOINED, ALREADY = frozenset({"joined"}), frozenset({"already"})
# Whoever takes an intent away may be slower than Redis, which says first that it is full.
GONE = frozenset({"not_waiting", "waitlist_full"})


def bring(call: str, *rows: Row, repeat: int = 0) -> Ask:
    """Import rows: intents a few at a time, in their order; then all places at once."""
    one = _Import(f"{IMPORT} {call} {repeat}", rows)
    return Ask(
        lambda desk: desk.bring(rows),
        one.effect,
        one.parts,
        one.early,
        early_steps=len(one.chunks) + 2,
        anew=partial(bring, call, *rows, repeat=repeat + 1),
    )


def is_import(stay: Stay | None) -> bool:
    return stay is not None and stay.key.startswith(IMPORT)


@dataclass(frozen=True)
class _Import:
    """One sending of a call, by a key of its own: it tells whose intents are whose."""

    key: str
    rows: tuple[Row, ...]

    @property
    def people(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_good)

    @property
    def chunks(self) -> list[int]:
        """Where each transaction of intents begins."""
        return list(range(0, len(self.people), FEW_INTENTS))

    def effect(self, line: Line) -> Outcome:
        line = self._looked(line)
        for start in self.chunks:
            line = self._begun(line, start)
        placed = self._placed(line, [row.name for row in self.people])
        return placed, Told(rows=tuple(self._words(row, line, placed) for row in self.rows))

    def early(self, line: Line) -> Line:
        looked = self._looked(line)
        if looked != line:
            return looked
        for start in self.chunks:
            begun = self._begun(line, start)
            if begun != line:
                return begun
        return self._placed(line, [row.name for row in self.people])

    def parts(self, line: Line) -> Iterator[Line]:
        """Whatever is intended comes to its end, by whoever: in any order, where room is short."""
        for done in range(len(self.chunks) + 1):
            begun = self._looked(line) if done else line
            for start in self.chunks[:done]:
                begun = self._begun(begun, start)
            names = [row.name for row in self.people]
            for order in [names] if line.capacity is None else permutations(names):
                yield self._placed(begun, list(order))

    def _looked(self, line: Line) -> Line:
        """Look once who is there: they are, whatever becomes of them until the answer."""
        if self._seen(line):
            return line
        return line.look(self.key, {row.name: _standing(line, row.name) for row in self.people})

    def _seen(self, line: Line) -> dict[str, str]:
        return {name: word for key, name, word in line.looked if key == self.key}

    def _begun(self, line: Line, start: int) -> Line:
        """Write the intents of one transaction, at the places that were drawn with the first."""
        some, rest = self.people[start : start + FEW_INTENTS], self.people[start:]
        drawn = {name: rank for key, name, rank in line.drawn if key == self.key}
        if any(self._is_overtaken(line, row.name) for row in some):
            # Another request was faster: the rest must come behind what that one wrote.
            again = {row.name: _standing(line, row.name) for row in some}
            line, drawn = line.look(self.key, self._seen(line) | again), {}
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

    def _is_overtaken(self, line: Line, name: str) -> bool:
        """Return whether somebody who was not on the list has been put there by another."""
        stay = line.stay(name)
        is_own = stay is not None and stay.key == self.key
        is_on = _standing(line, name) != ABSENT
        return self._seen(line)[name] == ABSENT and is_on and not is_own

    def _may_join(self, line: Line, name: str) -> bool:
        stay = line.stay(name)
        if self._seen(line)[name] != ABSENT or erased(name, self.key) in line.done:
            return False
        return stay is None or (stay.state in ENDED and stay.key != self.key)

    def _placed(self, line: Line, names: list[str]) -> Line:
        for name in names:
            stay = line.stay(name)
            if stay is not None and stay.state == "joining" and is_import(stay):
                line = model.enlisted(line, name)
        return line

    def _words(self, row: Row, begun: Line, placed: Line) -> Words:
        """Return what may be told of a row."""
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
            # Of an intent that another call has written, whoever records it first tells that.
            return JOINED | ALREADY | (GONE if is_gone or now is None else NONE)
        return ALREADY


def _standing(line: Line, name: str) -> str:
    """Return as what an import sees somebody who is not of its own."""
    stay = line.stay(name)
    if stay is None or stay.state in ENDED:
        return ABSENT
    return INTENDED if stay.state == "joining" and is_import(stay) else PRESENT
