"""Ask customers whether they are still waiting, send reminders, and act if they do not answer."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api import cursors
from waitlist_api.clock import NowMillis, iso
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.entries.readiness import Change, ReadinessChanges, answered
from waitlist_api.errors import AlreadyAdmitted, ConfirmOff, EntryNotFound
from waitlist_api.parallel import run_all
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.decisions import CUSTOMER, MAINTENANCE
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.facets import Question
from waitlist_api.records.question import is_open, is_unanswered, may_end_wait
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.confirm import ConfirmRules
from waitlist_api.settings.rest import DAY_MILLIS
from waitlist_shared import contracts as c
from waitlist_shared.errors import NotWaiting, WaitlistError
from waitlist_shared.ranks import millis_of

# A Lambda function's clock may be ahead by up to this much. A deadline counts as passed only after
# this margin, so that no customer's wait ends too early.
GRACE_MILLIS = 10 * 60_000
TOO_LATE = "The deadline to confirm has passed. Get the entry to see its current status."

ENDED_MEANWHILE = (NotWaiting, EntryNotFound, AlreadyAdmitted)

Due = Literal["asked", "reminded", "unanswered"]


class Clocks(Struct, frozen=True):
    """The current time in milliseconds, by the local clock and by the Redis clock."""

    here: int
    redis: int

    def is_over(self, deadline_millis: int) -> bool:
        """Return whether a deadline has passed on both the local clock and the Redis clock."""
        return self.here >= deadline_millis + GRACE_MILLIS and self.redis >= deadline_millis


class AskCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to ask a page of waiting customers whether they are still waiting."""

    waitlist_id: str
    by: str
    # Ask only customers whose last contact was at least this many days ago.
    days: int = 0
    # If this is true, only count the customers.
    dry_run: bool = False
    cursor: str | None = None
    limit: int


class Questions(Struct, frozen=True):
    """Asks customers whether they are still waiting, sends reminders, and records the answers."""

    waitlist_cache: WaitlistCache
    recovering_queue: RecoveringQueue
    entries: EntryRecords
    readiness: ReadinessChanges
    positions: Positions
    now_millis: NowMillis

    def confirm(self, waitlist_id: str, entry_id: str, stay: int | None) -> EntryView:
        """Record that a customer is still waiting.

        If the customer was not asked, nothing changes.
        """

        def decide(record: EntryRecord) -> Change | None:
            if self.readiness.is_too_late_to_answer(record):
                raise NotWaiting(TOO_LATE)
            if record.question.confirm_by_millis is None:
                return None
            return Change(answered(record, self.now_millis()), "confirmed", CUSTOMER)

        self.readiness.change((waitlist_id, entry_id), decide, stay)
        return self.positions.read(waitlist_id, entry_id, is_poll=True)

    def ask(self, command: AskCommand) -> tuple[int, str | None]:
        """Ask the customers on one page of entries whether they are still waiting.

        Return how many customers were asked, and the cursor for the next page.
        """
        rules = self.waitlist_cache.look_up(command.waitlist_id).settings.confirm
        if rules is None:
            raise ConfirmOff
        after = cursors.decode_rank(command.cursor)
        records, following = self.page(command.waitlist_id, after, command.limit, rules)
        now_millis = self.now_millis()
        asked = [record for record in records if not is_open(record, rules, now_millis)]
        if command.days:
            before_millis = self.now_millis() - command.days * DAY_MILLIS
            asked = [record for record in asked if last_contact_millis(record) <= before_millis]
        if not command.dry_run:
            work = partial(self._ask, rules=rules, by=command.by)
            if errors := list(filter(None, _each(work, asked))):
                raise errors[0]
        return len(asked), cursors.encode(following)

    def page(
        self, waitlist_id: str, after: int | None, limit: int, rules: ConfirmRules
    ) -> tuple[list[EntryRecord], int | None]:
        """Return the records of the customers on one page who can be asked, and the rank after
        which the next page starts.
        """
        page: c.ListWaitingResult = self.recovering_queue.read(
            c.ListWaiting(waitlist_id=waitlist_id, after=after, limit=limit, ready=True)
        )
        ids = [entry.entry_id for entry in page.entries]
        found = self.entries.get_many(waitlist_id, ids)
        records = [found[entry_id] for entry_id in ids if entry_id in found]
        askable = [
            record
            for record in records
            if record.status == "waiting" and not _is_exempt(record, rules)
        ]
        return askable, page.next_rank

    def act(
        self,
        records: Sequence[EntryRecord],
        rules: ConfirmRules,
        clocks: Clocks,
        settings_version: int,
    ) -> list[WaitlistError | None]:
        """Take the next step for each record: ask the customer, remind them, or end their wait.

        Return an error or None for each record.
        """
        work = partial(self._act, rules=rules, clocks=clocks, settings_version=settings_version)
        return _each(work, records)

    def _act(
        self, record: EntryRecord, rules: ConfirmRules, clocks: Clocks, settings_version: int
    ) -> None:
        match find_due_step(record, rules, clocks):
            case "asked":
                self._ask(record, rules, MAINTENANCE)
            case "reminded":
                self._remind(record, rules, clocks)
            case "unanswered":
                self._end(record, rules, clocks, settings_version)

    def _ask(self, record: EntryRecord, rules: ConfirmRules, by: str) -> None:
        now_millis = self.now_millis()
        confirm_by = now_millis + rules.answer_millis
        known = (record.join_id, record.question.asked_millis, record.question.confirmed_millis)

        def decide(now: EntryRecord) -> Change | None:
            found = (now.join_id, now.question.asked_millis, now.question.confirmed_millis)
            if now.status != "waiting" or found != known:
                return None
            question = Question(
                asked_millis=now_millis,
                token=now.hold.token,
                confirm_by_millis=confirm_by,
                confirmed_millis=now.question.confirmed_millis,
            )
            after = replace(now, question=question)
            return Change(after, "asked", by, detail={"confirm_by": iso(confirm_by)})

        self.readiness.change(record.key, decide)

    def _remind(self, record: EntryRecord, rules: ConfirmRules, clocks: Clocks) -> None:
        def decide(now: EntryRecord) -> Change | None:
            if find_due_step(now, rules, clocks) != "reminded" or now.join_id != record.join_id:
                return None
            days = min(_reminders_due(now, rules, clocks.here))
            detail = {"confirm_by": iso(now.question.confirm_by_millis or 0), "days": days}
            after = replace(now, question=replace(now.question, reminded_days=days))
            return Change(after, "reminded", MAINTENANCE, detail=detail)

        self.readiness.change(record.key, decide)

    def _end(
        self, record: EntryRecord, rules: ConfirmRules, clocks: Clocks, settings_version: int
    ) -> None:
        """Record that the customer has not answered in time.

        Then remove the entry from the waitlist, park it, or move it to the end of the queue.
        """

        def decide(now: EntryRecord) -> Change | None:
            if now.question.unanswered or find_due_step(now, rules, clocks) != "unanswered":
                return None
            detail = {"then": rules.then}
            after = replace(now, question=replace(now.question, unanswered=True))
            return Change(after, "unanswered", MAINTENANCE, detail=detail)

        noted = self.readiness.change(record.key, decide)
        if is_unanswered(noted, rules) and noted.ticket and noted.question.confirm_by_millis:
            self.recovering_queue.write(
                c.EndWait(
                    waitlist_id=noted.waitlist_id,
                    entry_id=noted.entry_id,
                    ticket=noted.ticket,
                    confirm_by_millis=noted.question.confirm_by_millis,
                    action=rules.then,
                    settings_version=settings_version,
                )
            )


