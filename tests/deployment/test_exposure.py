"""Tests the numbers in docs/operate/exposure.md, which says how much callers without any permission
can cost the operator in a day.
"""

from pathlib import Path

import pytest

from tests.deployment.template import TEMPLATE
from tests.deployment.test_throttling import FEW_RATE, read_groups
from tests.support.flood import FLOOD, OFFER
from tools.deploy.samconfig import Settings
from waitlist_api.http.page.files import files
from waitlist_cli.operations.cost import (
    ANSWER_KB,
    BOARD_KB,
    OPERATIONS,
    Month,
    Operation,
    Prices,
    cost_of,
    totals,
)

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operate" / "exposure.md").read_text(encoding="utf-8")
DAY = 86_400
PRICES = Prices()
LOOK = OPERATIONS["look"]
GROUPS = read_groups()
# The group of routes whose limits are not parameters.
FEW = GROUPS.pop("Few")
# The cost of each read-only route. Routes with unusually large or small responses have their own
# figures.
FILE = Operation(queue_calls=0)
READS = {
    route: LOOK if "/v1/" in route and "unsubscribe" not in route else FILE
    for group in (*GROUPS.values(), FEW)
    for route in group - set(FLOOD)
}
# The public screen shows up to 100 claimed customers and 8 waiting customers. Each customer's
# record is at most 8 KB.
SCREEN = Operation(reads=2 * (100 + 8) + 1, table_calls=3, queue_calls=2)
READS |= dict.fromkeys((route for route in READS if route.endswith("/screen")), SCREEN)
LARGEST_FILE_KB = max(len(one.text.encode()) for one in files().values()) / 1000
ANSWERS_KB = {"GET /assets/{edition}/{file}": LARGEST_FILE_KB}
ANSWERS_KB |= {route: BOARD_KB for route in READS if route.endswith("/board")}
WRITES = "DynamoDB, writes"


class Exposure:
    """The cost of a day on which callers use every route as often as its rate limit allows."""

    def __init__(self, section: str) -> None:
        given = Settings.read(section, ROOT / "samconfig.toml").parameters
        defaults = {name: one.get("Default") for name, one in TEMPLATE["Parameters"].items()}
        self.values = {**defaults, **given}
        self.calls = {
            route: DAY * self.number(f"{group}RateLimit")
            for group, routes in GROUPS.items()
            for route in routes
        } | dict.fromkeys(FEW, DAY * FEW_RATE)
        offers = sum(self.calls[route] * one.offers for route, one in FLOOD.items())
        self.writing = {route: self.calls[route] for route in FLOOD} | {"offer": offers}

    def number(self, parameter: str) -> int:
        return int(self.values[parameter])

    @property
    def table(self) -> float:
        units = DAY * self.number("MaxWriteUnitsPerSecond")
        return units / 1e6 * PRICES.writes_per_million

    @property
    def index(self) -> float:
        dearest = {**FLOOD, "offer": OFFER}
        units = sum(
            count * (dearest[name].operation.writes - dearest[name].table)
            for name, count in self.writing.items()
        )
        return units / 1e6 * PRICES.writes_per_million

    @property
    def changes(self) -> float:
        operations = {route: one.operation for route, one in FLOOD.items()}
        items = cost_of(self.writing, PRICES, {**operations, "offer": OFFER.operation})
        return sum(dollars for name, dollars in items.items() if name not in (WRITES, "Data out"))

    @property
    def looks(self) -> float:
        reading = {route: self.calls[route] for route in READS}
        items = cost_of(reading, PRICES, READS)
        return sum(dollars for name, dollars in items.items() if name != "Data out")

    @property
    def out(self) -> float:
        kilobytes = sum(
            count * ANSWERS_KB.get(route, ANSWER_KB) for route, count in self.calls.items()
        )
        return kilobytes / 1e6 * PRICES.out_gb

    @property
    def messages(self) -> float:
        mails, parts = self.number("MailsPerDay"), self.number("SmsPartsPerDay")
        return mails / 1000 * PRICES.mails_per_thousand + parts * Month(0, 0).text_price

    @property
    def rows(self) -> dict[str, float]:
        found = {
            "write units of the table: `MaxWriteUnitsPerSecond`": self.table,
            "write units of its index": self.index,
            "requests that change something: API Gateway, Lambda, logs, events, passes": (
                self.changes
            ),
            "requests that read: positions, lists, boards, the page and its files": self.looks,
            "data out of AWS": self.out,
            "messages: `MailsPerDay`, and `SmsPartsPerDay` at 0.05 dollars": self.messages,
        }
        return {**found, "in all, at most": sum(found.values())}


@pytest.fixture
def stacks() -> list[Exposure]:
    return [Exposure("default"), Exposure("prod")]


def test_the_page_states_the_cost_of_a_day_at_all_limits(stacks: list[Exposure]) -> None:
    columns = [stack.rows for stack in stacks]
    head = ["default", "`prod` of samconfig.toml"]
    limits = [f"{stack.number('SignupRateLimit')} signups a second" for stack in stacks]
    named = [f"{name}: {limit}" for name, limit in zip(head, limits, strict=True)]
    lines = [f"| a day of 24 hours | {' | '.join(named)} |", "|---|--:|--:|"]
    for row in columns[0]:
        lines.append(f"| {row} | {' | '.join(f'{column[row]:,.0f}' for column in columns)} |")
    table = "\n".join(lines)
    assert table in PAGE, table


def test_the_page_states_the_additional_cost_of_a_webhook(stacks: list[Exposure]) -> None:
    events = [
        totals(
            stack.writing,
            {route: one.operation for route, one in FLOOD.items()} | {"offer": OFFER.operation},
        )["events"]
        for stack in stacks
    ]
    millions = [f"{count / 1e6:,.0f}" for count in events]
    default, prod = millions
    said = f"{default} million events a day with the default limits, and up to {prod} million"
    assert said in " ".join(PAGE.split())
