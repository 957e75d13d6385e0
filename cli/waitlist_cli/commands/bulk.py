"""Bulk: import a file into a waitlist, export a waitlist into a file."""

from dataclasses import replace
from typing import Annotated, Literal

import typer

from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.columns import CUSTOMER, Columns, columns_of
from waitlist_cli.imports.file_guesses import Said, first_rows, read_as
from waitlist_cli.imports.records import note_encoding, opened
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import (
    Asked,
    Delimiter,
    Encoding,
    Since,
    Unverified,
    WaitlistId,
    only_of,
)
from waitlist_cli.terminal.times import since_of

PANEL = "Bulk"
Format = Literal["csv", "jsonl"]
WhenEnded = Literal["skip", "rejoin"]
WhenOnList = Literal["keep", "replace"]


@command(
    "import",
    PANEL,
    "waitlist import bakery people.csv --customer id --attribute language --keep-time applied",
)
def import_file(
    context: Context,
    waitlist: WaitlistId,
    file: Annotated[str, typer.Argument(metavar="FILE", help=".csv, .jsonl, or - for stdin.")],
    customer: Annotated[
        str | None,
        typer.Option(
            "--customer", help="The column of the customer ids. Default: by its name or values."
        ),
    ] = None,
    identity: Annotated[
        Literal["email", "phone"] | None,
        typer.Option(
            "--identity",
            help="The address says who people are; --customer names its column. Default: by its "
            "name or values.",
        ),
    ] = None,
    mapped: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="COLUMN=TARGET",
            help="TARGET is profile.NAME, attributes.NAME, priority, joined_at, or - to leave out.",
        ),
    ] = None,
    attribute: Annotated[
        list[str] | None,
        typer.Option("--attribute", help="A column with an attribute; a;b are two values."),
    ] = None,
    priority: Annotated[
        str | None, typer.Option("--priority", help="The column of the priority.")
    ] = None,
    keep_time: Annotated[
        str | None,
        typer.Option(
            "--keep-time", help="The column of the time of signup, which decides the place."
        ),
    ] = None,
    zone: Annotated[
        str, typer.Option("--zone", help="Zone of times without an offset, such as Europe/Berlin.")
    ] = "UTC",
    time_format: Annotated[
        str | None,
        typer.Option(
            "--time-format", help="Format of the times, such as %d.%m.%Y. Default: by the values."
        ),
    ] = None,
    others: Annotated[
        Literal["profile", "drop"], typer.Option("--others", help="Where other columns go.")
    ] = "profile",
    form: Annotated[
        Format | None, typer.Option("--format", help="Default: by the file's name.")
    ] = None,
    delimiter: Delimiter = ",",
    encoding: Encoding = None,
    from_row: Annotated[int, typer.Option("--from-row", min=1, help="Begin at this row.")] = 1,
    refused: Annotated[
        str | None, typer.Option("--refused", help="The file for refused rows, with reasons.")
    ] = None,
    tokens: Annotated[
        str | None,
        typer.Option("--tokens", help="A CSV for the entry_token of each person."),
    ] = None,
    ended: Annotated[
        WhenEnded | None,
        typer.Option(
            "--ended",
            help="Customers who left or were admitted: skip them (default) or let them rejoin.",
        ),
    ] = None,
    on_list: Annotated[
        WhenOnList | None,
        typer.Option(
            "--on-list",
            help="Customers whose id a guest has signed up: keep the guest's stay with a warning "
            "(default), or replace it by the row.",
        ),
    ] = None,
    is_trial: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Send nothing; print the new order, duplicates, and what would be refused.",
        ),
    ] = False,
) -> int:
    """Add the people of a file to the queue, in file order or by their time of signup.

    Customers in the queue keep their places, and those who left or were admitted are skipped, so
    after an interruption run the same command again.
    Refused rows go into FILE.refused.csv (or .jsonl); the other rows are imported.
    Guests need a token to see their position: --tokens writes all tokens, also in a repeat.
    """
    from waitlist_cli.imports.command import Task, import_people, try_import

    named = {text.partition("=")[0]: text.partition("=")[2] for text in mapped or ()}
    taken = [*named, *named.values(), *(attribute or ()), *filter(None, (priority, keep_time))]
    said = Said(customer, identity, keep_time, time_format, taken, others == "profile")
    found = read_as(context.output, first_rows(file, form, delimiter, encoding), said)
    who = customer or found.customer or identity or CUSTOMER
    columns = columns_of(
        customer=who,
        identity=identity,
        priority=priority,
        kept_time=keep_time,
        attributes=attribute or (),
        mapped=mapped or (),
        keep_others=others == "profile",
        zone=zone,
        time_format=time_format or found.time_format,
        splits_values=form != "jsonl",
        addresses=found.addresses,
    )
    with opened(file, form, delimiter, encoding=encoding) as source:
        if encoding is None:
            note_encoding(context.output, source, "--encoding chooses another.")
        columns = _for(source.form, columns)
        if is_trial:
            return try_import(context, source, columns, waitlist)
        task = Task(waitlist, file, from_row, refused, tokens, ended, on_list, found.text)
        return import_people(context, task, source, columns)


@command("export", PANEL, "waitlist export bakery --format jsonl --output bakery.jsonl")
def export(
    context: Context,
    waitlist: WaitlistId,
    form: Annotated[Format, typer.Option("--format", help="The format of the output.")] = "csv",
    status: Annotated[
        Literal[
            "waiting",
            "offered",
            "parked",
            "admitted",
            "left",
            "inside",
            "banned",
            "unreachable",
            "messages_off",
            "all",
        ],
        typer.Option("--status", help="The people to write; all are those of each status."),
    ] = "waiting",
    since: Since = None,
    ready: Annotated[
        bool | None,
        typer.Option("--ready/--not-ready", help="Of those who wait, only these."),
    ] = None,
    unverified: Unverified = False,
    asked: Asked = False,
    all_columns: Annotated[
        bool,
        typer.Option(
            "--all-columns",
            help="Of a CSV each column that there is, and one for each field of the profiles.",
        ),
    ] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A file. Default: standard output.")
    ] = None,
) -> None:
    """Write a waitlist's people in serving order, page by page.

    Those who were admitted or left, are inside or banned, or get no messages (unreachable,
    messages_off), come by time; --since limits these.

    A CSV has the questions of the list's form as columns, and leaves out columns in which no one
    has anything. `import` takes over both formats, and says what it cannot.
    """
    from waitlist_cli.operations.export import ALL, export_people

    some = {**since_of(since), **only_of(unverified, asked)}
    if ready is not None:
        some["ready"] = str(ready).lower()
    if status == ALL and some:
        raise WrongUsage("--status all writes everyone: without --since, --ready and the like.")
    query = {"status": status, **some}
    export_people(context, waitlist, form, query, output, is_whole=all_columns)


def _for(form: str, columns: Columns) -> Columns:
    """Return the columns without splitting values at `;` if the file is JSON, which has lists."""
    return replace(columns, splits_values=form == "csv")
