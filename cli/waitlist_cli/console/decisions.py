"""Remembers the decisions of operators at a service counter.

A decision is sent to the service when it can no longer be undone.
"""

import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from waitlist_cli.console.context import Console
from waitlist_cli.errors import CliError, Refused
from waitlist_cli.operations.claim import CLAIM_TOKEN, EXTEND
from waitlist_cli.operations.counter import Outcome
from waitlist_cli.operations.person import Person

# How long an operator can undo the end of a call, unless the operator has chosen another time.
UNDO_SECONDS = 10
# How long the counter shows the result of an action.
SAID_SECONDS = 20.0
Key = tuple[str, str]


@dataclass(frozen=True)
class Decision:
    """An outcome that the operator has chosen for a called person, and that can still be undone."""

    waitlist_id: str
    entry_id: str
    name: str
    outcome: Outcome
    idempotency_key: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def key(self) -> Key:
        return self.waitlist_id, self.entry_id

    @property
    def text(self) -> str:
        return self.outcome.done.format(who=self.name)


def call_later(seconds: float, function: Callable[[], None]) -> None:
    """Call the function in a different thread after a number of seconds."""
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()


class Decisions:
    """Sends each decision `undo_seconds` after it was made, unless the operator undoes it.

    Nobody else learns of a decision that is undone: the customer gets no message, and the place of
    the customer does not change. When the console ends, it sends all decisions at once.
    """

    def __init__(self, console: Console, undo_seconds: float = UNDO_SECONDS) -> None:
        self._console = console
        self._undo_seconds = undo_seconds
        self._lock = threading.Lock()
        self._open: dict[Key, Decision] = {}
        self._sending: dict[Key, Decision] = {}
        # The decisions that could not be sent to the service, and the reason for each.
        self._problems: dict[Key, str] = {}
        self._said: dict[str, tuple[str, float]] = {}
        # The idempotency key of the next call on each waitlist.
        self._next_keys: dict[str, str] = {}

    def add(self, waitlist_id: str, entry_id: str, name: str, outcome: Outcome) -> None:
        """Remember a decision, and send it later.

        If there already is a decision about the person, ignore the new decision.
        """
        decision = Decision(waitlist_id, entry_id, name, outcome)
        with self._lock:
            if decision.key in self._open or decision.key in self._sending:
                return
            self._problems.pop(decision.key, None)
            self._open[decision.key] = decision
        self.say(waitlist_id, decision.text)
        call_later(self._undo_seconds, lambda: self._send(decision))

    def undo(self, waitlist_id: str, entry_id: str) -> bool:
        """Forget a decision that has not been sent yet.

        Return False if it has already been sent.
        """
        with self._lock:
            return self._open.pop((waitlist_id, entry_id), None) is not None

    def send_all(self, waitlist_id: str | None = None) -> None:
        """Send the open decisions now."""
        with self._lock:
            found = list(self._open.values())
        for decision in found:
            if waitlist_id in (None, decision.waitlist_id):
                self._send(decision)

    def open_in(self, waitlist_id: str) -> list[Decision]:
        """Return the decisions that can be undone, the latest first."""
        with self._lock:
            found = [one for one in self._open.values() if one.waitlist_id == waitlist_id]
        return found[::-1]

    def is_decided(self, waitlist_id: str, entry_id: str) -> bool:
        """Return whether there is a decision about the person that can be undone or that is being
        sent.
        """
        key = (waitlist_id, entry_id)
        with self._lock:
            return key in self._open or key in self._sending

    def problems_in(self, waitlist_id: str) -> list[tuple[str, str]]:
        """Return the decisions that could not be sent to the service, each as an entry id and the
        reason.
        """
        found = list(self._problems.items())
        return [(entry_id, reason) for (owner, entry_id), reason in found if owner == waitlist_id]

    def dismiss(self, waitlist_id: str, entry_id: str) -> None:
        self._problems.pop((waitlist_id, entry_id), None)

    def next_key(self, waitlist_id: str) -> str:
        """Return the idempotency key of the next call, which stays the same until the call."""
        return self._next_keys.setdefault(waitlist_id, str(uuid.uuid4()))

    def renew_key(self, waitlist_id: str) -> None:
        """Forget the idempotency key, because the call for which it was created has been made."""
        self._next_keys.pop(waitlist_id, None)

    def say(self, waitlist_id: str, text: str) -> None:
        """Remember the result of an action, which the counter shows for a while."""
        self._said[waitlist_id] = (text, monotonic() + SAID_SECONDS)

    def said_in(self, waitlist_id: str) -> str:
        text, until = self._said.get(waitlist_id, ("", 0.0))
        return text if monotonic() < until else ""

    def _send(self, decision: Decision) -> None:
        with self._lock:
            if self._open.get(decision.key) is not decision:
                # The decision was undone, or another thread has sent it.
                return
            self._sending[decision.key] = self._open.pop(decision.key)
        try:
            self.carry_out(decision)
        except CliError as error:
            label = decision.outcome.label
            self._problems[decision.key] = f"{label}: {decision.name}. {error.message}"
        finally:
            with self._lock:
                del self._sending[decision.key]

    def carry_out(self, decision: Decision) -> None:
        """Send the request of a decision. Raise an error if the person is no longer called here."""
        token = self._console.person(*decision.key)["claim_token"]
        if not token:
            raise Refused(
                "The call has ended. It has expired, or somebody else has ended it.",
                "claim_expired",
                409,
            )
        action, values = decision.outcome.action, dict(decision.outcome.values)
        person = Person(self._console.api, *decision.key, decision.idempotency_key)
        if CLAIM_TOKEN in action.fields:
            values[CLAIM_TOKEN.name] = token
        else:
            # The request for this action does not contain the claim token. Another console may have
            # called the person in the meantime, so extend the claim first. The service refuses the
            # extension if the token is no longer valid.
            person.send(EXTEND, **{CLAIM_TOKEN.name: token})
        person.send(action, **action.to_body(values))
        self._console.claims.pop(decision.key, None)
