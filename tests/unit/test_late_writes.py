"""A late write to a customer's record must not overwrite a newer change.

Each test prepares a write after a request has read the record or Redis has changed the queue.
Another request then changes the record before the write is tried.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.dynamodb import TABLE
from tests.support.tables import items_of, new_table
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.records import bans
from waitlist_api.records.asks import Signup, ask_for_link
from waitlist_api.records.bans import BanRequest
from waitlist_api.records.decisions import transition_of
from waitlist_api.records.edits import change_readiness, edit
from waitlist_api.records.entries import EntryRecords, Move
from waitlist_api.records.entry import EntryRecord, HistoryEvent, no_longer_near
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.exits import go_out
from waitlist_api.records.facets import Joined, Pauses, Question, Verification
from waitlist_api.records.intents import VERIFICATION_ASKED
from waitlist_api.records.leaves import Leave, LeftOffer, begin_erase, begin_leave, finish_leave
from waitlist_api.records.ledger import EntryChanged, Ledger, item_of
from waitlist_api.records.moves import Aliases, alias_of, ask_to_move
from waitlist_api.records.notices import Notice
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.retention import Retention
from waitlist_api.records.table import Table
from waitlist_api.records.transitions import Transitions
from waitlist_shared import contracts as c

KEY = ("bakery", "a" * 26)
ADDRESS = "b" * 26
NOW = 1_790_000_000_000
HOUR = 3_600_000
OPERATOR = "arn:aws:iam::123456789012:user/ada"
A_BAN = BanRequest(waitlist_id=KEY[0], entry_id=KEY[1], by=OPERATOR)


OTHER_DATA = Signup(address="email", profile={"n": 2}, attributes={}, language="en")


class Life:
    """One customer's life on a waitlist.

    Each method writes one change to the table, as the service does.
    """

    def __init__(self) -> None:
        self.client = new_table()
        self.table = table = Table(self.client, TABLE)
        keeps_for_ever: Any = SimpleNamespace(retention_days_of=lambda _: None)
        self.entries = EntryRecords(table, lambda: NOW)
        self.erasures = Erasures(table)
        self.transitions = Transitions(table, Retention(table, keeps_for_ever), MetricsCollector())
        self.ledger = Ledger(table)
        self.aliases = Aliases(table, self.entries, self.erasures)
        self.recipients = Recipients(table, lambda: NOW)
        self.stamp = 100
        self.stays = 0

    @property
    def record(self) -> EntryRecord:
        record = self.ledger.read(*KEY)
        assert record is not None
        return record

    def contents(self) -> list[dict[str, Any]]:
        items = items_of(self.client)
        return sorted(items, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))

    def draw(self) -> int:
        self.stamp += 10
        return self.stamp

    def begin(self, **fields: Any) -> EntryRecord:
        self.stays += 1
        intent = EntryRecord(
            waitlist_id=KEY[0],
            entry_id=KEY[1],
            customer_id="ada",
            status="joining",
            join_id=f"{self.stays:08x}",
            joined=Joined(millis=NOW),
            updated_millis=NOW,
            **fields,
        )
        former = self.entries.get(*KEY)
        if former is not None:
            return self.entries.begin_rejoin(intent, former)
        self.entries.begin_join(intent)
        return intent

    def place(self, intent: EntryRecord) -> EntryRecord:
        ticket = self.draw()
        placed = c.SignupResult(outcome="joined", rank=ticket, ticket=ticket, stamp=ticket)
        self.entries.finish_join(intent, placed, NOW)
        return self.record

    def sign_up(self) -> EntryRecord:
        return self.place(self.begin())

    def sign_up_unverified(self) -> EntryRecord:
        return self.place(self.begin(verification=Verification(until_millis=NOW + HOUR)))

    def verify(self) -> EntryRecord:
        event = HistoryEvent(stamp=self.draw(), event="verified", by="customer")
        return self.change(self.record, event, verification=Verification())

    def decision(self, verb: c.Verb, at: int = NOW + HOUR, **more: Any) -> c.Decision:
        record = self.record
        made: dict[str, Any] = {
            "token": record.hold.token or "0" * 40,
            "stamp": self.draw(),
            "rank": record.rank,
            "ticket": record.ticket,
            "at": at,
            "basis_stamp": record.stamp,
            "placed_stamp": 0,
        }
        return c.Decision(verb=verb, **{**made, **more})

    def write(self, decision: c.Decision) -> EntryRecord:
        event = HistoryEvent(stamp=decision.stamp, event=decision.verb, by="policy")
        transition = transition_of(KEY, decision, (event,))
        if decision.verb == "admitted":
            transition = transition.then(
                lambda record: replace(
                    record, end=replace(record.end, inside_until_millis=NOW + HOUR)
                )
            )
        self.transitions.record(transition, NOW)
        return self.record

    def write_claim(self, decision: c.Decision) -> None:
        """Record a claim.

        If Redis repeats a claim that the record already contains, write nothing.
        """
        transition = transition_of(KEY, decision, ())
        self.transitions.record(replace(transition, unless_token=decision.token), NOW)

    def decide(self, verb: c.Verb, **more: Any) -> EntryRecord:
        return self.write(self.decision(verb, **more))

    def offer(self) -> EntryRecord:
        record = self.entries.get(*KEY)
        if record is None or record.has_ended:
            self.sign_up()
        return self.decide("offered", token=f"{self.draw():040x}")

    def admit(self) -> EntryRecord:
        self.offer()
        return self.decide("admitted", at=NOW)

    def claim(self) -> EntryRecord:
        self.offer()
        transition = transition_of(KEY, self.decision("offered", token="c" * 40), ())
        self.transitions.record(
            transition.then(
                lambda record: replace(record, hold=replace(record.hold, is_offer=False))
            ),
            NOW,
        )
        return self.record

    def begin_to_leave(self) -> EntryRecord:
        return self.leave_as(Leave(by="customer"))

    def leave_as(self, leave: Leave) -> EntryRecord:
        record = self.record
        if not leave.applies_to(record):
            raise EntryChanged(record)
        return self.ledger.save(record, begin_leave(record, leave, NOW))

    def left(self, record: EntryRecord) -> None:
        event = HistoryEvent(stamp=self.draw(), event="left", by="customer")
        self.ledger.commit(record, finish_leave(record, event, NOW), NOW)

    def leave(self) -> EntryRecord:
        self.left(self.begin_to_leave())
        return self.record

    def begin_to_erase(self) -> EntryRecord:
        record = self.ledger.read(*KEY)
        if record is None:
            raise EntryChanged(None)
        return self.ledger.save(record, begin_erase(record, NOW))

    def erase(self) -> None:
        self.erasures.erase(self.begin_to_erase(), self.draw())

    def ban(self, record: EntryRecord | None) -> EntryRecord:
        has_ended = record is not None and record.has_ended
        stamp = record.stamp_off_list(NOW) if record and has_ended else self.draw()
        self.ledger.commit(record, bans.ban(record, A_BAN, stamp, NOW), NOW)
        return self.record

    def unban(self, record: EntryRecord) -> EntryRecord:
        self.ledger.commit(record, bans.unban(record, OPERATOR, "", NOW, None), NOW)
        return self.record

    def exit(self, record: EntryRecord) -> EntryRecord:
        return self.exit_at(record, NOW)

    def exit_at(
        self, record: EntryRecord, now_millis: int, *, keeps_room: bool = False
    ) -> EntryRecord:
        decided = go_out(record, "customer", "", now_millis, keeps_room=keeps_room)
        return self.ledger.commit(record, decided, now_millis)

    def exit_and_keep_room(self, record: EntryRecord) -> EntryRecord:
        return self.exit_at(record, NOW, keeps_room=True)

    def move(self, stamp: int, **more: Any) -> Move:
        record = self.record
        assert record.ticket is not None
        made = c.BumpResult(
            outcome="moved",
            rank=record.ticket - 7,
            ticket=record.ticket,
            stamp=stamp,
            moved_stamp=stamp,
            position=1,
            total=1,
            attempts=0,
            expired_stamp=0,
            expired_millis=0,
            basis_stamp=record.stamp,
        )
        event = HistoryEvent(stamp=stamp, event="bumped", by=OPERATOR)
        return Move(replace(made, **more), "", (event,))

    def bump(self, move: Move) -> EntryRecord:
        self.entries.record_bump(KEY, move, NOW)
        return self.record

    def edit(self, record: EntryRecord) -> EntryRecord:
        event = HistoryEvent(stamp=self.draw(), event="edited", by="customer")
        decided = edit(record, event, NOW, profile={"edit": self.stamp})
        return self.ledger.commit(record, decided, NOW)

    def edit_as_operator(self, record: EntryRecord) -> EntryRecord:
        event = HistoryEvent(stamp=self.draw(), event="edited", by=OPERATOR)
        decided = edit(record, event, NOW, attributes={"language": "Spanish"})
        return self.ledger.commit(record, decided, NOW)

    def change(self, record: EntryRecord, event: HistoryEvent, **fields: Any) -> EntryRecord:
        decided = change_readiness(record, replace(record, **fields), event, NOW)
        return self.ledger.commit(record, decided, NOW)

    def hold_back(self, record: EntryRecord) -> EntryRecord:
        return self.hold_back_at(record, self.draw())

    def hold_back_at(self, record: EntryRecord, stamp: int) -> EntryRecord:
        event = HistoryEvent(stamp=stamp, event="held_back", by=OPERATOR)
        return self.change(record, event, pauses=Pauses(held_back_reason=f"reason {stamp}"))

    def ask_link(self, record: EntryRecord) -> None:
        self.ask(record, self.draw(), NOW + HOUR)

    def ask(
        self, record: EntryRecord, stamp: int, now_millis: int, signup: Signup | None = None
    ) -> None:
        decided = ask_for_link(record, stamp, now_millis, signup)
        assert decided is not None
        self.ledger.commit(record, decided, now_millis)

    def repeat_signup(self, record: EntryRecord) -> None:
        self.ask(record, self.draw(), NOW, OTHER_DATA)

    def repeat_signup_later(self, record: EntryRecord) -> None:
        self.ask(record, self.draw(), NOW + HOUR, OTHER_DATA)

    def ask_address(self, record: EntryRecord) -> EntryRecord:
        stamp = self.draw()
        decided = ask_to_move(record, ADDRESS, f"ada-{stamp}@example.com", stamp, NOW)
        return self.ledger.commit(record, decided, NOW)

    def tell(self, record: EntryRecord) -> None:
        self.ledger.commit(record, Notice(record, "near").decide(self.draw()), NOW)

    def point_address(self) -> EntryRecord:
        if not self.stays:
            self.sign_up()
        alias = alias_of(self.record, ADDRESS, 0, NOW)
        self.table.put(item_of(alias), "attribute_not_exists(#pk)")
        return alias

    def forget_address(self) -> None:
        alias = self.ledger.read_stored(KEY[0], ADDRESS)
        assert alias is not None
        self.erasures.erase(alias)

    def intent_of(self, entry_id: str) -> EntryRecord:
        return replace(self.record, entry_id=entry_id, status="joining", join_id="f" * 8)

    def ask_in_vain(self, asked_millis: int = NOW, unanswered: bool = True) -> EntryRecord:
        event = HistoryEvent(stamp=self.draw(), event="unanswered", by="maintenance")
        return self.change(
            self.record,
            event,
            question=Question(
                asked_millis=asked_millis,
                confirm_by_millis=asked_millis + HOUR,
                unanswered=unanswered,
            ),
        )

    def append(self, decision: c.Decision) -> None:
        event = HistoryEvent(stamp=decision.stamp, event=decision.verb, by="policy")
        self.transitions.append(KEY, event, NOW)


@pytest.fixture
def life() -> Life:
    return Life()


Step = Callable[[Life], Any]
Late = Callable[[Life, Any], object]


def in_turn(*steps: Step) -> Step:
    def take(life: Life) -> Any:
        return [step(life) for step in steps][-1]

    return take


def with_record(act: Late) -> Step:
    return lambda life: act(life, life.record)


JOIN_AGAIN = in_turn(Life.leave, Life.sign_up)
# After an erasure and a new signup, the record contains nothing from the first signup.
COME_AS_NEW = in_turn(Life.erase, Life.sign_up)
RELEASED = in_turn(Life.offer, lambda life: life.decide("declined"))


def sign_up_and_draw(life: Life) -> EntryRecord:
    record = life.sign_up()
    life.draw()
    return record


def forget_signup(life: Life) -> None:
    life.entries.cancel_join(life.record)
    life.begin()


def rewind(life: Life) -> None:
    """Give the next signup the same logical timestamp as the first one.

    Redis repeats a timestamp if it loses writes in a failover and the service does not notice.
    """
    life.stamp = 100


def decline_and_leave(life: Life, _offer: EntryRecord) -> None:
    life.leave_as(Leave(by="customer", offer=LeftOffer()))


def sign_up_again(life: Life, former: EntryRecord) -> None:
    intent = replace(former, join_id="f" * 8, status="joining")
    life.entries.begin_rejoin(intent, former)


def decided(verb: c.Verb) -> Step:
    return lambda life: life.decision(verb)


def take_back(life: Life, told: EntryRecord) -> None:
    life.ledger.save(told, no_longer_near(told))


# Each case consists of three functions. The first prepares a write, the second changes the record,
# and the third tries the prepared write.
REFUSED: dict[str, tuple[Step, Step, Late]] = {
    "taking a notice back: the entry was moved": (
        in_turn(Life.sign_up, with_record(Life.tell), lambda life: life.record),
        lambda life: life.bump(life.move(life.draw())),
        take_back,
    ),
    "taking a notice back: the person was told again": (
        in_turn(Life.sign_up, with_record(Life.tell), lambda life: life.record),
        with_record(Life.tell),
        take_back,
    ),
    "a signup over a stale alias: another alias is there": (
        Life.point_address,
        in_turn(Life.forget_address, Life.point_address),
        lambda life, alias: life.entries.begin_rejoin(life.intent_of(ADDRESS), alias),
    ),
    "taking an intent back: the signup is placed": (
        Life.begin,
        lambda life: life.place(life.record),
        lambda life, intent: life.entries.cancel_join(intent),
    ),
    "taking an intent back: another signup has begun": (
        Life.begin,
        forget_signup,
        lambda life, intent: life.entries.cancel_join(intent),
    ),
    "a place: the signup is being left": (Life.begin, Life.begin_to_leave, Life.place),
    "a place: another signup has begun": (Life.begin, forget_signup, Life.place),
    "a signup: the entry has joined again and left again": (
        in_turn(Life.sign_up, Life.leave),
        in_turn(Life.sign_up, Life.leave),
        sign_up_again,
    ),
    "a signup: the entry is joining again": (
        in_turn(Life.sign_up, Life.leave),
        Life.begin,
        sign_up_again,
    ),
    "a signup: the customer has gone out": (
        Life.admit,
        lambda life: life.exit_at(life.record, NOW + 1),
        sign_up_again,
    ),
    "a signup: the customer is banned": (
        in_turn(Life.sign_up, Life.leave),
        with_record(Life.ban),
        sign_up_again,
    ),
    "a signup: the entry is being erased": (
        in_turn(Life.sign_up, Life.leave),
        Life.begin_to_erase,
        sign_up_again,
    ),
    "a first signup: another request has signed the customer up": (
        lambda _life: None,
        Life.sign_up,
        lambda life, _: life.entries.begin_join(life.record),
    ),
    "leaving: the stay has ended": (
        Life.sign_up,
        Life.leave,
        lambda life, _: life.begin_to_leave(),
    ),
    "leaving if the entry is parked: it waits again": (
        in_turn(Life.claim, lambda life: life.decide("parked")),
        lambda life: life.decide("redriven"),
        lambda life, _: life.leave_as(Leave(by=OPERATOR, status="parked")),
    ),
    "leaving if the address is not verified: it is": (
        Life.sign_up,
        lambda _life: None,
        lambda life, _: life.leave_as(Leave(by="maintenance", unverified=True)),
    ),
    "leaving this offer: the entry has another one": (
        Life.offer,
        in_turn(lambda life: life.decide("declined"), lambda life: life.decide("offered", at=NOW)),
        lambda life, offer: life.leave_as(
            Leave(by="customer", offer=LeftOffer(until_millis=offer.hold.until_millis))
        ),
    ),
    "leaving an offer: a claim holds the entry": (Life.sign_up, Life.claim, decline_and_leave),
    "leaving an offer: the customer has entered": (
        Life.offer,
        lambda life: life.decide("admitted", at=NOW),
        decline_and_leave,
    ),
    "the end of a leave: another request has ended it": (
        in_turn(Life.sign_up, Life.begin_to_leave),
        with_record(Life.left),
        Life.left,
    ),
    "the end of a leave: the next stay is being left": (
        in_turn(Life.sign_up, Life.begin_to_leave),
        in_turn(with_record(Life.left), Life.sign_up, Life.begin_to_leave),
        Life.left,
    ),
    "the end of a leave: the entry is being erased": (
        in_turn(Life.sign_up, Life.begin_to_leave),
        Life.begin_to_erase,
        Life.left,
    ),
    "the end of a leave: the customer is banned": (
        in_turn(Life.sign_up, Life.begin_to_leave),
        with_record(Life.ban),
        Life.left,
    ),
    "an exit: the customer has gone out": (Life.admit, with_record(Life.exit), Life.exit),
    "an exit: the customer is inside again": (
        Life.admit,
        Life.admit,
        Life.exit,
    ),
    "an exit: the customer is joining again": (Life.admit, Life.begin, Life.exit),
    "an exit: the entry is being erased": (Life.admit, Life.begin_to_erase, Life.exit),
    "an exit that keeps the room: the customer has gone out so before": (
        Life.admit,
        with_record(Life.exit_and_keep_room),
        Life.exit_and_keep_room,
    ),
    "a move: the entry is being left": (
        in_turn(RELEASED, lambda life: life.move(life.draw())),
        Life.begin_to_leave,
        Life.bump,
    ),
    "a move: another stay has begun, and its stamps are earlier": (
        in_turn(Life.sign_up, lambda life: life.move(life.draw() + 50)),
        in_turn(JOIN_AGAIN),
        Life.bump,
    ),
    "a move: the record has a hold that Redis did not know": (
        in_turn(Life.sign_up, lambda life: life.move(life.draw() + 50)),
        Life.offer,
        Life.bump,
    ),
    "a decision: the entry is being left": (
        in_turn(RELEASED, decided("offered")),
        Life.begin_to_leave,
        Life.write,
    ),
    "a decision: the entry is being erased": (
        in_turn(RELEASED, decided("offered")),
        Life.begin_to_erase,
        Life.write,
    ),
    "a decision: a later one is recorded": (
        in_turn(Life.offer, decided("declined")),
        lambda life: life.decide("declined"),
        Life.write,
    ),
    "a decision: another stay has begun, and its stamps are earlier": (
        in_turn(Life.sign_up, lambda life: life.decision("offered", stamp=900, placed_stamp=900)),
        JOIN_AGAIN,
        Life.write,
    ),
    "a decision about a waiting entry: a later offer is recorded, and has ended": (
        in_turn(Life.sign_up, decided("offered")),
        in_turn(lambda life: life.decide("offered"), lambda life: life.decide("declined")),
        Life.write,
    ),
    "a claim that is repeated: its hold was recorded, and has ended": (
        in_turn(Life.claim, lambda life: life.decision("offered", stamp=life.draw() + 90)),
        lambda life: life.decide("released"),
        Life.write_claim,
    ),
    "a decision about a hold: the record has one that Redis did not know": (
        in_turn(Life.offer, lambda life: life.decision("declined", stamp=life.draw() + 90)),
        lambda life: life.decide("withdrawn"),
        Life.write,
    ),
    "a decision about a waiting entry: the record has a hold that Redis did not know": (
        in_turn(Life.sign_up, lambda life: life.decision("offered", stamp=life.draw() + 90)),
        lambda life: life.decide("offered"),
        Life.write,
    ),
    "an event of an earlier decision: the entry is being erased": (
        in_turn(Life.offer, decided("declined")),
        Life.begin_to_erase,
        Life.append,
    ),
    "an event of an earlier decision: the entry is erased": (
        in_turn(Life.offer, decided("declined")),
        Life.erase,
        Life.append,
    ),
    "an erasure: there is no entry": (
        Life.sign_up,
        Life.erase,
        lambda life, _: life.begin_to_erase(),
    ),
    "an edit: the record has these values": (
        Life.sign_up,
        with_record(Life.edit_as_operator),
        Life.edit_as_operator,
    ),
    "an edit: the entry is being left": (Life.sign_up, Life.begin_to_leave, Life.edit),
    "an edit: the entry is being erased": (Life.sign_up, Life.begin_to_erase, Life.edit),
    "an edit: another one came first": (Life.sign_up, with_record(Life.edit), Life.edit),
    "an edit: the customer has come as a new one": (Life.sign_up, COME_AS_NEW, Life.edit),
    "a change of readiness: the entry is being left": (
        Life.sign_up,
        Life.begin_to_leave,
        Life.hold_back,
    ),
    "a change of readiness: another one came first": (
        Life.sign_up,
        with_record(Life.hold_back),
        Life.hold_back,
    ),
    "a change of readiness: the customer has come as a new one": (
        Life.sign_up,
        COME_AS_NEW,
        Life.hold_back,
    ),
    "a link: the entry is being left": (Life.sign_up, Life.begin_to_leave, Life.ask_link),
    "a link: it was asked for before": (
        Life.sign_up,
        lambda life: life.ask(life.record, life.draw(), NOW + HOUR - 1),
        Life.ask_link,
    ),
    "a link: the customer has come as a new one": (Life.sign_up, COME_AS_NEW, Life.ask_link),
    "the data of a repeated signup: the entry is being left": (
        Life.sign_up_unverified,
        Life.begin_to_leave,
        Life.repeat_signup,
    ),
    "the data of a repeated signup: the address is verified": (
        Life.sign_up_unverified,
        Life.verify,
        Life.repeat_signup,
    ),
    "the data of a repeated signup and a link: the address is verified": (
        Life.sign_up_unverified,
        Life.verify,
        Life.repeat_signup_later,
    ),
    "the data of a repeated signup: the customer has come as a new one": (
        Life.sign_up_unverified,
        in_turn(Life.erase, Life.sign_up_unverified),
        Life.repeat_signup,
    ),
    "an address: the entry is being left": (
        Life.sign_up,
        Life.begin_to_leave,
        Life.ask_address,
    ),
    "an address: another one was asked for": (
        Life.sign_up,
        with_record(Life.ask_address),
        Life.ask_address,
    ),
    "an address: the customer has come as a new one": (
        Life.sign_up,
        COME_AS_NEW,
        Life.ask_address,
    ),
    "a notice: the entry is being left": (Life.sign_up, Life.begin_to_leave, Life.tell),
    "a notice: the entry is being erased": (Life.sign_up, Life.begin_to_erase, Life.tell),
    "a notice: the entry has an offer": (
        Life.sign_up,
        lambda life: life.decide("offered"),
        Life.tell,
    ),
    "a notice: the offer was declined": (
        Life.sign_up,
        in_turn(lambda life: life.decide("offered"), lambda life: life.decide("declined")),
        Life.tell,
    ),
    "a notice: the entry was edited": (Life.sign_up, with_record(Life.edit), Life.tell),
    "a notice: the customer has come as a new one, after a failover with the same stamp": (
        Life.sign_up,
        in_turn(Life.erase, rewind, Life.sign_up),
        Life.tell,
    ),
    "a ban of a stranger: the customer has signed up": (
        lambda _life: None,
        Life.sign_up,
        Life.ban,
    ),
    "a ban: the customer has gone out at that moment": (
        Life.admit,
        with_record(Life.exit),
        Life.ban,
    ),
    "a ban: the entry has a later event": (
        sign_up_and_draw,
        lambda life: life.hold_back(life.record),
        lambda life, record: life.ledger.commit(
            record, bans.ban(record, A_BAN, record.stamp + 10, NOW), NOW
        ),
    ),
    "an exit: the customer is banned at that moment": (
        Life.admit,
        with_record(Life.ban),
        Life.exit,
    ),
    "a signup: the customer has gone out at that moment": (
        Life.admit,
        with_record(Life.exit),
        sign_up_again,
    ),
    "an edit: the entry has a later event": (
        sign_up_and_draw,
        lambda life: life.ask_link(life.record),
        lambda life, record: life.hold_back_at(record, record.stamp + 10),
    ),
    "a link: the entry has a later event": (
        sign_up_and_draw,
        lambda life: life.hold_back(life.record),
        lambda life, record: life.ask(record, record.stamp + 10, NOW + HOUR),
    ),
    "a ban: the customer is banned": (
        in_turn(Life.sign_up, Life.leave),
        with_record(Life.ban),
        Life.ban,
    ),
    "a ban: the stay has ended": (Life.sign_up, Life.leave, Life.ban),
    "a ban: a stay has begun": (in_turn(Life.sign_up, Life.leave), Life.sign_up, Life.ban),
    "a ban: the entry is being erased": (Life.sign_up, Life.begin_to_erase, Life.ban),
    "an end of a ban: the customer is banned anew": (
        in_turn(Life.sign_up, Life.leave, with_record(Life.ban)),
        in_turn(with_record(Life.unban), with_record(Life.ban)),
        Life.unban,
    ),
    "an end of a ban: the entry is being erased": (
        in_turn(Life.sign_up, Life.leave, with_record(Life.ban)),
        Life.begin_to_erase,
        Life.unban,
    ),
}


def released(life: Life) -> tuple[EntryRecord, c.Decision]:
    return life.claim(), life.decision("released", until_millis=NOW + HOUR)


def declined(life: Life) -> tuple[EntryRecord, c.Decision]:
    return life.claim(), life.decision("declined", until_millis=NOW + HOUR, declines=2)


def note_delay(life: Life, seen: tuple[EntryRecord, c.Decision]) -> None:
    life.transitions.note_delay(*seen, NOW)


def end_question(life: Life, seen: EntryRecord) -> None:
    assert seen.ticket is not None
    life.transitions.end_question(seen, seen.ticket, NOW)


def turn_off(life: Life, record: EntryRecord) -> None:
    assert record.ticket is not None
    assert not life.recipients.turn_off(*KEY, record.ticket)


def turn_on(life: Life, record: EntryRecord) -> None:
    assert record.ticket is not None
    assert not life.recipients.turn_on(*KEY, record.ticket, NOW)


def list_stay(life: Life, now_millis: int = NOW) -> Any:
    recipients = Recipients(life.table, lambda: now_millis)
    return recipients.list_stay(*KEY, life.record.ticket or 0)


def erased_by_another(life: Life) -> None:
    life.erasures.erase(life.record, life.draw())


# Cases in which a late write is ignored and the caller gets no error.
IGNORED: dict[str, tuple[Step, Step, Late]] = {
    "a delay: another stay has begun": (released, JOIN_AGAIN, note_delay),
    "a delay: a longer one is recorded": (
        released,
        lambda life: life.decide("released", until_millis=NOW + 2 * HOUR),
        note_delay,
    ),
    "a decline: another stay has begun": (declined, JOIN_AGAIN, note_delay),
    "a decline: a later one is recorded": (
        declined,
        lambda life: life.decide("declined", until_millis=NOW + 2 * HOUR, declines=3),
        note_delay,
    ),
    "the end of a question: the customer was asked again": (
        in_turn(Life.sign_up, Life.ask_in_vain),
        lambda life: life.ask_in_vain(NOW + 1),
        end_question,
    ),
    "the end of a question: the note of its end is taken back": (
        in_turn(Life.sign_up, Life.ask_in_vain),
        lambda life: life.ask_in_vain(unanswered=False),
        end_question,
    ),
    "the end of a question: another stay was asked at the same millisecond": (
        in_turn(Life.sign_up, Life.ask_in_vain),
        in_turn(JOIN_AGAIN, Life.ask_in_vain),
        end_question,
    ),
    "messages off: another stay has begun": (Life.sign_up, JOIN_AGAIN, turn_off),
    "messages off: the entry is being erased": (Life.sign_up, Life.begin_to_erase, turn_off),
    "messages on: the entry is erased": (Life.sign_up, Life.erase, turn_on),
    "a mark in the index: a later stay has one": (
        Life.sign_up,
        in_turn(JOIN_AGAIN, list_stay),
        lambda life, seen: life.recipients.list_stay(*KEY, seen.ticket),
    ),
    "the end of a mark: a later stay has one": (
        in_turn(Life.sign_up, list_stay),
        in_turn(JOIN_AGAIN, list_stay),
        lambda life, mark: life.recipients.remove(KEY[0], mark),
    ),
    "the end of a mark: it was written again": (
        in_turn(Life.sign_up, list_stay),
        lambda life: Recipients(life.table, lambda: NOW + 1).list_stay(
            *KEY, life.record.ticket or 0
        ),
        lambda life, mark: life.recipients.remove(KEY[0], mark),
    ),
    "the end of an erasure: the customer has come as a new one": (
        in_turn(Life.sign_up, with_record(Life.edit), Life.begin_to_erase),
        in_turn(erased_by_another, Life.sign_up),
        lambda life, record: life.erasures.erase(record),
    ),
    "the end of an alias: another one is there": (
        Life.point_address,
        in_turn(Life.forget_address, Life.point_address),
        lambda life, alias: life.erasures.erase(alias),
    ),
    "the deadline of a signup: its event is erased": (
        Life.sign_up,
        Life.erase,
        lambda life, record: life.ledger.take_off_index(
            HistoryEvent.key(*KEY, record.stamp, VERIFICATION_ASKED)
        ),
    ),
}


@pytest.mark.parametrize(("first", "then", "late"), REFUSED.values(), ids=REFUSED)
def test_a_late_write_is_refused_and_changes_nothing(
    life: Life, first: Step, then: Step, late: Late
) -> None:
    """P2, P3, P4"""
    seen = first(life)
    then(life)
    before = life.contents()
    with pytest.raises(EntryChanged):
        late(life, seen)
    assert life.contents() == before


@pytest.mark.parametrize(("first", "then", "late"), IGNORED.values(), ids=IGNORED)
def test_a_late_write_is_ignored_and_changes_nothing(
    life: Life, first: Step, then: Step, late: Late
) -> None:
    """P2, P3, P8"""
    seen = first(life)
    then(life)
    before = life.contents()
    late(life, seen)
    assert life.contents() == before


def history(life: Life) -> list[tuple[str, str]]:
    items = [item for item in life.contents() if item["sk"]["S"].startswith("HISTORY#")]
    return [(item["event"]["S"], item.get("reason", {}).get("S", "")) for item in items]


def test_an_event_is_refused_if_the_entry_is_erased_at_that_moment(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a customer is erased just as an event is added to the history, the write must fail. The
    caller must not believe that the event is stored (promise P8).
    """
    life.offer()
    declined = life.decision("declined")
    life.decide("withdrawn")
    transact = life.client.transact_write_items

    def erase_first(**request: Any) -> Any:
        monkeypatch.undo()
        life.erase()
        return transact(**request)

    monkeypatch.setattr(life.client, "transact_write_items", erase_first)
    with pytest.raises(EntryChanged):
        life.append(declined)
    assert history(life) == []


