"""Which profile fields and attributes are columns of the tables of people."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PARTS = ("attributes", "profile")
# Columns without a choice, and how many can be chosen from: guests choose the names.
MOST_USUAL, MOST_POSSIBLE = 6, 60
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A field of `part`, which is the profile or the attributes."""

    part: str
    name: str

    @property
    def key(self) -> str:
        return f"{self.part}.{self.name}"

    def of(self, person: Document) -> Any:
        """Return the person's value; None without one."""
        value = person[self.part].get(self.name)
        return "; ".join(value) if isinstance(value, list) and self.part == "attributes" else value


@dataclass(frozen=True)
class Columns:
    """Those that are shown, and those that can be chosen."""

    shown: Sequence[Column]
    possible: Sequence[Column]


def columns_of(
    waitlist: Document, people: Sequence[Document], chosen: Sequence[str] | None
) -> Columns:
    """Return the chosen columns, or the usual ones: what the list declares, then the commonest."""
    found = Counter(
        Column(part, name) for person in people for part in PARTS for name in person[part]
    )
    declared = [Column("attributes", name) for names in waitlist["segments"] for name in names]
    questions = (waitlist.get("page") or {}).get("fields", ())
    declared += [Column(one["kept_in"], one["name"]) for one in questions]
    usual = dict.fromkeys([*declared, *(one for one, _ in found.most_common())])
    keys = [key.partition(".") for key in chosen or ()]
    own = [Column(part, name) for part, _, name in keys if part in PARTS and name]
    possible = [*dict.fromkeys([*own, *usual])][:MOST_POSSIBLE]
    return Columns(possible[:MOST_USUAL] if chosen is None else own, possible)
