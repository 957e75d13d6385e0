"""The reader of the final state, and how long it waits for maintenance."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.reliability.load.final_state import INTENT_SECONDS, MAINTENANCE, SETTLE_SECONDS, Reader
from tests.reliability.load.plan import WAITLIST_ID, Plan
from tests.reliability.load.scenario import Scenario
from waitlist_cli.errors import CliError
from waitlist_shared.ids import entry_id_of

PLAN = Plan(lease_seconds=10)


class FakeService:
    """Answers for waiting entries as the API does; each maintenance run lowers `offered`."""

    def __init__(self, offered: int = 0, *waiting: str) -> None:
        self.offered = offered
        self.waiting = waiting
        self.maintained = 0
        self.failure: Any = None
        self.now = 1000.0
        self.pauses: list[float] = []

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    @property
    def reader(self) -> Reader:
        client: Any = self
        return Reader(client, lambda: self.now, self.pause)

    def customer(self, _method: str, path: str, token: str = "", **_: Any) -> Any:
        if path == MAINTENANCE:
            self.maintained += 1
            self.offered = max(0, self.offered - 1)
            return self.failure
        entry_id = path.rpartition("/")[2]
        ids = [entry_id_of(WAITLIST_ID, name) for name in self.waiting]
        assert token == f"token-{self.waiting[ids.index(entry_id)]}"
        return {"position": ids.index(entry_id) + 1}

    def operator(self, _method: str, path: str, params: Any = None) -> Any:
        if path.endswith("/stats"):
            return {"offered": self.offered}
        if params is None:
            return {"history": [{"event": "joined"}, {"event": "admitted"}]}
        return next(self._pages(params))

    def _pages(self, params: dict[str, str]) -> Iterator[Any]:
        if params["status"] != "waiting":
            yield {"entries": [], "cursor": None}
        at = int(params.get("cursor", 0))
        names = {"entry_id": "e", "customer_id": self.waiting[at], "status": "waiting"}
        entry = names | {"position": at + 1, "total": len(self.waiting), "priority": 0}
        after = str(at + 1) if at + 1 < len(self.waiting) else None
        yield {"entries": [entry], "cursor": after}


def test_holds_that_are_left_are_waited_for() -> None:
    service = FakeService(offered=3)
    service.reader.settle(PLAN, Scenario().history, load_ended=service.now)
    assert (service.maintained, service.offered, service.pauses) == (3, 0, [1, 1])


def test_holds_that_do_not_end_are_not_waited_for_for_ever() -> None:
    """P9"""
    service = FakeService(offered=10**6)
    service.reader.settle(PLAN, Scenario().history, load_ended=service.now)
    assert sum(service.pauses) == pytest.approx(PLAN.lease_seconds + SETTLE_SECONDS, abs=1)


def test_what_was_given_up_is_finished_only_when_it_is_a_minute_old() -> None:
    """P3"""
    scenario, service = Scenario(), FakeService()
    scenario.signed_up("ada", "unknown")
    service.reader.settle(PLAN, scenario.history, load_ended=service.now - 5)
    assert service.pauses == [INTENT_SECONDS - 5]
    assert service.maintained == 1


def test_maintenance_that_fails_ends_the_run() -> None:
    service = FakeService()
    service.failure = {"errorType": "KeyError"}
    with pytest.raises(CliError, match="maintenance failed"):
        service.reader.settle(PLAN, Scenario().history, load_ended=service.now)


def test_the_whole_line_is_read_page_by_page() -> None:
    scenario, service = Scenario(), FakeService(0, "ada", "bob")
    scenario.signed_up("ada")
    scenario.signed_up("bob", "unknown")
    scenario.signed_up("fay")
    scenario.did("complete", "fay")
    final_state = service.reader.read(scenario.history)
    assert [(seen.person, seen.position) for seen in final_state.line] == [("ada", 1), ("bob", 2)]
    assert final_state.aside == ()
    assert final_state.own_positions == {"ada": 1}, "without a token there is no position"
    assert final_state.admissions == {"fay": 1}
