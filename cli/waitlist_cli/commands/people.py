"""Defines the commands that sign up, show, move, edit, verify, remove and erase people."""

import uuid
from typing import Annotated, Any

import typer

from waitlist_cli.commands.waitlists import change, show_waitlist
from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.columns import CUSTOMER
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import Source, note_encoding, open_source
from waitlist_cli.operations.ask import DAYS, ask_all
from waitlist_cli.operations.ban import BAN
from waitlist_cli.operations.bump import BUMP, PLACES, PRIORITY, Bumps
from waitlist_cli.operations.edit import EDIT
from waitlist_cli.operations.every_action import PERSON_ACTIONS
from waitlist_cli.operations.explain_place import explain as explanation_of
from waitlist_cli.operations.leave import REMOVE
from waitlist_cli.operations.lists import RESUME
from waitlist_cli.operations.person import Person
from waitlist_cli.operations.questions import check_profile
from waitlist_cli.operations.readiness import HOLD_BACK, READY
from waitlist_cli.operations.settings import replacement_patch, zone_of
from waitlist_cli.operations.sign_up import (
    FIRST_PRIORITY,
    JOINED_AT,
    address_field,
    explain_silence,
    sign_up,
)
from waitlist_cli.terminal.action_commands import person_command, send_and_print, with_fields
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.entry_output import (
    place,
    print_each,
    print_entry,
    print_history,
    print_status,
)
from waitlist_cli.terminal.groups import with_person
from waitlist_cli.terminal.moves_output import print_explanation
from waitlist_cli.terminal.output import format_count
from waitlist_cli.terminal.parameters import (
    Attribute,
    Customer,
    Delimiter,
    Encoding,
    EntryId,
    ProfileJson,
    Reason,
    Set,
    WaitlistId,
    attributes_of,
    profile_of,
)
from waitlist_cli.terminal.setting_options import with_settings
from waitlist_cli.terminal.times import parse_option

PANEL = "People"
EITHER = "Waitlists and people"
EntryToken = Annotated[
    str | None,
    typer.Option(
        "--token",
        help="The customer's entry token, which lets the command act on the customer's behalf.",
    ),
]


@command("show", EITHER, "waitlist show bakery --customer ada")
def show(
    context: Context, waitlist: WaitlistId, entry: EntryId = None, customer: Customer = None
) -> None:
    """Show a waitlist's settings, or a person's profile and history."""
    if entry is None and customer is None:
        show_waitlist(context, waitlist)
        return
    print_entry(context, context.person(waitlist, entry, customer).show())


@command("edit", EITHER, "waitlist edit bakery --customer ada --set party=4")
@with_settings
def edit(
    context: Context,
    waitlist: WaitlistId,
    entry: EntryId = None,
    customer: Customer = None,
    profile_json: ProfileJson = None,
    set_: Set = None,
    attribute: Attribute = None,
    reason: Reason = "",
    *,
    settings: dict[str, Any],
) -> None:
    """Change a waitlist's settings, or a person's profile and attributes.

    Values that you do not give stay as they are.
    """
    of_person = profile_json is not None or set_ or attribute
    names_person = entry is not None or customer is not None
    if bool(settings) == bool(of_person) or (settings and names_person):
        raise WrongUsage(
            "To change the waitlist, pass only its settings, such as --name or --capacity. To "
            "change a person, name the person and pass --set, --attribute or --profile-json."
        )
    if settings:
        version, messages = None, settings.get("messages") or {}
        if "texts" in messages:
            found = context.call("GET", waitlist)
            former, version = (found["messages"] or {}).get("texts", {}), found["version"]
            messages["texts"] = replacement_patch(former, messages["texts"])
        change(context, waitlist, settings, version)
    else:
        person = context.person(waitlist, entry, customer)
        _edit_person(context, person, profile_json, set_, attribute, reason)


@command("resume", EITHER, "waitlist resume bakery")
def resume(
    context: Context,
    waitlist: WaitlistId,
    entry: EntryId = None,
    customer: Customer = None,
    token: EntryToken = None,
) -> None:
    """Resume a paused waitlist, or end one customer's pause.

    A customer who has paused is letting other people go first. To end their pause, pass their entry
    token with --token.
    """
    if token is None and entry is None and customer is None:
        change(context, waitlist, RESUME.body)
        return
    person = context.person(waitlist, entry, customer)
    if token is None:
        raise WrongUsage(
            "Only the customer can end their own pause. Pass their entry token with --token."
        )
    found = context.api.customer("GET", person.path, token)
    if found["rest_until"]:
        body = {"rest_until": found["rest_until"]}
        found = context.api.customer("POST", f"{person.path}/resume", token, body)
    print_status(context, found)


