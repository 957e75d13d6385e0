"""Gives people who have left a waitlist their former place back, one by one."""

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import PATIENT
from waitlist_cli.errors import Refused
from waitlist_cli.operations.action import ENTRY, Bulk, Inverse, PersonAction
from waitlist_cli.operations.person import Person
from waitlist_cli.operations.tokens import LINK, TOKEN
from waitlist_cli.terminal.output import format_value

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

REINSTATE = PersonAction(
    name="reinstate",
    title="Give {who} their former place back?",
    consequence="The person returns to exactly the place they had. Their old entry token becomes "
    "invalid. A guest needs a new link, which you can create with the Link action.",
    path=f"{ENTRY}/reinstate",
    is_possible=lambda person: (
        person["status"] == "parked"
        or (person["status"] == "left" and bool(person["joined_at"]) and not person["banned_at"])
    ),
    notice=lambda entry: (
        f"{{who}} is back at position {format_value(entry['position'])}. The old link no longer "
        "works. To give a guest a new link, press Link."
    ),
    inverse=lambda person, _: [
        Inverse("remove", person["entry_id"], notice="{who} has left the list again.")
    ],
    # Undoing a reinstatement removes the person from the list. A person who had been parked would
    # not be parked again, so their reinstatement cannot be undone.
    has_inverse_for=lambda _waitlist, person, _body: person["status"] == "left",
    bulk=Bulk(
        "Give {people} back their former places?",
        "These people return to exactly the places they had. Their old entry tokens become "
        "invalid. Guests need new links, which you can create with the Link action.",
        "{people}: back in their former places.",
    ),
)
ON_LIST = "already_on_list"
NO_TOKENS = "no_entry_tokens"


@dataclass
class Reinstatements:
    """Reinstates people.

    A repeated request has the idempotency key of the first one, so it does not reinstate the person
    twice.
    """

    api: "Api"
    waitlist_id: str
    reason: str = ""
    back: int = 0
    already: int = 0
    refused: list[dict[str, Any]] = field(default_factory=list)
    run_key: str = field(default_factory=lambda: secrets.token_hex(8))
    _reinstated: set[str] = field(default_factory=set)

    def reinstate(self, entry_id: str, name: str) -> dict[str, Any] | Refused | None:
        """Reinstate a person and return the entry.

        If the person is already on the waitlist, for example because a file contains the same
        person twice, return None. If the service refuses the request for any other reason, return
        the error.
        """
        if entry_id in self._reinstated:
            self.already += 1
            return None
        key = f"{self.run_key}-{entry_id}"
        person = Person(self.api, self.waitlist_id, entry_id, key, PATIENT)
        try:
            entry: dict[str, Any] = person.send(REINSTATE, reason=self.reason)
        except Refused as refusal:
            if refusal.code == ON_LIST:
                self.already += 1
                return None
            self.refused.append({"name": name, "code": refusal.code})
            return refusal
        self.back += 1
        self._reinstated.add(entry_id)
        return entry

    def issue_token(self, entry_id: str) -> tuple[str, str] | None:
        """Return an entry token and a link for the reinstated person, or None if the service issues
        no entry tokens.
        """
        person = Person(self.api, self.waitlist_id, entry_id, policy=PATIENT)
        try:
            return person.send(TOKEN)[TOKEN.reveals], person.send(LINK)[LINK.reveals]
        except Refused as refusal:
            if refusal.code != NO_TOKENS:
                raise
            return None
