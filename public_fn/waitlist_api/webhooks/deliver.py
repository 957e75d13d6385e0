"""Delivers the events of entries to the webhook: each at least once, in order for each entry.

The queue keeps no order, so a message only says that its entry has an event: which events the
webhook lacks, and in which order, the histories and the entry's cursor say. A lease lets one
process at a time send the events of an entry, and while one of them fails, later ones wait.
"""

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import A_DAY_MILLIS, LeftMillis, NowMillis, now_millis
from waitlist_api.records.webhooks import ERASED, Cursor, DeadLetter, Detail, Lease, WebhookRecords
from waitlist_api.webhooks.queue import QueuedEvent, WebhookQueue
from waitlist_api.webhooks.receiver import ATTEMPT_SECONDS, Attempt, Receiver
from waitlist_api.webhooks.signatures import Signatures

# Longer than the function's timeout, so that no lease ends while its process still sends.
LEASE_SECONDS = 75
# Left of the function's time after an attempt: to note what became of it.
NOTE_SECONDS = 10
LEASED_PAUSE_SECONDS = 3
FIRST_PAUSE_SECONDS = 5
LONGEST_PAUSE_SECONDS = 3600
# How long an event is tried; and an event waits for earlier ones that are at most twice as old.
TRIED_MILLIS = A_DAY_MILLIS
HISTORY_DAYS = 2
KEPT_STAMPS = 100
# An entry's cursor is one item of at most 400 KB; an event takes 200 bytes.
KEPT_DETAILS = 300
# The clocks of this function and of SQS differ by less.
SKEW_MILLIS = 60_000

Result = Literal["sent", "repeated", "failed", "waiting", "leased", "given_up"]


class Verdict(Struct, frozen=True):
    """What became of a message: it is done, or comes back after `again_seconds`.

    `sent` events were delivered, `given_up` became dead letters; `attempt` is the last one.
    """

    result: Result
    again_seconds: int | None = None
    sent: int = 0
    given_up: int = 0
    attempt: Attempt | None = None


class Round(Struct, frozen=True):
    """One turn of sending the events of an entry, in order, until one fails."""

    cursor: Cursor
    sent: int = 0
    attempt: Attempt | None = None


class Deliveries(Struct, frozen=True):
    """Sends what the messages of the queue announce."""

    records: WebhookRecords
    queue: WebhookQueue
    receiver: Receiver
    signatures: Signatures
    now_millis: NowMillis = now_millis
    jitter: Callable[[], float] = random.random

    def deliver(self, event: QueuedEvent, left_millis: LeftMillis) -> Verdict:
        """Deliver an event, after those of its entry before it."""
        detail = event.detail
        lease = self.records.take(detail.waitlist_id, detail.entry_id, LEASE_SECONDS)
        if lease is None:
            return Verdict("leased", again_seconds=LEASED_PAUSE_SECONDS)
        cursor = lease.cursor
        found = self.records.events(detail.waitlist_id, detail.entry_id, cursor.floor, HISTORY_DAYS)
        cursor = with_waiting(cursor, found, event)
        if not cursor.waiting:
            self.records.give_back(detail.waitlist_id, detail.entry_id, lease, cursor)
            return Verdict("repeated")
        return self._note(event, lease, self._send(cursor, left_millis))

    def _send(self, cursor: Cursor, left_millis: LeftMillis) -> Round:
        """Send the waiting events in order, unless it is too early."""
        now = self.now_millis()
        if now < cursor.not_before_millis:
            return Round(cursor)
        pause = self.records.receiver_pause()
        if now < pause:
            return Round(replace(cursor, not_before_millis=pause))
        sent, attempt = 0, None
        for detail in cursor.waiting:
            if left_millis() < (ATTEMPT_SECONDS + NOTE_SECONDS) * 1000:
                # The message comes back at once and goes on.
                return Round(cursor, sent)
            attempt = self._post(detail)
            if attempt.outcome != "sent":
                return Round(self._after_failure(cursor, attempt), sent, attempt)
            sent += 1
            cursor = settled(replace(cursor, failures=0, not_before_millis=0), [detail])
        return Round(cursor, sent, attempt)

    def _post(self, detail: Detail) -> Attempt:
        headers = self.signatures.headers(webhook_id(detail), detail.body)
        now = datetime.fromtimestamp(self.now_millis() / 1000, UTC)
        return self.receiver.post(detail.body, headers, now)

    def _after_failure(self, cursor: Cursor, attempt: Attempt) -> Cursor:
        now = self.now_millis()
        if attempt.pause_seconds:
            self.records.pause_receiver(now + attempt.pause_seconds * 1000)
        seconds = max(attempt.pause_seconds, pause_after(cursor.failures))
        return replace(cursor, failures=cursor.failures + 1, not_before_millis=now + seconds * 1000)

    def _note(self, event: QueuedEvent, lease: Lease, round_: Round) -> Verdict:
        """Note how far the entry is, and give up the event whose day is over."""
        cursor, now = round_.cursor, self.now_millis()
        is_pending = any(one.number == event.detail.number for one in cursor.waiting)
        lost: list[Detail] = []
        if is_pending and now >= event.sent_millis + TRIED_MILLIS:
            lost = [one for one in cursor.waiting if _is_lost(one, event, now)]
            for detail in lost:
                self.queue.bury(detail)
            cursor = given_up(cursor, lost, now)
        detail = event.detail
        is_noted = self.records.give_back(detail.waitlist_id, detail.entry_id, lease, cursor)
        verdict = Verdict("sent", None, round_.sent, len(lost), round_.attempt)
        if lost:
            return replace(verdict, result="given_up")
        if not is_noted:
            return replace(verdict, result="leased", again_seconds=LEASED_PAUSE_SECONDS)
        if not is_pending:
            return verdict
        has_failed = round_.attempt is not None and round_.attempt.outcome != "sent"
        seconds = max(0, cursor.not_before_millis - now) / 1000
        # Spread, because all entries may have failed at the same time.
        spread = int(seconds * (1 + self.jitter() / 10)) + 1
        return replace(verdict, result="failed" if has_failed else "waiting", again_seconds=spread)


