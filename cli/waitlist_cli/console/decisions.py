"""Keeps each operator decision for a few seconds before sending it to the service.

During this time, the operator can undo the decision.
"""

import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from waitlist_cli.errors import CliError
from waitlist_cli.operations.claim import call_error
from waitlist_cli.terminal.output import format_duration

# How long an operator can undo a decision by default.
UNDO_SECONDS = 10
# How long the counter page offers to undo a decision that has already been sent.
SENT_SECONDS = 60.0
# How long the counter page shows an action's result.
SAID_SECONDS = 20.0
STOPPED = "The console was stopped before the service answered."
Key = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Decision:
    """What an operator has decided about a person, such as *No-show*."""

    waitlist_id: str
    entry_id: str
    name: str
    # The text of the button that the operator pressed, such as *No-show*.
    label: str
    # Sends the request to the service.
    send: Callable[[], object]
    # The idempotency key of the form that the operator submitted.
    form_key: str = ""
    # Sends the requests that undo a decision that has already been sent.
    take_back: Callable[[], object] | None = None
    made_at: float = field(default_factory=monotonic)

    @property
    def key(self) -> Key:
        return self.waitlist_id, self.entry_id


def _problem_of(decision: Decision, reason: str) -> str:
    return f"{decision.label}: {decision.name}. {reason}"


def call_later(seconds: float, function: Callable[[], None]) -> None:
    """Call the function in another thread after this many seconds."""
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()


