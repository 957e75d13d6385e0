"""Finds people who may have been added to a waitlist twice."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waitlist_cli.client.paging import pages
from waitlist_cli.operations.action import Document
from waitlist_cli.operations.names import name_of, own_name_of, questions_of
from waitlist_cli.operations.spellings import Wanted, fold
from waitlist_cli.terminal.output import format_value

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

# Duplicates are usually added soon after each other, so search only the people who joined last.
MOST = 300


def warn_of_same_person(api: "Api", waitlist: Document, added: Document) -> str:
    """Return a warning if somebody with the same name and address is already on the waitlist.

    Return "" if nobody is found.
    """
    for other in _people_before(api, waitlist, added):
        if other["entry_id"] != added["entry_id"] and _may_be_same(waitlist, added, other):
            position = other["position"]
            where = f"at position {format_value(position)}" if position else other["status"]
            return (
                f" {name_of(other, waitlist)} is already on the list ({where}). If this is the "
                "same person, press Undo."
            )
    return ""


def _people_before(api: "Api", waitlist: Document, added: Document) -> Iterator[Document]:
    path, position = f"/{waitlist['waitlist_id']}/entries", added["position"]
    if position:
        first = str(max(1, position - MOST))
        yield from pages(api, path, "entries", MOST, status="waiting", first=first)
    yield from pages(api, path, "entries", MOST, status="offered")


def _may_be_same(waitlist: Document, one: Document, other: Document) -> bool:
    if fold(own_name_of(one, waitlist)) != fold(own_name_of(other, waitlist)):
        return False
    names = {question["name"] for question in questions_of(waitlist) if _asks_for_address(question)}
    pairs = [
        (one["profile"].get(name), other["profile"].get(name))
        for name in names | {"email", "phone"}
    ]
    return all(
        Wanted(a).is_in(b)
        for a, b in pairs
        if a and b and isinstance(a, str) and isinstance(b, str)
    )


def _asks_for_address(question: Document) -> bool:
    return question["type"] in ("email", "tel")