def webhook_id(detail: Detail) -> str:
    """Return the id of an event's webhook: the same at each attempt and at a replay."""
    return f"evt_{detail.entry_id}_{detail.stamp}"


def with_waiting(cursor: Cursor, found: Sequence[Detail], event: QueuedEvent) -> Cursor:
    """Return the cursor with all events that the webhook lacks, in order.

    They are those of the history, those that were seen before, and the message's own, which the
    history of an erased entry has no more. An event that was given up is not among them: its
    message may be delivered twice, and later events were sent since. An operator's replay brings
    it back, with all that were given up before it.
    """
    again = _again(cursor, event) if event.is_replay else []
    dead = tuple(one for one in cursor.dead if one not in again)
    returned = [one.detail for one in again]
    known = {one.number: one for one in (*found, event.detail, *cursor.waiting, *returned)}
    ended = set(cursor.settled) | {one.number for one in dead}
    if event.is_replay and event.detail.number < cursor.erased:
        ended.add(event.detail.number)
    waiting = sorted((one for one in known.values() if one.number not in ended), key=_number)
    return replace(cursor, waiting=tuple(waiting[:KEPT_DETAILS]), dead=dead)


def _again(cursor: Cursor, replay: QueuedEvent) -> list[DeadLetter]:
    """Return the dead letters that a replay brings: its own, and those before it.

    None from before an erasure that was delivered: the receiver has forgotten the person. A copy of
    a replay that was given up itself brings nothing, because it was asked for before that.
    """
    number, asked_millis = replay.detail.number, replay.sent_millis + SKEW_MILLIS
    again = [
        one
        for one in cursor.dead
        if cursor.erased < one.number <= number and one.millis <= asked_millis
    ]
    return again if number in [one.number for one in again] else []


def settled(cursor: Cursor, details: Sequence[Detail]) -> Cursor:
    """Return the cursor after events were delivered."""
    stamps = sorted({*cursor.settled, *(one.number for one in details)})
    erasures = [one.number for one in details if one.event == ERASED]
    return replace(
        cursor,
        settled=tuple(stamps[-KEPT_STAMPS:]),
        floor=max(cursor.floor, *stamps[:-KEPT_STAMPS], 0),
        waiting=tuple(one for one in cursor.waiting if one not in details),
        erased=max(cursor.erased, *erasures, 0),
    )


def given_up(cursor: Cursor, details: Sequence[Detail], now_millis: int) -> Cursor:
    """Return the cursor after events became dead letters."""
    new = [DeadLetter(one, now_millis) for one in details]
    dead = sorted({one.number: one for one in (*cursor.dead, *new)}.values(), key=_number)
    return replace(
        cursor,
        dead=tuple(dead[-KEPT_DETAILS:]),
        floor=max(cursor.floor, *map(_number, dead[:-KEPT_DETAILS]), 0),
        waiting=tuple(one for one in cursor.waiting if one not in details),
    )


def pause_after(failures: int) -> int:
    """Return the seconds until the next attempt, after some failures in a row before this one."""
    return int(min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(failures, 20)))


def _is_lost(one: Detail, event: QueuedEvent, now: int) -> bool:
    """Return whether an event is given up with the message's own: it is as old, and before it."""
    if one.number == event.detail.number:
        return True
    happened = datetime.fromisoformat(one.at).timestamp() * 1000
    return one.number < event.detail.number and now >= happened + TRIED_MILLIS


def _number(one: Detail | DeadLetter) -> int:
    return one.number
