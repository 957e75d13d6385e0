"""Operator route that returns an entry to its former position in the queue."""

from msgspec import Struct

from waitlist_api.entries.reinstate import ReinstateCommand, Reinstatements
from waitlist_api.http.operation import ENTRY, Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.routes.admin.params import ReinstateKey
from waitlist_api.http.routes.params import EntryId, WaitlistId
from waitlist_api.http.schemas.admin_entries import ReinstateBody
from waitlist_api.http.schemas.entries import EntryAnswer


class Routes(Struct, frozen=True):
    reinstatements: Reinstatements
    request: Request

    @operator(
        "Return an entry to its former position",
        Answer(200, "The entry, in its former position"),
        problems=(
            *ENTRY,
            "banned",
            "already_on_list",
            "already_admitted",
            "no_former_place",
            "waitlist_full",
            "not_waiting",
            "idempotency_key_reused",
        ),
    )
    def reinstate(
        self,
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: ReinstateBody,
        idempotency_key: ReinstateKey = None,
    ) -> EntryAnswer:
        """Use this operation for an entry that has left, was removed, missed its offer, or is
        parked. The entry returns to its former position with its former priority, profile and
        attributes. The operation counts as a new signup, so the former entry token is no longer
        valid and `attempts` starts at 0. To get a new token for the guest, call `issueToken`. To
        get a new link, call `getLink`. An entry can be reinstated on a closed waitlist, but not on
        a full waitlist. When the entry's `retention_days` have passed, the request fails with
        `entry_not_found`.
        """
        view = self.reinstatements.reinstate(
            ReinstateCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=self.request.operator,
                reason=body.reason,
                idempotency_key=idempotency_key or "",
            )
        )
        return EntryAnswer(**view.answer)
