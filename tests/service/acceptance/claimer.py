"""A worker that claims entries at the same time as other workers. It bypasses HTTP, because the
tests' HTTP server handles only one request at a time.
"""

from dataclasses import dataclass, field

from tests.support.admissions import Admissions
from waitlist_api.admission.claim import ClaimCommand
from waitlist_api.admission.holds import COMPLETE, EXTEND, PARK, RELEASE, HoldCommand
from waitlist_api.records.leaves import Leave
from waitlist_shared.errors import WaitlistError

VERBS = {"complete": COMPLETE, "release": RELEASE, "park": PARK, "extend": EXTEND}


@dataclass
class Claimer:
    """A worker that claims entries."""

    people: Admissions
    by: str
    tokens: dict[str, str] = field(default_factory=dict)

    def claimed(self, count: int = 1, key: str = "") -> list[str]:
        command = ClaimCommand(
            waitlist_id=self.people.waitlist_id, count=count, by=self.by, idempotency_key=key
        )
        offers = self.people.world.services.claims.claim(command).offers
        names = [self.people.names[offer.claim.entry_id] for offer in offers]
        self.tokens |= {name: offer.claim.token for name, offer in zip(names, offers, strict=True)}
        return names

    def act(self, verb: str, name: str, token: str = "") -> str:
        command = HoldCommand(
            waitlist_id=self.people.waitlist_id,
            entry_id=self.people.id_of(name),
            token=token or self.tokens[name],
            by=self.by,
        )
        holds = self.people.world.services.holds
        try:
            return holds.act(VERBS[verb], command).view.status
        except WaitlistError as error:
            return error.code

    def leave(self, name: str) -> str:
        people = self.people
        try:
            people.world.services.leaves.leave(
                people.waitlist_id, people.id_of(name), Leave(by="customer")
            )
        except WaitlistError as error:
            return error.code
        return "left"
