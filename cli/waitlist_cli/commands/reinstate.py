"""Defines the `reinstate` command, which returns people to their former places."""

from contextlib import closing, nullcontext
from typing import Annotated, Any

import typer

from waitlist_cli.client.ids import chosen_entry_id
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.imports.columns import CUSTOMER
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import Record, Source, note_encoding, open_source, size_of
from waitlist_cli.imports.rejected_rows import RejectedRows, rejected_path
from waitlist_cli.imports.token_file import TokenFile, choose_token_file
from waitlist_cli.operations.bump import entry_of_row
from waitlist_cli.operations.reinstate import Reinstatements
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.entry_output import place
from waitlist_cli.terminal.output import format_count
from waitlist_cli.terminal.parameters import Customer, Delimiter, Encoding, Reason, WaitlistId

PANEL = "People"
INVALID = "invalid_row"


@command("reinstate", PANEL, "waitlist reinstate bakery --customer ada --reason 'letter came back'")
def reinstate(
    context: Context,
    waitlist: WaitlistId,
    entries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ENTRY", help="Entry ids of the people to reinstate.", show_default=False
        ),
    ] = None,
    customer: Customer = None,
    reason: Reason = "",
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            help="Reinstate the people in this .csv or .jsonl file. Its column customer_id "
            "identifies them.",
        ),
    ] = None,
    refused: Annotated[
        str | None,
        typer.Option(
            "--refused",
            help="File for the rows that could not be reinstated, with the reasons.",
        ),
    ] = None,
    tokens: Annotated[
        str | None,
        typer.Option("--tokens", help="CSV file for each person's new entry_token."),
    ] = None,
    delimiter: Delimiter = ",",
    encoding: Encoding = None,
) -> int:
    """Return people to exactly their former places after they left or were set aside.

    Each person's former entry_token becomes invalid. If the command is interrupted, run it again.
    """
    task = Reinstatements(context.api, waitlist, reason)
    if file is not None and (entries or customer):
        raise WrongUsage("Either pass --file, or name the people with ENTRY or --customer.")
    ids = [chosen_entry_id(waitlist, entry, None) for entry in entries or []]
    if file is None and (customer is not None or not ids):
        ids.append(chosen_entry_id(waitlist, None, customer))
    taken = [path for path in (file, refused) if path is not None]
    # Append to the token file. It may contain an earlier run's tokens, which are not issued again.
    issued = choose_token_file(tokens, taken, append=True)
    with closing(issued) if issued is not None else nullcontext():
        if file is not None:
            with open_source(file, None, delimiter, encoding=encoding) as source:
                path = rejected_path(file, source.form, refused)
                rejected = RejectedRows(path, source, append=False)
                _reinstate_file(context, task, source, size_of(file), rejected, issued)
        found = [_reinstate(context, task, entry_id, entry_id, issued) for entry_id in ids]
    return _report(context, task, [entry for entry in found if isinstance(entry, dict)])


def _reinstate_file(
    context: Context,
    task: Reinstatements,
    source: Source,
    size: int | None,
    rejected: RejectedRows,
    issued: TokenFile | None,
) -> None:
    from waitlist_cli.imports.progress import Bar

    note_encoding(context.output, source)
    bar = Bar(context.output.notes, f"Back into {task.waitlist_id}", size)
    with closing(rejected), bar:
        for record in source.records():
            _reinstate_row(context, task, record, rejected, issued)
            bar.move(record.number, source.bytes_read())
    if rejected.count:
        context.output.note(f"The refused rows were written to {rejected.path}.", "yellow")


def _reinstate_row(
    context: Context,
    task: Reinstatements,
    record: Record,
    rejected: RejectedRows,
    issued: TokenFile | None,
) -> None:
    try:
        entry_id = entry_of_row(task.waitlist_id, record, CUSTOMER)
    except InvalidRow as error:
        task.refused.append({"name": f"row {record.number}", "code": INVALID})
        rejected.add(record, INVALID, str(error))
        return
    entry = _reinstate(context, task, entry_id, str(record.fields[CUSTOMER]), issued)
    if isinstance(entry, Refused):
        rejected.add(record, entry.code, entry.message)


def _reinstate(
    context: Context, task: Reinstatements, entry_id: str, name: str, issued: TokenFile | None
) -> dict[str, Any] | Refused | None:
    entry = task.reinstate(entry_id, name)
    if isinstance(entry, Refused):
        context.output.note(f"{name}: {entry.message} ({entry.code})", "yellow")
    elif entry is not None and issued is not None and (token := task.issue_token(entry_id)):
        issued.write([(entry_id, "" if name == entry_id else name, *token, "")])
    return entry


def _report(context: Context, task: Reinstatements, found: list[dict[str, Any]]) -> int:
    output = context.output
    if output.as_json:
        output.json(
            {
                "reinstated": task.back,
                "already": task.already,
                "refused": task.refused,
                "entries": found,
            }
        )
    else:
        for entry in found:
            who = context.describe_person(entry["entry_id"])
            output.text(f"{who} is back: {entry['status']}{place(entry)}")
        words = format_count(task.back, "person is", "people are")
        output.text(
            f"{words} back at the former place, {task.already:,} already on the list, "
            f"{len(task.refused):,} refused."
        )
    return 1 if task.refused else 0
