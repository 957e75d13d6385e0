"""A person whom this process holds: kept, admitted, given back."""

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from waitlist_cli.context import Context
from waitlist_cli.errors import CliError, Refused
from waitlist_cli.retries import ONCE

# After a failed try to extend; more would not help a service that is busy.
AGAIN_SECONDS = 1.0


class OnFailure(StrEnum):
    """Where a person goes whose command has failed."""

    release = "release"
    back = "back"
    park = "park"


class HoldLost(Exception):
    """The hold has ended: somebody else may have the person by now."""


class Hold:
    """One claim; `lease_seconds` count from the moment at which it was asked for."""

    def __init__(
        self,
        context: Context,
        waitlist_id: str,
        claim: dict[str, Any],
        lease_seconds: float,
        asked_at: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.claim = claim
        self.entry_id: str = claim["entry_id"]
        self._path = f"/{waitlist_id}/claims/{self.entry_id}"
        self._context = context
        self._lease_seconds = lease_seconds
        self._clock = clock
        self._due = asked_at + lease_seconds / 2
        self._ends = asked_at + lease_seconds

    def keep(self) -> None:
        """Extend the hold if half of it is over; raises HoldLost once it cannot be kept."""
        now = self._clock()
        if now < self._due:
            return
        try:
            self._say("extend", ONCE, lease_seconds=int(self._lease_seconds))
        except Refused as error:
            raise HoldLost(error.message) from error
        except CliError as error:
            # Away, failed, or the credentials have expired: all of it may pass while it is held.
            if self._clock() >= self._ends:
                raise HoldLost(f"it could not be extended in time: {error.message}") from error
            self._due = self._clock() + AGAIN_SECONDS
        else:
            self._due = now + self._lease_seconds / 2
            self._ends = now + self._lease_seconds

    def complete(self) -> None:
        """Admit the person; raises HoldLost if the hold had ended."""
        try:
            self._say("complete")
        except Refused as error:
            raise HoldLost(error.message) from error

    def give_back(self, how: OnFailure, reason: str) -> str:
        """Release or park the person, and return what became of them; raises HoldLost."""
        try:
            if how is OnFailure.park:
                self._say("park", reason=reason)
                return "parked"
            to = "back" if how is OnFailure.back else "place"
            self._say("release", to=to, reason=reason)
        except Refused as error:
            raise HoldLost(error.message) from error
        except CliError as error:
            return f"held until the lease ends ({error.message})"
        return "released"

    def _say(self, verb: str, policy: Any = None, **body: Any) -> None:
        more = {} if policy is None else {"policy": policy}
        content = {"claim_token": self.claim["claim_token"], **body}
        self._context.api.operator("POST", f"{self._path}/{verb}", content, **more)