@command("signup", PANEL, "waitlist signup bakery ada --set name=Ada --attribute language=English")
@with_fields("values", (FIRST_PRIORITY, JOINED_AT))
def signup(
    context: Context,
    waitlist: WaitlistId,
    customer: Annotated[
        str,
        typer.Argument(
            metavar="CUSTOMER",
            help="Customer id, or the person's email address or phone number if the waitlist "
            "identifies people by address.",
        ),
    ],
    profile_json: ProfileJson = None,
    set_: Set = None,
    attribute: Attribute = None,
    no_address: Annotated[
        bool,
        typer.Option(
            "--no-address",
            help="Sign up a person who has no address on a waitlist that identifies people by "
            "address. CUSTOMER is then a customer id.",
        ),
    ] = False,
    *,
    values: dict[str, Any],
) -> None:
    """Sign up a customer, even if the waitlist is closed.

    If the customer is already on the waitlist, they keep their place.
    """
    joined_at = values["joined_at"]
    profile = profile_of({}, profile_json, set_)
    customer_id: str | None = customer
    settings = context.call("GET", waitlist)
    field = None if no_address else address_field(settings)
    if not no_address:
        check_profile(settings, profile or {})
    if field is not None:
        customer_id, profile = None, {**(profile or {}), field: customer}
    result = sign_up(
        context.api,
        waitlist,
        str(uuid.uuid4()),
        customer_id=customer_id,
        profile=profile,
        attributes=attributes_of({}, attribute),
        priority=values["priority"],
        joined_at=parse_option(joined_at, f"--joined-at {joined_at}", lambda: settings["timezone"])
        if joined_at
        else None,
    )
    entry = context.call("GET", waitlist, f"/entries/{result['entry_id']}")
    if context.output.as_json:
        context.output.json({"outcome": result["outcome"], **entry})
    else:
        if result.get("warning") == "signed_up_by_guest":
            context.output.note(
                "A guest has signed up with this customer id, and may be a different person. Check "
                "this before you bump or admit the entry.",
                "yellow",
            )
        if result.get("has_no_address"):
            context.output.note(explain_silence(settings, entry["profile"]).strip(), "yellow")
        was = "joined" if result["outcome"] == "joined" else "was already on the list"
        who = context.describe_person(entry["entry_id"])
        context.output.text(f"{who} {was}: {entry['status']}{place(entry)}")


@command("position", PANEL, "waitlist position bakery --customer ada")
@with_person
def position(context: Context, person: Person, token: EntryToken = None) -> None:
    """Show a person's position. With --token, show what the customer sees."""
    if token is not None:
        print_status(context, context.api.customer("GET", person.path, token))
        return
    names = (
        *("entry_id", "status", "position", "total", "priority", "joined_at", "offered_until"),
        *("claimed_until", "ready", "not_ready", "ready_ahead", "rest_until"),
        "delayed_until",
    )
    found = person.show()
    print_status(context, {name: found[name] for name in names})


@command("leave", PANEL, "waitlist leave bakery --customer ada --token ENTRY_TOKEN")
@with_person
def leave(
    context: Context,
    token: Annotated[str, typer.Option("--token", help="The customer's entry_token.")],
    person: Person,
) -> None:
    """Leave the queue on behalf of a customer.

    This command needs the customer's entry token. To remove a person without a token, use `remove`.
    """
    context.api.customer("DELETE", person.path, token)
    document = {"entry_id": person.entry_id, "outcome": "left"}
    context.output.result(document, f"{person.entry_id} has left.")


@command(
    "rest", PANEL, "waitlist rest bakery --customer ada --token ENTRY_TOKEN --until 2026-12-24"
)
@with_person
def rest(
    context: Context,
    token: Annotated[str, typer.Option("--token", help="The customer's entry_token.")],
    until: Annotated[
        str,
        typer.Option(
            "--until",
            help="When the pause ends, such as 2026-12-24T09:00. A time without a UTC offset is "
            "in the waitlist's time zone.",
        ),
    ],
    person: Person,
) -> None:
    """Let other people go ahead of a customer until a given time.

    The customer keeps their place. This command needs the customer's entry token. To end the pause
    early, use `resume`. If you have no token, use `ready --no`.
    """
    zone = zone_of(context.api, person.waitlist_id)
    body = {"until": parse_option(until, f"--until {until}", zone)}
    path = f"{person.path}/rest"
    print_status(context, context.api.customer("POST", path, token, body, key=person.key))


