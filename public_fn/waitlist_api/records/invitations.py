"""Read and write invitations."""

from collections.abc import Mapping
from typing import ClassVar

from msgspec.structs import replace

from waitlist_api.records.invitees import INVITATION_SECONDS, Invitees
from waitlist_api.records.work import ID, Work, WorkRecords
from waitlist_api.settings.messages import OwnText
from waitlist_api.settings.texts import Language


class Invitation(Work, frozen=True, kw_only=True):
    """An operator's invitation.

    It makes one offer to each of its invitees.
    """

    PARTITION: ClassVar[str] = "INVITATIONS"
    RUNNING: ClassVar[str] = "INVITING#"

    invitation_id: str
    until_millis: int
    # The maximum number of people to invite.
    count: int
    # The logical timestamp of the operator's request. Only entries with lower tickets are invited,
    # so people who join after the request are not invited.
    stamp: int
    filter: Mapping[str, str] = {}
    # The ids of the entries to invite, which are stored only while the invitation is running. If no
    # ids are given, the first entries of the queue are invited.
    entries: tuple[str, ...] = ()
    # The texts of the `offered` message in this invitation, by language. They replace the usual
    # texts of the message.
    message: Mapping[Language, OwnText] = {}
    # How many people have been invited so far, and the rank of the last entry that was read. The
    # next page of the queue begins after this rank.
    taken: int = 0
    after_rank: int | None = None

    @property
    def ids(self) -> tuple[str, str]:
        """The ids of the waitlist and the invitation."""
        return self.waitlist_id, self.invitation_id

    @property
    def work_id(self) -> str:
        return self.invitation_id

    @property
    def expires_at(self) -> int:
        return self.until_millis // 1000 + INVITATION_SECONDS


class InvitationRecords(WorkRecords[Invitation], frozen=True):
    """Reads and writes the items of invitations."""

    invitees: Invitees

    @property
    def kind(self) -> type[Invitation]:
        return Invitation

    def page(
        self, waitlist_id: str, before: str | None, limit: int
    ) -> tuple[list[Invitation], str | None]:
        """Return a page of invitations, newest first, and the cursor of the next page."""
        pk = Invitation.key_in(waitlist_id, "")["pk"]
        items, last = self.table.query(
            "#pk = :pk AND begins_with(#sk, :id)",
            {"pk": pk, "id": ID},
            None if before is None else Invitation.key_in(waitlist_id, f"{ID}{before}"),
            ScanIndexForward=False,
            Limit=limit,
        )
        following = last["sk"].removeprefix(ID) if last else None
        return [Invitation.from_item(item) for item in items if self._is_kept(item)], following

    def note_page(
        self, invitation: Invitation, taken: int, after_rank: int | None, *, is_done: bool
    ) -> Invitation | None:
        """Record that the invitation has made a page of offers, and return the updated invitation.

        Return None if another request has already recorded this page.
        """
        after = replace(
            invitation,
            taken=taken,
            after_rank=after_rank,
            running=not is_done,
            entries=() if is_done else invitation.entries,
        )
        return self.advance(invitation, after)

    def delete_results(self, waitlist_id: str, work_id: str) -> None:
        self.invitees.delete(waitlist_id, work_id)
