"""Defines the `import` and `export` commands, which read and write the people on a waitlist."""

from dataclasses import replace
from typing import Annotated, Literal

import typer

from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.columns import CUSTOMER, Columns, build_columns
from waitlist_cli.imports.file_guesses import GivenOptions, guess_settings, read_first_rows
from waitlist_cli.imports.records import note_encoding, open_source
from waitlist_cli.operations.settings import zone_of
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
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A .csv or .jsonl file, or - for standard input.")
    ],
    customer: Annotated[
        str | None,
        typer.Option(
            "--customer",
            help="Column with the customer ids. By default, the command finds the column by its "
            "name or its values.",
        ),
    ] = None,
    identity: Annotated[
        Literal["email", "phone"] | None,
        typer.Option(
            "--identity",
            help="Identify people by their email address or phone number. Use --customer to say "
            "which column contains it. By default, the command finds the column by its name or "
            "its values.",
        ),
    ] = None,
    mapped: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="COLUMN=TARGET",
            help="Import a column as TARGET, which is profile.NAME, attributes.NAME, priority or "
            "joined_at. Use - as the TARGET to leave the column out.",
        ),
    ] = None,
    attribute: Annotated[
        list[str] | None,
        typer.Option(
            "--attribute",
            help="Column to import as an attribute. A cell such as a;b contains two values, a and "
            "b.",
        ),
    ] = None,
    priority: Annotated[
        str | None, typer.Option("--priority", help="Column with the priority.")
    ] = None,
    keep_time: Annotated[
        str | None,
        typer.Option(
            "--keep-time",
            help="Column with the signup time, which decides the place in the queue.",
        ),
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option(
            "--zone",
            help="Time zone, such as Europe/Berlin, for times without a UTC offset. Default: the "
            "waitlist's time zone.",
        ),
    ] = None,
    time_format: Annotated[
        str | None,
        typer.Option(
            "--time-format",
            help="Format of the times, such as %d.%m.%Y. By default, it is detected from the "
            "values.",
        ),
    ] = None,
    others: Annotated[
        Literal["profile", "drop"],
        typer.Option("--others", help="What to do with all other columns."),
    ] = "profile",
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help="Format of the file. By default, the file name's suffix determines it.",
        ),
    ] = None,
    delimiter: Delimiter = ",",
    encoding: Encoding = None,
    from_row: Annotated[
        int, typer.Option("--from-row", min=1, help="Begin the import at this row.")
    ] = 1,
    refused: Annotated[
        str | None,
        typer.Option("--refused", help="File for refused rows, with the reasons."),
    ] = None,
    tokens: Annotated[
        str | None,
        typer.Option("--tokens", help="CSV file for each person's entry_token."),
    ] = None,
    ended: Annotated[
        WhenEnded | None,
        typer.Option(
            "--ended",
            help="What to do with customers who have left or been admitted before. By default, "
            "they are skipped. `rejoin` adds them to the queue again.",
        ),
    ] = None,
    on_list: Annotated[
        WhenOnList | None,
        typer.Option(
            "--on-list",
            help="What to do if a row contains the customer id of a guest who has already signed "
            "up. With `keep`, the guest stays, and a warning is printed. With `replace`, the "
            "person in the row replaces the guest.",
        ),
    ] = None,
    is_trial: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Import nothing. Print the new order, the duplicates, and the rows that would be "
            "refused.",
        ),
    ] = False,
) -> int:
    """Add the people in a file to the queue, in the order of their signup times or of the file.

    People who are already in the queue keep their places. Rows that the service refuses are written
    to FILE.refused.csv or FILE.refused.jsonl. If the command is interrupted, run it again.

    A guest needs an entry token to see their position. Use --tokens to write the
    entry tokens of all imported people to a file.
    """
    from waitlist_cli.imports.command import Task, import_people, try_import

    named = {text.partition("=")[0]: text.partition("=")[2] for text in mapped or ()}
    taken = [*named, *named.values(), *(attribute or ()), *filter(None, (priority, keep_time))]
    given = GivenOptions(customer, identity, keep_time, time_format, taken, others == "profile")
    found = guess_settings(context.output, read_first_rows(file, form, delimiter, encoding), given)
    who = customer or found.customer or identity or CUSTOMER
    if zone is None and (keep_time or "joined_at" in named.values()):
        zone = zone_of(context.api, waitlist)()
    columns = build_columns(
        customer=who,
        identity=identity,
        priority=priority,
        kept_time=keep_time,
        attributes=attribute or (),
        mapped=mapped or (),
        keep_others=others == "profile",
        zone=zone or "UTC",
        time_format=time_format or found.time_format,
        splits_values=form != "jsonl",
        addresses=found.addresses,
    )
    with open_source(file, form, delimiter, encoding=encoding) as source:
        if encoding is None:
            note_encoding(context.output, source, "Use --encoding to choose another encoding.")
        columns = _for(source.form, columns)
        if is_trial:
            return try_import(context, source, columns, waitlist)
        task = Task(waitlist, file, from_row, refused, tokens, ended, on_list, found.text)
        return import_people(context, task, source, columns)


@command("export", PANEL, "waitlist export bakery --format jsonl --output bakery.jsonl")
def export(
    context: Context,
    waitlist: WaitlistId,
    form: Annotated[Format, typer.Option("--format", help="Format of the output.")] = "csv",
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
        typer.Option(
            "--status",
            help="Status of the people to export. `all` exports people of every status.",
        ),
    ] = "waiting",
    since: Since = None,
    ready: Annotated[
        bool | None,
        typer.Option(
            "--ready/--not-ready",
            help="Export only waiting people who are ready, or only those who are not ready.",
        ),
    ] = None,
    unverified: Unverified = False,
    asked: Asked = False,
    all_columns: Annotated[
        bool,
        typer.Option(
            "--all-columns",
            help="Write all columns to the CSV file, including empty ones. Each profile field gets "
            "its own column.",
        ),
    ] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="File to write. Default: standard output.")
    ] = None,
) -> None:
    """Export the people on a waitlist in queue order.

    People with the status admitted, left, inside, banned, unreachable or messages_off are sorted by
    when they got that status, and --since limits the export to people who got it since a given
    time.

            A CSV file omits empty columns. `import` can read the exported file.
    """
    from waitlist_cli.operations.export import ALL, export_people

    some = {**since_of(since, zone=zone_of(context.api, waitlist)), **only_of(unverified, asked)}
    if ready is not None:
        some["ready"] = str(ready).lower()
    if status == ALL and some:
        raise WrongUsage(
            "--status all exports everyone. Do not combine it with --since, --ready, --not-ready, "
            "--unverified or --asked."
        )
    query = {"status": status, **some}
    export_people(context, waitlist, form, query, output, is_whole=all_columns)


def _for(form: str, columns: Columns) -> Columns:
    """Return the columns for a file in the given format.

    In a CSV file, `;` separates several values in a cell. In JSON lines, several values form a
    list, so no text is split.
    """
    return replace(columns, splits_values=form == "csv")