def test_the_event_of_an_earlier_decision_joins_the_history_of_a_newer_record(life: Life) -> None:
    """If a change in Redis is recorded late, when the record already contains a newer one, only the
    event is added to the history (promise P3).
    """
    life.offer()
    declined = life.decision("declined")
    newer = life.decide("withdrawn")
    life.append(declined)
    assert history(life) == [("joined", ""), ("offered", ""), ("declined", ""), ("withdrawn", "")]
    assert replace(life.record, changes=newer.changes) == newer


def test_an_event_that_the_history_has_stays_as_it_is_and_is_counted_once(life: Life) -> None:
    """If maintenance and a request add the same event with different reasons, only the first one is
    stored and counted (promise P2).
    """
    life.offer()
    expired = HistoryEvent(stamp=life.draw(), event="expired", by="maintenance")
    life.decide("offered")
    for reason in ("first", "second"):
        life.transitions.append(KEY, replace(expired, reason=reason), NOW)
    assert ("expired", "first") in history(life)
    assert life.transitions.metrics.take()["holds_expired"] == 1


def test_an_offer_of_a_redis_that_has_lost_a_move_leaves_the_recorded_rank(life: Life) -> None:
    """P1"""
    life.sign_up()
    offered = life.decision("offered", stamp=900)
    moved = life.bump(life.move(life.draw()))
    assert offered.rank != moved.rank
    record = life.write(offered)
    assert (record.status, record.rank) == ("offered", moved.rank)


def test_a_decision_that_moves_the_entry_changes_the_recorded_rank(life: Life) -> None:
    """P1"""
    life.offer()
    declined = life.decision("declined", rank=900, placed_stamp=life.stamp + 10)
    assert life.write(declined).rank == 900


def test_a_move_that_a_later_one_has_overtaken_is_an_event_alone(life: Life) -> None:
    """If a customer's later move was recorded first, the earlier move only adds its event.

    The customer keeps the place from the later move (promise P1).
    """
    life.sign_up()
    first, second = life.move(life.draw()), life.move(life.draw(), rank=5)
    life.bump(second)
    assert life.bump(first).rank == 5
    assert [event for event, _ in history(life)] == ["joined", "bumped", "bumped"]


def test_the_time_of_an_event_that_is_erased_meanwhile_does_not_bring_it_back(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P8"""
    life.sign_up()
    query = Table.query

    def erased_after(table: Table, *arguments: Any, **options: Any) -> Any:
        monkeypatch.undo()
        found = query(table, *arguments, **options)
        life.erase()
        return found

    monkeypatch.setattr(Table, "query", erased_after)
    life.transitions.retention.expire_history(KEY, life.stamp, NOW // 1000)
    assert history(life) == []