@command("confirm", EITHER, "waitlist confirm bakery --dry-run")
@with_fields("values", [DAYS])
def confirm(
    context: Context,
    waitlist: WaitlistId,
    entry: EntryId = None,
    customer: Customer = None,
    token: EntryToken = None,
    *,
    values: dict[str, Any],
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help=("Count the people who would be asked, without asking them.")
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Ask the people without a confirmation prompt.")
    ] = False,
) -> None:
    """Ask all people in the queue whether they are still waiting.

    With --token, confirm on behalf of the customer instead. The --confirm-then setting decides what
    happens to people who do not answer.
    """
    if token is not None:
        person = context.person(waitlist, entry, customer)
        print_status(context, context.api.customer("POST", f"{person.path}/confirm", token))
        return
    if entry is not None or customer is not None:
        raise WrongUsage(
            "Only the customer can confirm that they are still waiting. Pass their entry token "
            "with --token. To ask everyone, do not name a person."
        )
    count, days = 0, values.get("days", 0)
    if dry_run or not yes:
        count = ask_all(context.api, waitlist, days, dry_run=True)
    if not dry_run:
        context.ask_first(
            yes, f"Ask {format_count(count, 'person', 'people')} whether they are still waiting?"
        )
        count = ask_all(context.api, waitlist, days)
    words = "would be asked." if dry_run else f"{'was' if count == 1 else 'were'} asked."
    document = {"waitlist_id": waitlist, "asked": count, "dry_run": dry_run}
    context.output.result(document, f"{format_count(count, 'person', 'people')} {words}")


person_command(
    REMOVE,
    PANEL,
    "waitlist remove bakery --customer ada --reason 'asked by phone'",
    flag="--ban",
    instead=BAN,
)
person_command(
    READY,
    PANEL,
    "waitlist ready bakery --customer ada --no --reason 'papers missing'",
    flag="--no",
    instead=HOLD_BACK,
)


@command("bump", PANEL, "waitlist bump bakery --customer ada --places 10")
@with_fields("targets", (PRIORITY, PLACES))
def bump(
    context: Context,
    waitlist: WaitlistId,
    entry: EntryId = None,
    customer: Customer = None,
    *,
    targets: dict[str, Any],
    front: Annotated[
        bool,
        typer.Option(
            "--front", help="Move the person ahead of everyone else with the same priority."
        ),
    ] = False,
    back: Annotated[
        bool, typer.Option("--back", help="Move the person to the end of the queue.")
    ] = False,
    reason: Reason = "",
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            help="Move the people in this .csv or .jsonl file. Its column customer_id identifies "
            "them.",
        ),
    ] = None,
    delimiter: Delimiter = ",",
    encoding: Encoding = None,
) -> int:
    """Move a person to the front, to the back, forward by some places, or to another priority.

    With --file and --front, the people end up at the front in the order of the file.
    """
    ends = [{"to": end} for end, typed in (("front", front), ("back", back)) if typed]
    chosen = [*ends, *({name: value} for name, value in targets.items())]
    if len(chosen) != 1:
        raise WrongUsage("Pass exactly one of --priority, --places, --front and --back.")
    to = chosen[0]
    if file is not None:
        if entry is not None or customer is not None or "places" in to:
            raise WrongUsage("Do not combine --file with ENTRY, --customer or --places.")
        with open_source(file, None, delimiter, encoding=encoding) as source:
            return _bump_all(context, Bumps(waitlist, to, reason), source)
    person = context.person(waitlist, entry, customer)
    send_and_print(context, person, BUMP, {**to, "reason": reason})
    return 0


@command("history", PANEL, "waitlist history bakery --customer ada")
@with_person
def history(context: Context, person: Person) -> None:
    """Show a person's history, oldest event first."""
    events = list(context.pages(person.path, "history", include="history"))
    print_history(context, events)


@command("explain", PANEL, "waitlist explain bakery --customer ada")
@with_person
def explain(
    context: Context,
    person: Person,
    most: Annotated[
        int,
        typer.Option("--max", min=1, help="Maximum number of people to examine for each status."),
    ] = 10_000,
) -> None:
    """Explain how a person reached their position, and what happened to the people ahead."""
    found = person.show()
    settings = context.call("GET", person.waitlist_id)
    print_explanation(context, explanation_of(context.pages, settings, found, most))


for action in PERSON_ACTIONS:
    if action.example:
        person_command(action, PANEL, action.example)


def _bump_all(context: Context, bumps: Bumps, source: Source) -> int:
    """Move the people in a file one after another.

    Return the exit code, which is 1 if the service refused any move.
    """
    note_encoding(context.output, source)
    records = list(source.records())
    for record in records:
        try:
            bumps.entry_id(record)
        except InvalidRow as error:
            raise WrongUsage(
                f"Row {record.number} of {source.name}: {error}. Nobody was moved."
            ) from None
    people = (
        (str(row.fields[CUSTOMER]), {CUSTOMER: row.fields[CUSTOMER]}, bumps.move(context.api, row))
        for row in bumps.in_order(records)
    )
    return print_each(context, "moved", ("person moved", "people moved"), people)


def _edit_person(
    context: Context,
    person: Person,
    profile_json: str | None,
    set_: list[str] | None,
    attribute: list[str] | None,
    reason: str,
) -> None:
    # A request replaces the whole profile, so apply the changes to the current profile and send the
    # result.
    before = person.show()
    body: dict[str, Any] = {"reason": reason}
    if profile_json is not None or set_:
        body["profile"] = profile_of(before["profile"], profile_json, set_)
    if attribute:
        body["attributes"] = attributes_of(before["attributes"], attribute)
    print_entry(context, person.send(EDIT, **body))