@dataclass(frozen=True)
class Decisions:
    """The operators' decisions that can still be undone.

    The console waits for `seconds` before it sends a decision to the service. A decision that the
    operator undoes during this time is never sent. When the console ends, it sends all remaining
    decisions at once.
    """

    seconds: float = UNDO_SECONDS
    _lock: threading.Condition = field(default_factory=threading.Condition)
    _open: dict[Key, Decision] = field(default_factory=dict)
    _sending: dict[Key, Decision] = field(default_factory=dict)
    # The decisions that have already been sent. To undo them, the console sends other requests.
    _sent: dict[Key, Decision] = field(default_factory=dict)
    # The decisions that could not be sent to the service, and the reason for each.
    _problems: dict[Key, str] = field(default_factory=dict)
    _said: dict[str, tuple[str, float]] = field(default_factory=dict)
    # The idempotency key for each waitlist's next call.
    _next_keys: dict[str, str] = field(default_factory=dict)

    def add(self, decision: Decision) -> Decision:
        """Remember a decision, to send it to the service later.

        If there is already a decision about the person, ignore the new one. Return the decision
        that is kept.
        """
        with self._lock:
            earlier = self._open.get(decision.key) or self._sending.get(decision.key)
            if earlier is not None:
                return earlier
            self._problems.pop(decision.key, None)
            # Forget the earlier decision, because *Undo* applies only to the latest decision about
            # a person.
            self._sent.pop(decision.key, None)
            self._open[decision.key] = decision
        call_later(self.seconds, lambda: self._send(decision))
        return decision

    def keep_sent(self, decision: Decision) -> None:
        """Remember a decision that has already been sent, so that the operator can undo it."""
        with self._lock:
            self._problems.pop(decision.key, None)
            self._sent[decision.key] = decision

    def take_back(self, waitlist_id: str, entry_id: str) -> bool:
        """Undo a decision that has already been sent. Return False if there is no such decision."""
        decision = self._sent.get((waitlist_id, entry_id))
        if decision is None or decision.take_back is None:
            return False
        decision.take_back()
        self.forget_sent(waitlist_id, entry_id)
        return True

    def forget_sent(self, waitlist_id: str, entry_id: str) -> None:
        """Forget a decision that has already been sent. The operator can then no longer undo it."""
        with self._lock:
            self._sent.pop((waitlist_id, entry_id), None)

    def find(self, waitlist_id: str, entry_id: str) -> Decision | None:
        """Return the decision about a person that can be undone, or None."""
        with self._lock:
            return self._open.get((waitlist_id, entry_id))

    def undo(self, decision: Decision | None) -> bool:
        """Forget a decision that has not been sent yet.

        Return False if it has already been sent or undone.
        """
        with self._lock:
            if decision is None or self._open.get(decision.key) is not decision:
                return False
            del self._open[decision.key]
            return True

    def send_all(self, waitlist_id: str | None = None, entry_id: str | None = None) -> None:
        """Send all open decisions now, or only those on a waitlist or about a person."""
        with self._lock:
            found = list(self._open.values())
        for decision in found:
            if waitlist_id in (None, decision.waitlist_id) and entry_id in (
                None,
                decision.entry_id,
            ):
                self._send(decision)

    def end(self) -> None:
        """Send all open decisions now, and wait until no decision is being sent."""
        self.send_all()
        with self._lock:
            self._lock.wait_for(lambda: not self._sending)

    def unconfirmed(self) -> list[str]:
        """Return a message for each decision that the service has not confirmed.

        The message includes the reason.
        """
        with self._lock:
            left = [*self._sending.values(), *self._open.values()]
            return [*self._problems.values(), *(_problem_of(one, STOPPED) for one in left)]

    def open_in(self, waitlist_id: str) -> list[Decision]:
        """Return the waitlist's decisions that can be undone, latest first."""
        with self._lock:
            sent = [one for one in self._sent.values() if one.made_at + SENT_SECONDS > monotonic()]
            found = [*self._open.values(), *sent]
        own = [one for one in found if one.waitlist_id == waitlist_id]
        return sorted(own, key=lambda one: one.made_at, reverse=True)

    def is_decided(self, waitlist_id: str, entry_id: str) -> bool:
        """Return whether there is a decision about the person that can be undone or is being
        sent.
        """
        key = (waitlist_id, entry_id)
        with self._lock:
            return key in self._open or key in self._sending

    def problems_in(self, waitlist_id: str) -> list[tuple[str, str]]:
        """Return the waitlist's decisions that could not be sent, as pairs of an entry id and an
        error message.
        """
        found = list(self._problems.items())
        return [(entry_id, reason) for (owner, entry_id), reason in found if owner == waitlist_id]

    def dismiss(self, waitlist_id: str, entry_id: str) -> None:
        self._problems.pop((waitlist_id, entry_id), None)

    def next_key(self, waitlist_id: str) -> str:
        """Return the idempotency key for the next call.

        The key stays the same until a person has been called.
        """
        return self._next_keys.setdefault(waitlist_id, str(uuid.uuid4()))

    def renew_key(self, waitlist_id: str) -> None:
        """Forget the idempotency key after the call. The next call gets a new key."""
        self._next_keys.pop(waitlist_id, None)

    def announce(self, decision: Decision) -> str:
        """Return the notice that tells the operator when the decision will be sent."""
        seconds = format_duration(int(self.seconds))
        return f"{decision.label}: {decision.name}. This happens in {seconds}."

    def say(self, waitlist_id: str, text: str, seconds: float = SAID_SECONDS) -> None:
        """Remember an action's result, which the counter page shows for a few seconds."""
        self._said[waitlist_id] = (text, monotonic() + seconds)

    def said_in(self, waitlist_id: str) -> str:
        text, until = self._said.get(waitlist_id, ("", 0.0))
        return text if monotonic() < until else ""

    def _send(self, decision: Decision) -> None:
        with self._lock:
            if self._open.get(decision.key) is not decision:
                # The operator has undone the decision, or another thread has sent it.
                return
            self._sending[decision.key] = self._open.pop(decision.key)
        try:
            decision.send()
        except CliError as error:
            self._problems[decision.key] = _problem_of(decision, call_error(error))
        except KeyboardInterrupt:
            self._problems[decision.key] = _problem_of(decision, STOPPED)
            raise
        finally:
            with self._lock:
                del self._sending[decision.key]
                self._lock.notify_all()
