"""Finds people by their call number, or by part of their customer id, profile or attributes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.paging import pages
from waitlist_cli.operations.names import chosen_id
from waitlist_cli.operations.spellings import Wanted

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

# The API also lists people who are inside as `admitted`, so the search can leave out the `inside`
# status.
STATUSES = ("waiting", "offered", "parked", "admitted", "left")


def find_person(api: "Api", waitlist_id: str, address: dict[str, str]) -> Any:
    """Find a person by an address such as {"email": …}.

    URLs are logged, so the address is sent in the request body.
    """
    return api.operator("POST", f"/{waitlist_id}/find", address)


def found_people(
    api: "Api",
    waitlist_id: str,
    text: str,
    most: int | None = None,
    on_limit: Callable[[str], object] = lambda _: None,
    on_look: Callable[[], object] = lambda: None,
) -> Iterator[dict[str, Any]]:
    """Yield the people whose call number, id, profile or attributes contain the words of `text`.

    The words can be in any order. The search examines at most `most` people of each status. If it
    reaches this limit for a status, it calls `on_limit` with the status.
    """
    wanted = Wanted(text)
    # If a person's status changes during the search, the API can list the person twice. Remember
    # who has been found, so that each person is yielded only once.
    found: set[str] = set()
    for status in STATUSES:
        seen = 0
        for person in pages(api, f"/{waitlist_id}/entries", "entries", most, status=status):
            seen += 1
            on_look()
            if person["entry_id"] not in found and _matches(person, wanted):
                found.add(person["entry_id"])
                yield person
        if seen == most:
            on_limit(status)


def exact_numbers_first(people: Iterable[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """Sort the people so that those whose call number is `text` come first.

    The order is otherwise unchanged.
    """
    wanted = Wanted(text)
    return sorted(people, key=lambda person: not wanted.is_call_number(person["call_number"]))


def _matches(person: dict[str, Any], wanted: Wanted) -> bool:
    number = person["call_number"]
    if wanted.is_part_of_number(number or "") or wanted.is_call_number(number):
        return True
    values = [chosen_id(person), *person["profile"].values(), *person["attributes"].values()]
    texts = [text for value in values for text in _leaves(value)]
    if wanted.is_other_number(number):
        # The text looks like another call number, so it probably does not mean this person. It can
        # still be an id of this person, such as a patient number, so look for a value that is
        # exactly the text.
        return any(map(wanted.is_whole, texts))
    return _contain(texts, wanted) or all(_contain(texts, word) for word in wanted.words)


def _contain(texts: Sequence[str], wanted: Wanted) -> bool:
    return any(map(wanted.is_in, texts))


def _leaves(value: object) -> Iterator[str]:
    """Yield all strings and numbers that a JSON value contains."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
