"""What a stack costs in a month; it asks no service."""

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
        str, typer.Option("--signups", help="Customers who join and are admitted: 10k, 1M.")
    ] = "0",
    polls: Annotated[str, typer.Option("--polls", help="Looks at their own entries.")] = "0",
    boards: Annotated[str, typer.Option("--boards", help="Reads of the board.")] = "0",
    waiting: Annotated[str, typer.Option("--waiting", help="People who wait on average.")] = "0",
    edge: Annotated[bool, typer.Option("--edge", help="CloudFront answers the boards.")] = False,
    lists: Annotated[str, typer.Option("--lists", help="Lists, most of them idle.")] = "1",
    webhook: Annotated[
        bool, typer.Option("--webhook", help="Each event is posted to a webhook.")
    ] = False,
    mails: Annotated[
        str | None, typer.Option("--mails", help="Messages by mail, with MailFrom.")
    ] = None,
    texts: Annotated[
        str | None, typer.Option("--texts", help="Messages by SMS, with SmsFrom.")
    ] = None,
    text_price: Annotated[
        float,
        typer.Option("--text-price", min=0, help="Dollars of one part of an SMS, by its country."),
    ] = 0.05,
    text_parts: Annotated[
        int,
        typer.Option(
            "--text-parts",
            min=1,
            help="Parts of an SMS: 3 in English and German, 6 in French, Spanish and Arabic; "
            "`waitlist messages preview` shows yours.",
        ),
    ] = 3,
    verify: Annotated[
        Verify | None,
        typer.Option("--verify", help="Each signup gets a link by mail or SMS, to be verified."),
    ] = None,
    monitoring: Annotated[
        Literal["full", "essential"],
        typer.Option("--monitoring", help="The stack's parameter Monitoring."),
    ] = "full",
) -> None:
    """Estimate a month's bill by line item, in US dollars for us-east-1.

    Without options it is the price of an idle stack with one list; each further list in which
    nothing happens is under "Maintenance, each minute". docs/operate/sizing.md says how the numbers
    are made. No service is asked.
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
        raise WrongUsage(f"{text} is no number; write 500, 10k or 1.5M")
    return round(float(found[1]) * FACTORS[found[2]])
