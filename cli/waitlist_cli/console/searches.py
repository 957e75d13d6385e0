"""Searches the people on a waitlist in the background, while a page shows the progress."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

from waitlist_cli.client.api import Api
from waitlist_cli.errors import CliError
from waitlist_cli.operations.search import STATUSES, found_people

MOST_FOUND = 200
# The maximum number of searches that the console keeps. If there are more, the oldest search is
# stopped and dropped.
MOST_KEPT = 10


class _Ended(Exception):
    """Raised to stop a search before it has examined everyone."""


@dataclass
class Search:
    """A search through the people on one waitlist.

    The search has examined `looked` of `total` people. It stops once it has found MOST_FOUND
    people, and `is_full` is then true.
    """

    id: str
    waitlist_id: str
    text: str
    total: int
    looked: int = 0
    people: list[dict[str, Any]] = field(default_factory=list)
    is_active: bool = True
    problem: CliError | None = None
    to_end: threading.Event = field(default_factory=threading.Event)

    @property
    def is_full(self) -> bool:
        return len(self.people) >= MOST_FOUND

    def run(self, api: Api) -> None:
        """Search the people of every status.

        If a request fails, stop and store the error in `problem`.
        """
        found = found_people(api, self.waitlist_id, self.text, on_look=self._look)
        try:
            for person in islice(found, MOST_FOUND):
                self.people.append(person)
        except CliError as error:
            self.problem = error
        except _Ended:
            pass
        finally:
            self.is_active = False

    def _look(self) -> None:
        self.looked += 1
        if self.to_end.is_set():
            raise _Ended


@dataclass
class Searches:
    """The searches that the operator has started in this console.

    A search text can be personal data, so the address of a result page contains the search's number
    instead of the text.
    """

    _searches: dict[str, Search] = field(default_factory=dict)
    _threads: list[threading.Thread] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, api: Api, waitlist_id: str, text: str) -> Search:
        stats = api.operator("GET", f"/{waitlist_id}/stats")
        total = sum(stats[status] for status in STATUSES)
        with self._lock:
            search = Search(str(next(self._numbers)), waitlist_id, text, total)
            self._searches[search.id] = search
            while len(self._searches) > MOST_KEPT:
                self._searches.pop(next(iter(self._searches))).to_end.set()
            thread = threading.Thread(target=search.run, args=(api,), name=f"search-{search.id}")
            self._threads = [*filter(threading.Thread.is_alive, self._threads), thread]
            thread.start()
        return search

    def get(self, waitlist_id: str, search_id: str) -> Search | None:
        search = self._searches.get(search_id)
        return search if search is not None and search.waitlist_id == waitlist_id else None

    def end(self) -> None:
        """Stop all searches, then wait until their current requests have ended."""
        for search in self._searches.values():
            search.to_end.set()
        for thread in self._threads:
            thread.join()
