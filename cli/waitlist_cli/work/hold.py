"""Extends a claim until the program has ended, and then ends the claim."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from waitlist_cli.client.retries import ONCE, PATIENT, RetryPolicy
from waitlist_cli.errors import CliError, Refused
from waitlist_cli.operations.action import PersonAction
from waitlist_cli.operations.claim import COMPLETE, EXTEND, PARK, RELEASE
from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.context import Context

# The number of seconds to wait after a failed attempt to extend a claim.
RETRY_SECONDS = 1.0


class OnFailure(StrEnum):
    """What happens to an entry if its program fails."""

    release = "release"
    back = "back"
    park = "park"


class HoldLost(Exception):
    """Raised if a claim has ended. Another worker may have claimed the entry since then."""


@dataclass
class Hold:
    """A claimed entry, and the earliest time at which its claim can expire.

    The lease begins when the service receives the request. The command does not know this time, so
    it counts the lease from just before it sent the request. That way, the claim never ends earlier
    than the command expects.
    """

    context: Context
    waitlist_id: str
    claim: dict[str, Any]
    lease_seconds: float
    requested_at: float
    clock: Callable[[], float] = time.monotonic
    _extend_at: float = field(init=False)
    _ends_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._start_lease(self.requested_at)

    @property
    def entry_id(self) -> str:
        return str(self.claim["entry_id"])

    def keep(self) -> None:
        """Extend the claim if half of its lease has passed.

        Raises HoldLost if the claim has ended.
        """
        now = self.clock()
        if now < self._extend_at:
            return
        try:
            self._send(EXTEND, policy=ONCE, lease_seconds=int(self.lease_seconds))
        except Refused as error:
            raise HoldLost(error.message) from error
        except CliError as error:
            # The request to extend the claim failed, for example because the credentials have
            # expired. Try again until the lease ends.
            if self.clock() >= self._ends_at:
                raise HoldLost(f"it could not be extended in time: {error.message}") from error
            self._extend_at = self.clock() + RETRY_SECONDS
        else:
            self._start_lease(now)

    def complete(self) -> None:
        """Admit the person. Raises HoldLost if the claim has ended."""
        try:
            self._send(COMPLETE)
        except Refused as error:
            raise HoldLost(error.message) from error

    def give_back(self, how: OnFailure, reason: str, delay_seconds: int = 0) -> str:
        """Release or park the entry, and return a description of what happened, such as `parked`.

        A released entry can be claimed again after `delay_seconds`. A parked entry is set aside for
        an operator. Raises HoldLost if the claim has ended.
        """
        try:
            if how is OnFailure.park:
                self._send(PARK, reason=reason)
                return "parked"
            to = "back" if how is OnFailure.back else "place"
            values: dict[str, Any] = {"to": to, "reason": reason}
            if delay_seconds:
                values["delay_seconds"] = delay_seconds
            self._send(RELEASE, **values)
        except Refused as error:
            raise HoldLost(error.message) from error
        except CliError as error:
            return f"held until the lease ends ({error.message})"
        return "released"

    def _send(self, action: PersonAction, policy: RetryPolicy = PATIENT, **values: Any) -> None:
        person = Person(self.context.api, self.waitlist_id, self.entry_id, policy=policy)
        person.send(action, claim_token=self.claim["claim_token"], **values)

    def _start_lease(self, now: float) -> None:
        self._extend_at = now + self.lease_seconds / 2
        self._ends_at = now + self.lease_seconds
