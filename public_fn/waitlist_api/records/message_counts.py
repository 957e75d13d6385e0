"""Count a waitlist's messages by kind and state since it was created."""

import logging
from collections import Counter, defaultdict

from msgspec import Struct

from waitlist_api.records.samples import message_counts_key
from waitlist_api.records.table import Item, Table
from waitlist_shared.errors import Throttled, WaitlistError

TRIES = 5
logger = logging.getLogger(__name__)


class MessageCounts(Struct, frozen=True):
    table: Table

    def take(self, tally: Counter[tuple[str, str, str]]) -> None:
        """Add the given counts to the stored counts.

        If a waitlist's counts cannot be written, they are lost, and a warning is logged.
        """
        by_list: dict[str, Item] = defaultdict(dict)
        for (waitlist_id, kind, state), count in tally.items():
            by_list[waitlist_id][f"{kind}_{state}"] = count
        tally.clear()
        for waitlist_id, values in by_list.items():
            try:
                self._add(waitlist_id, values)
            except WaitlistError as error:
                logger.warning("messages were not counted: %s", error.code)

    def _add(self, waitlist_id: str, values: Item) -> None:
        # Use the same token for each retry. If the response is lost and the AWS SDK retries the
        # transaction, DynamoDB recognises the token and does not count the messages twice.
        parts = [f"#{name} = if_not_exists(#{name}, :none) + :{name}" for name in values]
        always = "attribute_exists(#pk) OR attribute_not_exists(#pk)"
        key = message_counts_key(waitlist_id)
        update = "SET " + ", ".join(parts)
        write = self.table.update_write(key, update, always, values | {"none": 0})
        for turn in range(1, TRIES + 1):
            try:
                self.table.transact([write])
            except Throttled:
                # Another process is updating the same counts.
                if turn == TRIES:
                    raise
                self.table.wait(turn)
            else:
                return

    def read(self, waitlist_id: str) -> dict[tuple[str, str], int]:
        item = self.table.get(message_counts_key(waitlist_id)) or {}
        names = {name: name.rpartition("_") for name in item}
        return {
            (kind, state): item[name]
            for name, (kind, joint, state) in names.items()
            if joint and isinstance(item[name], int)
        }
