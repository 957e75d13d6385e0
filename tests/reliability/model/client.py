"""A client for the model checker.

It calls the service's classes directly, in one process, and uses short names for customers.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from msgspec.structs import replace

from tests.support.faults import Crash, Wire, crash_after
from tests.support.model import CUSTOMER, Policy
from tests.support.services import MaintenanceServices
from tests.support.world import START_MILLIS
from waitlist_api.admission.admit import AdmitCommand, AdmitOneCommand
from waitlist_api.admission.claim import ClaimCommand
from waitlist_api.admission.decline import DeclineCommand
from waitlist_api.admission.holds import (
    COMPLETE,
    DECLINE,
    ENTER,
    EXTEND,
    PARK,
    REDRIVE,
    RELEASE,
    HoldCommand,
)
from waitlist_api.admission.invite import InviteCommand
from waitlist_api.clock import iso
from waitlist_api.entries.bump import BumpCommand
from waitlist_api.entries.edit import EditCommand
from waitlist_api.entries.position import EntryView
from waitlist_api.entries.questions import AskCommand
from waitlist_api.entries.readiness import HoldBackCommand, RestCommand, ResumeCommand
from waitlist_api.entries.reinstate import ReinstateCommand
from waitlist_api.entries.signup_step import SignupCommand
from waitlist_api.imports.rows import ImportedRow, ImportRow
from waitlist_api.records.leaves import Leave, LeftOffer
from waitlist_api.settings.admission import AdmissionPolicy, Rate, Scheduled
from waitlist_api.settings.call_numbers import CallNumberRules
from waitlist_api.settings.confirm import ConfirmRules
from waitlist_api.settings.decline import DeclineRules
from waitlist_api.settings.misses import MissRules
from waitlist_api.settings.presence import Presence
from waitlist_api.settings.rest import DAY_MILLIS, RestRules
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared import contracts as c
from waitlist_shared.contracts import Unanswered
from waitlist_shared.errors import Rebuilding
from waitlist_shared.ids import entry_id_of, invitation_of
from waitlist_shared.limits import (
    MAX_DELAY_SECONDS,
    MAX_PAGE,
    MAX_PAUSE_SECONDS,
    MAX_PRESENCE_SECONDS,
)

WAITLIST_ID = "bakery"
OPERATOR = "operator"
# The idempotency key of the first claim.
FIRST = "first-claim"
KEYLESS = "a claim without a key"
PARK_REASON = "no show"
FOREIGN_TOKEN = "0" * 40
LEASE_SECONDS = 3600
LONG_SECONDS = 3 * LEASE_SECONDS
# The delay after which a schedule's offers become due, which is before the next request is sent.
DUE_AFTER_SECONDS = 30
# The time from saving the policy until admissions end. Admissions end before the offers expire.
END_SECONDS = LEASE_SECONDS // 2
# The time from configuring the waitlist until it opens or closes. A case starts half a minute
# before that.
HOURS_SECONDS = 90
# Admission passes are valid for so long that none expires during a case.
PASS_SECONDS = 7 * 24 * 3600
SETTINGS: dict[str, Any] = {
    "name": "Bakery",
    "lease_seconds": LEASE_SECONDS,
    "max_attempts": 3,
    "rejoin": "always",
    "rest": RestRules(max_days=180, times=3),
}
# Customers ask to be skipped until this time, which is too late to come during a case.
REST_UNTIL = START_MILLIS + 90 * DAY_MILLIS
# After this many days, the service asks whether a customer is still waiting. In the cases, only
# operators ask this question.
ASKED_AFTER_DAYS = 3
ANSWER_DAYS = 2
REMINDED_DAYS = 1
Tokens = dict[str, dict[str, str]]


# The signup time of some imported rows, which lies between the second and the third signup.
EARLY = datetime.fromtimestamp(START_MILLIS / 1000, UTC) + timedelta(minutes=2.5)
BEFORE_ALL_TICKETS = datetime(2019, 1, 1, tzinfo=UTC)

PEOPLE = ("a", "b", "c", "d", "e")
KIND_OF = {"a": "vowel", "b": "consonant", "c": "consonant", "d": "consonant", "e": "vowel"}


def id_of(name: str) -> str:
    return entry_id_of(WAITLIST_ID, name)


NAMES = {id_of(name): name for name in PEOPLE}


@dataclass(frozen=True)
class Row:
    """A row of an import.

    If `is_good` is false, the row's signup time is invalid, and the import must refuse the row.
    """

    name: str
    is_early: bool = False
    is_good: bool = True

    @property
    def joined_at(self) -> datetime | None:
        if not self.is_good:
            return BEFORE_ALL_TICKETS
        return EARLY if self.is_early else None


@dataclass(frozen=True)
class Brought:
    people: tuple[ImportedRow, ...]


@dataclass(frozen=True)
class Invited:
    tokens: dict[str, str]


@dataclass
class Client:
    """Calls the service's classes in one process.

    `wait` moves the clocks forward, and `process` starts another process. `tokens` contains the
    claim tokens that the service has returned. `redis` is the Redis server itself.
    """

    services: MaintenanceServices
    wait: Callable[[float], None]
    redis: Any
    process: Callable[[Wire], "Client"]
    tokens: Tokens = field(default_factory=dict)

    def limit_to(self, capacity: int | None) -> Any:
        settings = WaitlistSettings(**SETTINGS, capacity=capacity)
        self.services.waitlists.put(WAITLIST_ID, settings)

    def allow_claims(self, most: int) -> Any:
        settings = WaitlistSettings(**SETTINGS, max_claims=most)
        self.services.waitlists.put(WAITLIST_ID, settings)

    def open_or_close(self, opens: bool) -> Any:
        seconds = self.services.admissions.now_millis() / 1000 + HOURS_SECONDS
        at = datetime.fromtimestamp(seconds, UTC).isoformat()
        opens_at, closes_at = (at, None) if opens else (None, at)
        settings = WaitlistSettings(**SETTINGS, opens_at=opens_at, closes_at=closes_at)
        self.services.waitlists.put(WAITLIST_ID, settings)

    def number_people(self) -> Any:
        rules = CallNumberRules(restart="never", prefix="A")
        settings = WaitlistSettings(**SETTINGS, call_numbers=rules)
        self.services.waitlists.put(WAITLIST_ID, settings)

    def expect_answers(self, then: Unanswered | None) -> Any:
        confirm = then and ConfirmRules(
            every_days=365, answer_days=ANSWER_DAYS, reminders_days=(REMINDED_DAYS,), then=then
        )
        self.services.waitlists.put(WAITLIST_ID, WaitlistSettings(**SETTINGS, confirm=confirm))

    def set_policy(self, policy: Policy) -> Any:
        now_millis = self.services.admissions.now_millis()
        at = iso(now_millis + DUE_AFTER_SECONDS * 1000)
        admission = AdmissionPolicy(
            rate=Rate(count=1, per="day", counts="entered") if policy.has_rate else None,
            schedule=(Scheduled(count=policy.scheduled, at=at),) if policy.scheduled else (),
            max_inside=policy.max_inside,
            no_show=policy.no_show,
            misses=MissRules(at_most=policy.misses, then=policy.after_misses)
            if policy.misses
            else None,
            decline=DeclineRules(to="place", pause_seconds=MAX_PAUSE_SECONDS, at_most=kept)
            if (kept := policy.declines_kept)
            else None,
            presence=Presence(seconds=policy.presence_seconds) if policy.presence_seconds else None,
            until=iso(now_millis + END_SECONDS * 1000) if policy.end else None,
            then="leave" if policy.leaves_then else "wait",
            offer_seconds=LEASE_SECONDS,
            pass_seconds=PASS_SECONDS,
        )
        settings = WaitlistSettings(**SETTINGS, admission=admission)
        self.services.waitlists.put(WAITLIST_ID, settings)

    def declare_segments(self) -> Any:
        settings = WaitlistSettings(**SETTINGS, segments=(("kind",),))
        self.services.waitlists.put(WAITLIST_ID, settings)

    def sign_up(self, name: str, key: str) -> Any:
        command = SignupCommand(
            waitlist_id=WAITLIST_ID,
            customer_id=name,
            attributes={"kind": KIND_OF[name]},
            idempotency_key=key,
        )
        return self.services.signups.sign_up(command)

    def bring(self, rows: Sequence[Row]) -> Any:
        people = self.services.imports.import_rows(
            WAITLIST_ID,
            [
                ImportRow(
                    customer_id=row.name,
                    attributes={"kind": KIND_OF[row.name]},
                    joined_at=row.joined_at,
                )
                for row in rows
            ],
            OPERATOR,
            "rejoin",
        )
        return Brought(tuple(people))

    def edit(self, name: str, kind: str) -> Any:
        command = EditCommand(
            waitlist_id=WAITLIST_ID, entry_id=id_of(name), by=OPERATOR, attributes={"kind": kind}
        )
        self.services.entry_edits.edit(command)

    def hold_back(self, name: str, is_ready: bool) -> Any:
        command = HoldBackCommand(
            waitlist_id=WAITLIST_ID, entry_id=id_of(name), by=OPERATOR, ready=is_ready
        )
        self.services.readiness.hold_back(command)

    def rest(self, name: str) -> Any:
        self.services.readiness.rest(
            RestCommand(
                waitlist_id=WAITLIST_ID, entry_id=id_of(name), stay=None, until_millis=REST_UNTIL
            )
        )

    def resume(self, name: str) -> Any:
        self.services.readiness.resume(
            ResumeCommand(
                waitlist_id=WAITLIST_ID, entry_id=id_of(name), stay=None, until_millis=REST_UNTIL
            )
        )

    def ask(self) -> Any:
        command = AskCommand(
            waitlist_id=WAITLIST_ID, by=OPERATOR, days=ASKED_AFTER_DAYS, limit=MAX_PAGE
        )
        self.services.questions.ask(command)

    def confirm(self, name: str) -> Any:
        self.services.questions.confirm(WAITLIST_ID, id_of(name), None)

    def reinstate(self, name: str, key: str) -> Any:
        command = ReinstateCommand(
            waitlist_id=WAITLIST_ID, entry_id=id_of(name), by=OPERATOR, idempotency_key=key
        )
        return self.services.reinstatements.reinstate(command)

    def look(self, name: str) -> Any:
        return self.services.positions.read(WAITLIST_ID, id_of(name))

    def poll(self, name: str) -> Any:
        return self.services.positions.read(WAITLIST_ID, id_of(name), is_poll=True)

    def go_away(self, name: str) -> Any:
        self.poll(name)
        self.let_pass(MAX_PRESENCE_SECONDS + 1)

    def leave(self, name: str, by: str) -> Any:
        self.services.leaves.leave(WAITLIST_ID, id_of(name), Leave(by=by))

    def erase(self, name: str) -> Any:
        self.services.leaves.erase(WAITLIST_ID, id_of(name))

    def bump(self, name: str, key: str, **where: Any) -> Any:
        command = BumpCommand(
            waitlist_id=WAITLIST_ID, entry_id=id_of(name), by=OPERATOR, idempotency_key=key, **where
        )
        return self.services.bumps.bump(command)

    def claim(self, count: int, key: str, hold: str, newest: bool, at_once: bool) -> Any:
        offers = self.services.claims.claim(
            ClaimCommand(
                waitlist_id=WAITLIST_ID,
                count=count,
                by=OPERATOR,
                order="newest" if newest else "oldest",
                complete=at_once,
                idempotency_key=key,
            )
        ).offers
        given = {NAMES[offer.claim.entry_id]: offer.claim.token for offer in offers}
        self.tokens.setdefault(hold, {}).update(given)
        return offers

    def claim_one(self, name: str, key: str) -> Any:
        offer = self.services.claims.claim_one(
            ClaimCommand(
                waitlist_id=WAITLIST_ID, entry_id=id_of(name), by=OPERATOR, idempotency_key=key
            )
        )
        self.tokens.setdefault(key, {})[name] = offer.claim.token
        return EntryView.recorded(offer.record)

    def admit(self, count: int, key: str, refill: bool) -> Any:
        command = AdmitCommand(
            waitlist_id=WAITLIST_ID, count=count, by=OPERATOR, refill=refill, idempotency_key=key
        )
        offers = self.services.admissions.admit(command).offers
        given = {NAMES[offer.claim.entry_id]: offer.claim.token for offer in offers}
        self.tokens.setdefault(key, {}).update(given)
        return offers

    def invite(self, count: int, key: str) -> Any:
        command = InviteCommand(
            waitlist_id=WAITLIST_ID,
            by=OPERATOR,
            count=count,
            offer_seconds=LEASE_SECONDS,
            idempotency_key=key,
        )
        invitation = self.services.invitations.invite(command).invitation
        if invitation.running:
            # The client repeats the request until all offers have been made.
            raise Rebuilding
        records = self.services.entries.get_many(WAITLIST_ID, list(NAMES))
        given = {
            NAMES[record.entry_id]: record.hold.token
            for record in sorted(records.values(), key=lambda record: record.rank or 0)
            if record.status == "offered"
            and invitation_of(record.hold.token) == invitation.invitation_id
        }
        self.tokens.setdefault(key, {}).update(given)
        return Invited(given)

    def continue_invitations(self) -> Any:
        maintenance = self.services.maintenance
        _, running = maintenance.rounds.read()
        maintenance.work_runner.run_all(running)

    def run_policy(self) -> Any:
        self.services.admissions.run(WAITLIST_ID)

    def enter(self, name: str) -> Any:
        return self.services.holds.act(ENTER, self._customers(name))

    def decline(self, name: str, by_policy: bool = False) -> Any:
        if not by_policy:
            return self.services.holds.act(DECLINE, replace(self._customers(name), to="back"))
        command = DeclineCommand(
            waitlist_id=WAITLIST_ID,
            entry_id=id_of(name),
            stay=None,
            to=None,
            offered_until_millis=None,
            idempotency_key=None,
        )
        return self.services.declines.decline(command).view

    def withdraw(self, name: str) -> Any:
        command = HoldCommand(waitlist_id=WAITLIST_ID, entry_id=id_of(name), by=OPERATOR)
        return self.services.withdrawals.withdraw(command)

    def admit_one(self, name: str, key: str) -> Any:
        command = AdmitOneCommand(
            waitlist_id=WAITLIST_ID, entry_id=id_of(name), by=OPERATOR, idempotency_key=key
        )
        view, _record = self.services.admissions.admit_one(command)
        return view

    def decline_and_leave(self, name: str) -> Any:
        self.services.leaves.leave(
            WAITLIST_ID,
            id_of(name),
            Leave(by=CUSTOMER, reason="declined", offer=LeftOffer()),
        )

    def exit(self, name: str) -> Any:
        self.services.exits.exit(WAITLIST_ID, id_of(name), CUSTOMER)

    def complete(self, name: str, hold: str) -> Any:
        return self.services.holds.act(COMPLETE, self._command(name, hold))

    def release(self, name: str, hold: str, to: Literal["place", "back"], is_delayed: bool) -> Any:
        delay = {"delay_seconds": MAX_DELAY_SECONDS} if is_delayed else {}
        return self.services.holds.act(RELEASE, self._command(name, hold, to=to, **delay))

    def extend(self, name: str, hold: str) -> Any:
        return self.services.holds.act(
            EXTEND, self._command(name, hold, lease_seconds=LONG_SECONDS)
        )

    def park(self, name: str, hold: str) -> Any:
        return self.services.holds.act(PARK, self._command(name, hold, reason=PARK_REASON))

    def redrive(self, name: str, to: Literal["place", "back"]) -> Any:
        return self.services.holds.act(REDRIVE, self._command(name, "", to=to))

    def let_pass(self, seconds: float) -> Any:
        self.wait(seconds)

    def cut_off(self, request: Callable[["Client"], Any], step: int) -> Any:
        wire = Wire()
        client = self.process(wire)
        wire.arm(step, crash_after)
        with suppress(Crash):
            request(client)

    def notice_ends(self) -> Any:
        """End the expired claims and offers in Redis, without claiming another entry."""
        self.services.queue.send(c.Expire(waitlist_id=WAITLIST_ID))

    def forget(self, name: str, *keys_of: Callable[[str], str]) -> Any:
        """Delete an entry from some keys in Redis, as a failover that loses writes can."""
        for key_of in keys_of:
            key = key_of(WAITLIST_ID)
            remove = self.redis.hdel if self.redis.type(key) == b"hash" else self.redis.zrem
            remove(key, id_of(name))

    def look_after(self) -> Any:
        self.services.maintenance.run_one(WAITLIST_ID)

    def finish_intents(self) -> Any:
        self.services.maintenance.intent_finisher.finish_intents()

    def maintain(self) -> Any:
        self.services.maintenance.run_all()

    def _customers(self, name: str) -> HoldCommand:
        return HoldCommand(waitlist_id=WAITLIST_ID, entry_id=id_of(name), by=CUSTOMER)

    def _command(self, name: str, hold: str, **more: Any) -> HoldCommand:
        return HoldCommand(
            waitlist_id=WAITLIST_ID,
            entry_id=id_of(name),
            token=self.tokens.get(hold, {}).get(name, FOREIGN_TOKEN) if hold else "",
            by=OPERATOR,
            **more,
        )
