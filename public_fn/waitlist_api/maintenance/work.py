"""Continue bulk tasks that are not finished, such as invitations."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, Protocol

from msgspec import Struct

from waitlist_api.admission.invite import Invitations
from waitlist_api.clock import IsTimeUp, NowMillis
from waitlist_api.maintenance.isolation import run_isolated
from waitlist_api.messages.broadcast import Broadcasts
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_api.records.work import Work, WorkRecords
from waitlist_shared.errors import Rebuilding, WaitlistPaused


class Tasks(Protocol):
    """The tasks of one kind, for example all invitations."""

    # The longest time that a maintenance run spends on tasks of one kind, such as invitations.
    MAINTENANCE_MILLIS: ClassVar[int]

    @property
    def records(self) -> WorkRecords[Any]: ...

    def run(self, work: Any, is_time_up: IsTimeUp, /) -> object: ...


class WorkRunner(Struct, frozen=True):
    """Continues bulk tasks that are not finished, such as invitations and broadcasts."""

    invitations: Invitations
    broadcasts: Broadcasts
    waitlists: WaitlistRecords
    now_millis: NowMillis

    @property
    def _kinds(self) -> tuple[Tasks, ...]:
        return self.invitations, self.broadcasts

    def run_all(self, sort_keys: Sequence[str]) -> None:
        """Continue the tasks with these sort keys: invitations first, then broadcasts."""
        for tasks in self._kinds:
            self._run_kind(tasks, sort_keys)

    def delete_all(self, waitlist_id: str) -> None:
        """Delete all tasks of a waitlist, whether they are finished or not."""
        for tasks in self._kinds:
            tasks.records.delete_all(waitlist_id)

    def _run_kind(self, tasks: Tasks, sort_keys: Sequence[str]) -> None:
        began_millis = self.now_millis()

        def is_time_up() -> bool:
            return self.now_millis() - began_millis >= tasks.MAINTENANCE_MILLIS

        for work in tasks.records.running(sort_keys):
            run_isolated(partial(self._run, tasks, is_time_up), work)
            if is_time_up():
                return

    def _run(self, tasks: Tasks, is_time_up: IsTimeUp, work: Work) -> None:
        waitlist = self.waitlists.get(work.waitlist_id)
        if waitlist is None or waitlist.deleting:
            return
        # The task cannot run while the waitlist is paused or its queue is being rebuilt. A later
        # run continues it.
        with suppress(WaitlistPaused, Rebuilding):
            tasks.run(work, is_time_up)
