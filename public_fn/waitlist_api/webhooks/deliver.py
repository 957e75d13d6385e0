"""Delivers each entry's events to the webhook in order, and each event at least once.

A queue message says only that an entry has new events. The events themselves are read from the
entry's history.
"""

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import A_DAY_MILLIS, LeftMillis, NowMillis, now_millis
from waitlist_api.records.published import ERASED, Detail
from waitlist_api.records.webhooks import Cursor, DeadLetter, Lease, WebhookRecords
from waitlist_api.webhooks.queue import QueuedEvent, WebhookQueue
from waitlist_api.webhooks.receiver import ATTEMPT_SECONDS, Attempt, Receiver
from waitlist_api.webhooks.signatures import Signatures

# The lease on an entry's events is longer than the function's timeout, so that it does not expire
# while the function sends them.
LEASE_SECONDS = 75
# The time needed to record the result of an attempt to send a webhook.
NOTE_SECONDS = 10
LEASED_PAUSE_SECONDS = 3
FIRST_PAUSE_SECONDS = 5
LONGEST_PAUSE_SECONDS = 3600
# An event is given up on after a day, so all events that must still be delivered are in the last
# two days of a history.
TRIED_MILLIS = A_DAY_MILLIS
HISTORY_DAYS = 2
KEPT_STAMPS = 100
# The maximum number of events in each list of a delivery state. At about 200 bytes per event, the
# lists stay far below DynamoDB's limit of 400 KB per item.
KEPT_DETAILS = 300
# The largest difference that is expected between SQS's clock and the function's clock.
SKEW_MILLIS = 60_000

Result = Literal["sent", "repeated", "failed", "waiting", "leased", "given_up"]


class Verdict(Struct, frozen=True):
    """The result of handling a queue message.

    If `again_seconds` is set, the message is handled again after this time. `given_up` is the
    number of events that became dead letters.
    """

    result: Result
    again_seconds: int | None = None
    sent: int = 0
    given_up: int = 0
    attempt: Attempt | None = None


class Progress(Struct, frozen=True):
    """The result of sending an entry's waiting events."""

    cursor: Cursor
    sent: int = 0
    attempt: Attempt | None = None


class WebhookSender(Struct, frozen=True):
    """Delivers the events that queue messages announce."""

    records: WebhookRecords
    queue: WebhookQueue
    receiver: Receiver
    signatures: Signatures
    now_millis: NowMillis = now_millis
    jitter: Callable[[], float] = random.random

    def deliver(self, event: QueuedEvent, left_millis: LeftMillis) -> Verdict:
        """Deliver the entry's earlier undelivered events, and then this event."""
        detail = event.detail
        lease = self.records.take(detail.waitlist_id, detail.entry_id, LEASE_SECONDS)
        if lease is None:
            return Verdict("leased", again_seconds=LEASED_PAUSE_SECONDS)
        cursor = lease.cursor
        found = self.records.events(detail.waitlist_id, detail.entry_id, cursor.floor, HISTORY_DAYS)
        cursor = add_waiting(cursor, found, event)
        if not cursor.waiting:
            self.records.give_back(detail.waitlist_id, detail.entry_id, lease, cursor)
            return Verdict("repeated")
        return self._note(event, lease, self._send(cursor, left_millis))

    def _send(self, cursor: Cursor, left_millis: LeftMillis) -> Progress:
        """Send the waiting events in order. Send nothing during a pause after a failure."""
        now = self.now_millis()
        if now < cursor.not_before_millis:
            return Progress(cursor)
        pause = self.records.receiver_pause()
        if now < pause:
            return Progress(replace(cursor, not_before_millis=pause))
        sent, attempt = 0, None
        for detail in cursor.waiting:
            if left_millis() < (ATTEMPT_SECONDS + NOTE_SECONDS) * 1000:
                # There is no time for another attempt, so the next invocation sends the remaining
                # events.
                return Progress(cursor, sent)
            attempt = self._post(detail)
            if attempt.outcome != "sent":
                return Progress(self._after_failure(cursor, attempt), sent, attempt)
            sent += 1
            cursor = mark_delivered(replace(cursor, failures=0, not_before_millis=0), [detail])
        return Progress(cursor, sent, attempt)

    def _post(self, detail: Detail) -> Attempt:
        headers = self.signatures.headers(webhook_id(detail), detail.body)
        now = datetime.fromtimestamp(self.now_millis() / 1000, UTC)
        return self.receiver.post(detail.body, headers, now)

    def _after_failure(self, cursor: Cursor, attempt: Attempt) -> Cursor:
        now = self.now_millis()
        if attempt.pause_seconds:
            self.records.pause_receiver(now + attempt.pause_seconds * 1000)
        seconds = max(attempt.pause_seconds, backoff_seconds(cursor.failures))
        return replace(cursor, failures=cursor.failures + 1, not_before_millis=now + seconds * 1000)

    def _note(self, event: QueuedEvent, lease: Lease, progress: Progress) -> Verdict:
        """Save the delivery state, and stop retrying events that have failed for a day."""
        cursor, now = progress.cursor, self.now_millis()
        is_pending = any(detail.number == event.detail.number for detail in cursor.waiting)
        lost: list[Detail] = []
        if is_pending and now >= event.sent_millis + TRIED_MILLIS:
            lost = [detail for detail in cursor.waiting if _is_lost(detail, event, now)]
            for detail in lost:
                self.queue.bury(detail)
            cursor = mark_given_up(cursor, lost, now)
        detail = event.detail
        is_noted = self.records.give_back(detail.waitlist_id, detail.entry_id, lease, cursor)
        verdict = Verdict("sent", None, progress.sent, len(lost), progress.attempt)
        if lost:
            return replace(verdict, result="given_up")
        if not is_noted:
            return replace(verdict, result="leased", again_seconds=LEASED_PAUSE_SECONDS)
        if not is_pending:
            return verdict
        has_failed = progress.attempt is not None and progress.attempt.outcome != "sent"
        seconds = max(0, cursor.not_before_millis - now) / 1000
        # Add jitter, because many entries' events may have failed at the same time.
        spread = int(seconds * (1 + self.jitter() / 10)) + 1
        return replace(verdict, result="failed" if has_failed else "waiting", again_seconds=spread)