def _each(
    work: Callable[[EntryRecord], None], records: Sequence[EntryRecord]
) -> list[WaitlistError | None]:
    """Call `work` for all records in parallel.

    For each call, return its error, or None if it succeeded.
    """

    def attempt(record: EntryRecord) -> WaitlistError | None:
        try:
            work(record)
        except ENDED_MEANWHILE:
            return None
        except WaitlistError as error:
            return error
        return None

    return run_all(attempt, records)


def last_contact_millis(record: EntryRecord) -> int:
    """Return the time of the last contact with the customer, in milliseconds.

    Signups, questions and confirmations count as contact.
    """
    # A reinstated entry's ticket contains the time of the original signup, so use the time of the
    # reinstatement instead.
    joined = record.joined.millis if record.joined.reinstated else millis_of(record.ticket or 0)
    question = record.question
    return max(joined, question.asked_millis or 0, question.confirmed_millis or 0)


def find_due_step(record: EntryRecord, rules: ConfirmRules, clocks: Clocks) -> Due | None:
    """Return the step that is due now: asking the customer, reminding them, or ending their wait.

    Return None if no step is due.
    """
    deadline = record.question.confirm_by_millis
    if record.status != "waiting" or _is_exempt(record, rules):
        return None
    if deadline is None:
        return "asked" if last_contact_millis(record) + rules.every_millis <= clocks.here else None
    if clocks.is_over(deadline):
        return "unanswered" if may_end_wait(record, rules) else "asked"
    return "reminded" if _reminders_due(record, rules, clocks.here) else None


def next_due_millis(record: EntryRecord, rules: ConfirmRules) -> int:
    """Return when the next step is due by the local clock, in milliseconds since 1970."""
    deadline = record.question.confirm_by_millis
    if deadline is None:
        return last_contact_millis(record) + rules.every_millis
    times = [deadline - days * DAY_MILLIS for days in _reminders(record, rules)]
    return min([*times, deadline + GRACE_MILLIS])


def _is_exempt(record: EntryRecord, rules: ConfirmRules) -> bool:
    """Return whether the customer is exempt from confirming that they are still waiting.

    Customers whom no messages reach are exempt, unless they have already missed the deadline.
    """
    return record.contact.unreachable and not is_unanswered(record, rules)


def _reminders(record: EntryRecord, rules: ConfirmRules) -> list[int]:
    """Return the reminders that have not been sent yet, each as a number of days before the
    deadline.
    """
    question = record.question
    deadline, asked = question.confirm_by_millis or 0, question.asked_millis or 0
    before = question.reminded_days
    return [
        days
        for days in rules.reminders_days
        if (before is None or days < before) and deadline - days * DAY_MILLIS > asked
    ]


def _reminders_due(record: EntryRecord, rules: ConfirmRules, now_millis: int) -> list[int]:
    """Return the reminders that are due now. No reminder is due after the deadline."""
    deadline = record.question.confirm_by_millis or 0
    if now_millis >= deadline:
        return []
    return [
        days for days in _reminders(record, rules) if now_millis >= deadline - days * DAY_MILLIS
    ]
