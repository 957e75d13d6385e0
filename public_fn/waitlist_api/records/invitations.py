"""Read and write invitations."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Self

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from waitlist_api.clock import NowMillis
from waitlist_api.records.invitees import INVITATION_SECONDS, Invitees
from waitlist_api.records.table import ConditionFailed, Item, Key, Table
from waitlist_api.settings.messages import OwnText
from waitlist_api.settings.texts import Language
from waitlist_shared.errors import IdempotencyKeyReused, Throttled

# Maintenance reads the keys of running invitations together with its own progress
# (records/rounds.py).
RUNNING_PK, RUNNING = "MAINTENANCE", "INVITING#"
ID, KEY = "ID#", "KEY#"
# How long the idempotency key of an invitation is remembered.
ONCE_SECONDS = 24 * 3600


class Invitation(Struct, frozen=True, kw_only=True):
    """An operator's invitation. It makes one offer to each of its invitees."""

    waitlist_id: str
    invitation_id: str
    created_millis: int
    by: str
    until_millis: int
    # The maximum number of people to invite.
    count: int
    # Only entries with a lower ticket are invited. Nobody who joins after the invitation is
    # invited.
    stamp: int
    filter: Mapping[str, str] = {}
    # The ids of the entries to invite, as long as the invitation is running. If there are none, the
    # first entries of the queue are invited.
    entries: tuple[str, ...] = ()
    # The texts that replace the usual texts of the `offered` message, by language.
    message: Mapping[Language, OwnText] = {}
    # The progress of an invitation: the number of pages whose people have been invited, the number
    # of these people, and the rank behind which the next page begins.
    page: int = 0
    taken: int = 0
    after_rank: int | None = None
    running: bool = True

    @property
    def ids(self) -> tuple[str, str]:
        """The ids of the waitlist and of the invitation."""
        return self.waitlist_id, self.invitation_id

    @property
    def key(self) -> Key:
        return _key(self.waitlist_id, f"{ID}{self.invitation_id}")

    @property
    def expires_at(self) -> int:
        return self.until_millis // 1000 + INVITATION_SECONDS

    @property
    def running_key(self) -> Key:
        sort = f"{RUNNING}{self.waitlist_id}#{self.invitation_id}"
        return {"pk": RUNNING_PK, "sk": sort}

    @classmethod
    def from_item(cls, item: Item) -> Self:
        return convert(item, cls)

    def to_item(self) -> Item:
        return {**self.key, **to_builtins(self), "expires_at": self.expires_at}


class InvitationRecords(Struct, frozen=True):
    """Reads and writes the items of invitations."""

    table: Table
    invitees: Invitees
    now_millis: NowMillis

    def create(self, invitation: Invitation, once_key: str, body: str) -> Invitation:
        """Store a new invitation, and return it.

        If an invitation with the same idempotency key exists, return that invitation.
        """
        now = self.now_millis() // 1000
        once = {
            **_key(invitation.waitlist_id, f"{KEY}{once_key}"),
            "invitation_id": invitation.invitation_id,
            "body": body,
            "expires_at": now + ONCE_SECONDS,
        }
        is_unused = "attribute_not_exists(#pk) OR #expires_at < :now"
        running = {**invitation.running_key, "expires_at": invitation.expires_at}
        writes = [
            self.table.put_write(once, is_unused, {"now": now}),
            self.table.put_write(invitation.to_item()),
            self.table.put_write(running),
        ]
        try:
            self.table.transact(writes)
        except ConditionFailed:
            # Another copy of the request was faster.
            former = self.find_by_key(invitation.waitlist_id, once_key, body)
            if former is None:
                raise Throttled from None
            return former
        return invitation

    def find_by_key(self, waitlist_id: str, once_key: str, body: str) -> Invitation | None:
        """Return the invitation that was requested with this idempotency key, or None.

        Raise IdempotencyKeyReused if it was requested with another body.
        """
        found = self.table.get(_key(waitlist_id, f"{KEY}{once_key}"))
        if not found or not self._is_kept(found):
            return None
        if found["body"] != body:
            raise IdempotencyKeyReused
        return self.find(waitlist_id, found["invitation_id"])

    def find(self, waitlist_id: str, invitation_id: str) -> Invitation | None:
        """Return an invitation, or None if it does not exist or has expired."""
        item = self.table.get(_key(waitlist_id, f"{ID}{invitation_id}"))
        return Invitation.from_item(item) if item and self._is_kept(item) else None

    def page(
        self, waitlist_id: str, before: str | None, limit: int
    ) -> tuple[list[Invitation], str | None]:
        """Return a page of invitations, newest first, and the cursor of the next page."""
        pk = _key(waitlist_id, "")["pk"]
        items, last = self.table.query(
            "#pk = :pk AND begins_with(#sk, :id)",
            {"pk": pk, "id": ID},
            None if before is None else _key(waitlist_id, f"{ID}{before}"),
            ScanIndexForward=False,
            Limit=limit,
        )
        following = last["sk"].removeprefix(ID) if last else None
        return [Invitation.from_item(item) for item in items if self._is_kept(item)], following

    def advance(
        self, invitation: Invitation, taken: int, after_rank: int | None, *, is_done: bool
    ) -> Invitation | None:
        """Note that a page has been invited, and return the invitation.

        `taken` is the number of people whom all pages until now have invited.

        Return None if another request has noted this page.
        """
        after = replace(
            invitation,
            page=invitation.page + 1,
            taken=taken,
            after_rank=after_rank,
            running=not is_done,
            entries=() if is_done else invitation.entries,
        )
        writes = [
            self.table.put_write(
                after.to_item(), "#page = :read_page", {"read_page": invitation.page}
            )
        ]
        if is_done:
            writes.append(self.table.delete_write(invitation.running_key))
        try:
            self.table.transact(writes)
        except ConditionFailed:
            return None
        return after

    def running(self, sort_keys: Sequence[str]) -> Iterator[Invitation]:
        """Yield the invitations with these sort keys in `RUNNING_PK` that still make offers."""
        for sort_key in sort_keys:
            if not sort_key.startswith(RUNNING):
                continue
            waitlist_id, _, invitation_id = sort_key.removeprefix(RUNNING).partition("#")
            found = self.find(waitlist_id, invitation_id)
            if found is not None and found.running:
                yield found
            else:
                # The waitlist was deleted.
                self.table.delete_many([{"pk": RUNNING_PK, "sk": sort_key}])

    def delete_all(self, waitlist_id: str) -> None:
        """Delete the invitations of a waitlist."""
        items = list(self._query(_key(waitlist_id, "")["pk"]))
        for item in items:
            if item["sk"].startswith(ID):
                self.invitees.delete(waitlist_id, item["sk"].removeprefix(ID))
        self.table.delete_many([_pair(item) for item in items])

    def _query(self, pk: str) -> Iterator[Item]:
        after: Item | None = {}
        while after is not None:
            items, after = self.table.query("#pk = :pk", {"pk": pk}, after or None)
            yield from items

    def _is_kept(self, item: Item) -> bool:
        return bool(item["expires_at"] * 1000 > self.now_millis())


def _key(waitlist_id: str, sort: str) -> dict[str, str]:
    return {"pk": f"INVITATIONS#{waitlist_id}", "sk": sort}


def _pair(item: Item) -> dict[str, str]:
    return {"pk": item["pk"], "sk": item["sk"]}