def webhook_id(detail: Detail) -> str:
    """Return the webhook id of an event, which is the same for all attempts and replays."""
    return f"evt_{detail.entry_id}_{detail.stamp}"


def add_waiting(cursor: Cursor, found: Sequence[Detail], event: QueuedEvent) -> Cursor:
    """Return the delivery state with all undelivered events in `waiting`, in order.

    Dead letters are added only if an operator replays them.
    """
    replayed = _find_replayed(cursor, event) if event.is_replay else []
    dead = tuple(letter for letter in cursor.dead if letter not in replayed)
    returned = [letter.detail for letter in replayed]
    # The message's event may no longer be in the history, which is deleted when the entry is
    # erased.
    details = (*found, event.detail, *cursor.waiting, *returned)
    by_number = {detail.number: detail for detail in details}
    ended = set(cursor.settled) | {letter.number for letter in dead}
    if event.is_replay and event.detail.number < cursor.erased:
        ended.add(event.detail.number)
    pending = (detail for detail in by_number.values() if detail.number not in ended)
    waiting = sorted(pending, key=_number)
    return replace(cursor, waiting=tuple(waiting[:KEPT_DETAILS]), dead=dead)


def _find_replayed(cursor: Cursor, replay: QueuedEvent) -> list[DeadLetter]:
    """Return the dead letters that this replay sends again."""
    number, asked_millis = replay.detail.number, replay.sent_millis + SKEW_MILLIS
    # When an entry is erased, the receiver is told to erase its data too, so do not resend events
    # from before the erasure.
    replayed = [
        letter
        for letter in cursor.dead
        if cursor.erased < letter.number <= number and letter.millis <= asked_millis
    ]
    return replayed if number in [letter.number for letter in replayed] else []


def mark_delivered(cursor: Cursor, details: Sequence[Detail]) -> Cursor:
    """Mark these events as delivered, and return the new delivery state."""
    stamps = sorted({*cursor.settled, *(detail.number for detail in details)})
    erasures = [detail.number for detail in details if detail.event == ERASED]
    return replace(
        cursor,
        settled=tuple(stamps[-KEPT_STAMPS:]),
        floor=max(cursor.floor, *stamps[:-KEPT_STAMPS], 0),
        waiting=tuple(detail for detail in cursor.waiting if detail not in details),
        erased=max(cursor.erased, *erasures, 0),
    )


def mark_given_up(cursor: Cursor, details: Sequence[Detail], now_millis: int) -> Cursor:
    """Mark these events as dead letters, and return the new delivery state.

    Dead letters are not sent again automatically.
    """
    new = [DeadLetter(detail, now_millis) for detail in details]
    dead = sorted({letter.number: letter for letter in (*cursor.dead, *new)}.values(), key=_number)
    return replace(
        cursor,
        dead=tuple(dead[-KEPT_DETAILS:]),
        floor=max(cursor.floor, *map(_number, dead[:-KEPT_DETAILS]), 0),
        waiting=tuple(detail for detail in cursor.waiting if detail not in details),
    )


def backoff_seconds(failures: int) -> int:
    """Return how long to wait after this number of consecutive failures, in seconds."""
    return int(min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(failures, 20)))


def _is_lost(detail: Detail, event: QueuedEvent, now: int) -> bool:
    """Return whether to give up on `detail` when the service gives up on `event`.

    It gives up on `event` itself, and on the entry's earlier events that are at least a day old.
    """
    if detail.number == event.detail.number:
        return True
    happened = datetime.fromisoformat(detail.at).timestamp() * 1000
    return detail.number < event.detail.number and now >= happened + TRIED_MILLIS


def _number(detail: Detail | DeadLetter) -> int:
    return detail.number
