"""Defines the `cost` command, which estimates the monthly cost of a stack.

The command sends no requests.
"""

import re
from typing import Annotated, Literal

import typer

from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.cost import Month, Verify, monthly
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context

PANEL = "View"
NUMBER = re.compile(r"(\d+(?:\.\d+)?)([kM]?)")
FACTORS = {"": 1, "k": 1_000, "M": 1_000_000}


@command("cost", PANEL, "waitlist cost --signups 1M --polls 10M")
def cost(
    context: Context,
    signups: Annotated[
        str,
        typer.Option(
            "--signups",
            help="Number of customers who join in a month and are admitted, such as 10k or 1M.",
        ),
    ] = "0",
    polls: Annotated[
        str,
        typer.Option(
            "--polls", help="How many times customers request their own position in a month."
        ),
    ] = "0",
    boards: Annotated[
        str, typer.Option("--boards", help="How many times the public board is read.")
    ] = "0",
    waiting: Annotated[
        str, typer.Option("--waiting", help="Average number of people who are waiting.")
    ] = "0",
    edge: Annotated[
        bool,
        typer.Option(
            "--edge",
            help="Estimate the cost of a stack in which CloudFront serves the public board.",
        ),
    ] = False,
    lists: Annotated[
        str,
        typer.Option("--lists", help="Number of waitlists. All but one are assumed to be idle."),
    ] = "1",
    webhook: Annotated[
        bool,
        typer.Option("--webhook", help="Include the cost of a webhook that receives every event."),
    ] = False,
    mails: Annotated[
        str | None,
        typer.Option(
            "--mails",
            help="Number of emails per month. The estimate assumes that the stack's MailFrom "
            "parameter is set.",
        ),
    ] = None,
    texts: Annotated[
        str | None,
        typer.Option(
            "--texts",
            help="Number of SMS messages per month. The estimate assumes that the stack's SmsFrom "
            "parameter is set.",
        ),
    ] = None,
    text_price: Annotated[
        float,
        typer.Option(
            "--text-price",
            min=0,
            help="Price of one SMS part in dollars. The price depends on the country.",
        ),
    ] = 0.05,
    text_parts: Annotated[
        int,
        typer.Option(
            "--text-parts",
            min=1,
            help="Number of SMS parts that one message needs. The longest standard text needs 3 "
            "parts in English and German, and 6 parts in French, Spanish and Arabic.",
        ),
    ] = 3,
    verify: Annotated[
        Verify | None,
        typer.Option(
            "--verify",
            help="Include the cost of sending each signup a verification link by email or SMS.",
        ),
    ] = None,
    monitoring: Annotated[
        Literal["full", "essential"],
        typer.Option("--monitoring", help="Value of the stack's Monitoring parameter."),
    ] = "full",
) -> None:
    """Estimate each item of the monthly AWS bill, in US dollars for us-east-1.

    Without options, the estimate is for an idle stack with one waitlist. docs/operate/sizing.md
    explains how the numbers are calculated. This command sends no requests.
    """
    month = Month(
        _count(signups),
        _count(polls),
        _count(boards),
        _count(waiting),
        edge,
        _count(lists),
        webhook,
        None if mails is None else _count(mails),
        None if texts is None else _count(texts),
        text_price,
        text_parts,
        verify,
        monitoring,
    )
    items = monthly(month)
    rows = [[name, f"{dollars:,.2f}"] for name, dollars in items.items()]
    document = {name: round(dollars, 2) for name, dollars in items.items()}
    context.output.rows(("item", "dollars"), rows, right=("dollars",), document=document)


def _count(text: str) -> int:
    found = NUMBER.fullmatch(text)
    if found is None:
        raise WrongUsage(f"{text} is not a number. Write a number such as 500, 10k or 1.5M.")
    return round(float(found[1]) * FACTORS[found[2]])
