"""Limit the number of messages to each address and the number of messages per day."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from msgspec import Struct, field

from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.table import ConditionFailed, Item, Table
from waitlist_shared.errors import Throttled

MINUTE_MILLIS, DAY_MILLIS = 60_000, 86_400_000
# A day's counts are kept at least until the end of the next day, so that operators can look at
# them.
KEPT_SECONDS = 2 * 86_400
BUDGET = "BUDGET#"
STACK = "MESSAGES"
UNKNOWN = "attribute_not_exists(#pk)"

# What a daily limit counts: emails (`mails`) or parts of SMS messages (`parts`).
Unit = Literal["mails", "parts"]


class Allowance(Struct, frozen=True):
    """A rate limit for messages to one address.

    The first `at_once` messages may be sent without delay. The next message must wait a minute, and
    each further message doubles the wait, up to `longest_pause_millis`.
    """

    group: str
    at_once: int
    longest_pause_millis: int

    def pause_millis(self, count: int) -> int:
        """Return how long to wait after the given number of messages before the next message."""
        beyond = count - self.at_once
        if beyond < 0:
            return 0
        return min(MINUTE_MILLIS << min(beyond, 20), self.longest_pause_millis)


class Taken(Struct, frozen=True):
    """A message that was counted for an address.

    `before` is the item that was stored before the message was counted. It is needed to undo the
    count.
    """

    key: dict[str, str]
    count: int
    millis: int
    before: Item | None


class Pause(Struct, frozen=True):
    """Returned if it is too early to send another message to the address.

    The next message may be sent at `until_millis`.
    """

    until_millis: int


class Targets(Struct, frozen=True):
    """Counts messages to each address. The table stores only a keyed digest of the address."""

    table: Table

    def take(self, digest: str, allowance: Allowance, now_millis: int) -> Taken | Pause:
        """Count a message to an address.

        If it is too early to send the message, return a Pause and do not count it.
        """
        key = {"pk": f"TARGET#{digest}", "sk": allowance.group}
        for _ in range(MAX_CONFLICT_RETRIES):
            found = self.table.get(key)
            # DynamoDB may delete an expired item late, so check whether the item has expired.
            is_new = found is None or found["expires_at"] * 1000 <= now_millis
            count = 0 if found is None or is_new else found["sent"]
            last_millis = 0 if found is None else found["last_millis"]
            until_millis = last_millis + allowance.pause_millis(count)
            if now_millis < until_millis:
                return Pause(until_millis)
            taken = Taken(key, count + 1, now_millis, found)
            item = {
                **key,
                "sent": taken.count,
                "last_millis": now_millis,
                "expires_at": (now_millis + DAY_MILLIS) // 1000,
            }
            with suppress(ConditionFailed):
                if found is None:
                    self.table.put(item, UNKNOWN)
                else:
                    as_found = {"sent": found["sent"], "last": found["last_millis"]}
                    self.table.put(item, "#sent = :sent AND #last_millis = :last", as_found)
                return taken
        raise Throttled

    def give_back(self, taken: Taken) -> None:
        """Undo the count of a message that was not sent.

        If another message to the address has been counted since, change nothing.
        """
        condition, values = (
            "#sent = :sent AND #last_millis = :last",
            {"sent": taken.count, "last": taken.millis},
        )
        with suppress(ConditionFailed):
            if taken.before is None:
                self.table.delete(taken.key, condition, values)
            else:
                self.table.put(taken.before, condition, values)


class Spending(Struct, frozen=True, kw_only=True):
    """A message that counts towards the daily limits.

    Together, the messages that strangers can request may use at most half of each daily limit.
    """

    waitlist_id: str
    unit: Unit
    amount: int
    of_stack: int
    of_list: int | None
    by_anyone: bool
    millis: int


class Budgets(Struct, frozen=True):
    """Counts messages per UTC day, for each waitlist and for the whole stack."""

    table: Table
    used: Counter[str] = field(default_factory=Counter)

    def take(self, spending: Spending) -> bool:
        """Count a message. If a daily limit is reached, count nothing and return False."""
        taken: list[dict[str, str]] = []
        for key, limit in _budgets(spending):
            if not self._take(key, limit, spending):
                self._subtract(taken, spending)
                return False
            taken.append(key)
        return True

    def give_back(self, spending: Spending) -> None:
        """Undo the count of a message that was not sent."""
        self._subtract([key for key, _ in _budgets(spending)], spending)

    def _subtract(self, keys: Sequence[dict[str, str]], spending: Spending) -> None:
        for key in keys:
            # If the count has expired and DynamoDB has deleted it, nothing needs to be subtracted.
            with suppress(ConditionFailed):
                self._add(key, spending, -1)

    def _take(self, key: dict[str, str], limit: int, spending: Spending) -> bool:
        most = limit - spending.amount
        condition = f"(attribute_not_exists(#{spending.unit}) OR #{spending.unit} <= :most)"
        values = {"most": most}
        limits: dict[str, int] = {spending.unit: limit}
        if spending.by_anyone:
            mine = _by_anyone(spending.unit)
            condition += f" AND (attribute_not_exists(#{mine}) OR #{mine} <= :most_by_anyone)"
            # Strangers may request half of the messages that the limit allows, but always at least
            # one.
            limits[mine] = max(1, limit // 2)
            values["most_by_anyone"] = limits[mine] - spending.amount
        try:
            if min(values.values()) < 0:
                raise ConditionFailed(None)
            found = self._add(key, spending, 1, condition, values)
        except ConditionFailed:
            self._note(100)
            return False
        for name, most_of_it in limits.items():
            self._note(found[name] * 100 // most_of_it)
        return True

    def _add(
        self,
        key: dict[str, str],
        spending: Spending,
        sign: int,
        condition: str = "attribute_exists(#pk)",
        values: Item | None = None,
    ) -> Item:
        names = [spending.unit, *([_by_anyone(spending.unit)] if spending.by_anyone else [])]
        parts = [f"#{name} = if_not_exists(#{name}, :none) + :amount" for name in names]
        update = f"SET {', '.join(parts)}, #expires_at = :expires_at"
        given = {
            **(values or {}),
            "none": 0,
            "amount": sign * spending.amount,
            "expires_at": spending.millis // 1000 + KEPT_SECONDS,
        }
        return self.table.update(key, update, condition, given)

    def _note(self, percent: int) -> None:
        self.used["percent"] = max(self.used["percent"], percent)


def _by_anyone(unit: Unit) -> str:
    return f"{unit}_by_anyone"


def _budgets(spending: Spending) -> list[tuple[dict[str, str], int]]:
    """Return the key and value of each daily limit that applies to the message."""
    sort = f"{BUDGET}{_day(spending.millis)}"
    found = [({"pk": STACK, "sk": sort}, spending.of_stack)]
    if spending.of_list is not None:
        found.insert(0, ({"pk": f"WAITLIST#{spending.waitlist_id}", "sk": sort}, spending.of_list))
    return found


def _day(millis: int) -> str:
    return f"{millis // DAY_MILLIS:08d}"
