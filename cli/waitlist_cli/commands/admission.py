"""Defines the commands that offer slots, claim people, and complete or release claims."""

import uuid
from typing import Annotated, Any

import typer

from waitlist_cli.errors import CliError, Refused, Unauthorised, WrongUsage
from waitlist_cli.operations.admit import (
    ADMIT_PERSON,
    EXIT,
    OFFER_SECONDS,
    QUOTA_ENDED,
    WITHDRAW,
    admissions,
    offered_until,
)
from waitlist_cli.operations.claim import (
    CALL,
    CLAIM_PEOPLE,
    CLAIM_PERSON,
    COMPLETE,
    EXTEND,
    FILTER,
    LEASE,
    ORDER,
    PARK,
    RELEASE,
)
from waitlist_cli.operations.redrives import REDRIVE, REDRIVE_ALL, redrives
from waitlist_cli.operations.settings import zone_of
from waitlist_cli.terminal.action_commands import (
    list_command,
    person_command,
    send_and_print,
    with_fields,
)
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.entry_output import (
    ADMITTED,
    CLAIMED,
    OFFERED,
    PARKED,
    print_each,
    print_list,
    row,
)
from waitlist_cli.terminal.output import format_count
from waitlist_cli.terminal.parameters import (
    MOST_SECONDS,
    Customer,
    EntryId,
    HowMany,
    Key,
    Since,
    WaitlistId,
)
from waitlist_cli.terminal.times import since_of
from waitlist_cli.work.hold import OnFailure

PANEL = "Admission"
Most = Annotated[
    int | None,
    typer.Option("-n", "--count", min=1, help="Maximum number of people to list. Default: all."),
]
NO_MORE = "No one else is waiting, or the max_inside limit is reached."
# After any of these errors, it is certain that the request had no effect.
NOT_DONE = (Refused, Unauthorised, WrongUsage)


@command("admit", PANEL, "waitlist admit bakery 250 --filter language=Spanish --key launch-1")
@with_fields("filters", [FILTER])
@with_fields("length", [OFFER_SECONDS])
def admit(
    context: Context,
    waitlist: WaitlistId,
    count: Annotated[
        int,
        typer.Argument(
            metavar="N",
            min=0,
            help="Number of slots to offer. Use 0 to end an earlier --refill.",
        ),
    ],
    filters: dict[str, Any],
    length: dict[str, int],
    refill: Annotated[
        bool,
        typer.Option(
            "--refill",
            help="Keep offering slots until N people have entered. Unused slots go to the next "
            "people.",
        ),
    ] = False,
    key: Key = None,
) -> None:
    """Offer slots to the first people in the queue now, regardless of the rate and the schedule.

    The `max_inside` limit still applies. If the command is interrupted, it prints a key. To offer
    the remaining slots, repeat the command with that key.
    """
    if refill and filters:
        raise WrongUsage(
            "--refill applies to the whole waitlist. Do not combine it with --filter or --prefer."
        )
    used = key or str(uuid.uuid4())
    entries: list[dict[str, Any]] = []
    try:
        for page in admissions(
            context.api, waitlist, count, filters, key=used, refill=refill, **length
        ):
            entries += page
    except (CliError, KeyboardInterrupt) as error:
        if entries or not isinstance(error, NOT_DONE):
            done = f"At least {len(entries):,} of {count:,} slots were offered."
            context.output.note(f"{done} To finish, repeat the command with --key {used}", "yellow")
        raise
    document = {"asked": count, "key": used, "entries": entries}
    context.output.result(document, _admitted_text(entries, count, refill))


person_command(
    ADMIT_PERSON, PANEL, "waitlist admit-person bakery --customer ada --reason wheelchair"
)
person_command(WITHDRAW, PANEL, "waitlist withdraw bakery --customer ada")
person_command(EXIT, PANEL, "waitlist exit bakery --customer ada")


def _print_claims(context: Context, answer: dict[str, Any]) -> None:
    if context.output.as_json:
        context.output.json(answer)
        return
    claims, limit = answer["claims"], answer.get("limit")
    has_filters = any(claim.get("filter_index") is not None for claim in claims)
    columns = (*CLAIMED, "filter_index") if has_filters else CLAIMED
    rows = [row(entry, columns) for entry in claims]
    if limit:
        context.output.note(
            f"The waitlist's {limit} allows no more claims at the moment.", "yellow"
        )
    if not context.output.console.is_terminal:
        context.output.rows(columns, rows)
        return
    if not rows and not limit:
        context.output.text("There is nobody to claim.")
    # Print each value on its own line. Operators copy the tokens, and a table would wrap them.
    for values in rows:
        pairs = dict(zip(columns, values, strict=True))
        context.output.pairs(
            {name: pairs[name] for name in pairs if name != "call_number" or pairs[name]}
        )
        context.output.line("")


list_command(
    CLAIM_PEOPLE,
    PANEL,
    "waitlist claim bakery -n 3 --filter language=Spanish --lease 120",
    _print_claims,
    has_key=True,
)


@command("claim-person", PANEL, "waitlist claim-person bakery --customer ada --call-to 'Room 2'")
@with_fields("values", CLAIM_PERSON.fields)
def claim_person(
    context: Context,
    waitlist: WaitlistId,
    entry: EntryId = None,
    customer: Customer = None,
    *,
    values: dict[str, Any],
) -> None:
    """Claim one person, wherever they are in the queue, and print the claim_token.

    With --call-to, also call the person to the given place.
    """
    person = context.person(waitlist, entry, customer)
    claim = person.send(CLAIM_PERSON, **CLAIM_PERSON.to_body(values))
    _print_claims(context, {"claims": [claim], "limit": None})


person_command(CALL, PANEL, "waitlist call bakery --customer ada --token CLAIM_TOKEN --to 'Room 2'")
person_command(COMPLETE, PANEL, "waitlist complete bakery --customer ada --token CLAIM_TOKEN")
person_command(RELEASE, PANEL, "waitlist release bakery --customer ada --token CLAIM_TOKEN --back")
person_command(
    EXTEND, PANEL, "waitlist extend bakery --customer ada --token CLAIM_TOKEN --lease 300"
)
person_command(
    PARK, PANEL, "waitlist park bakery --customer ada --token CLAIM_TOKEN --reason blurred"
)


@command("redrive", PANEL, "waitlist redrive bakery --all --reason 'printer works again'")
@with_fields("values", REDRIVE_ALL.fields)
def redrive(
    context: Context,
    waitlist: WaitlistId,
    entry: EntryId = None,
    customer: Customer = None,
    all_: Annotated[bool, typer.Option("--all", help="Return everyone who is parked.")] = False,
    *,
    values: dict[str, Any],
) -> int:
    """Return a parked person, or all parked people, to the queue.

    A parked person stays out of the queue until an operator returns them.
    """
    names_person = entry is not None or customer is not None
    if all_ == names_person:
        raise WrongUsage("Pass either --all, or one person with ENTRY or --customer.")
    if all_:
        people = (
            (context.name_person(entry), {"entry_id": entry["entry_id"]}, refusal)
            for entry, refusal in redrives(context.api, waitlist, **values)
        )
        return print_each(
            context, "redriven", ("person is waiting again", "people are waiting again"), people
        )
    person = context.person(waitlist, entry, customer)
    parked_at = person.show()["parked_at"]
    send_and_print(context, person, REDRIVE, {"parked_at": parked_at, **values})
    return 0


@command("parked", PANEL, "waitlist parked bakery -n 20")
def parked(context: Context, waitlist: WaitlistId, count: HowMany = 100) -> None:
    """List the parked people, who are set aside until an operator returns them."""
    print_list(context, waitlist, "parked", PARKED, count)


@command("offered", PANEL, "waitlist offered bakery -n 20")
def offered(context: Context, waitlist: WaitlistId, count: HowMany = 100) -> None:
    """List the people who have an offer or are claimed, earliest deadline first."""
    print_list(context, waitlist, "offered", OFFERED, count)


@command("admitted", PANEL, "waitlist admitted bakery --since today")
def admitted(
    context: Context, waitlist: WaitlistId, since: Since = None, count: Most = None
) -> None:
    """List the admitted people in the order in which they were admitted."""
    some = since_of(since, zone=zone_of(context.api, waitlist))
    print_list(context, waitlist, "admitted", ADMITTED, count, **some)


@command("inside", PANEL, "waitlist inside bakery")
def inside(context: Context, waitlist: WaitlistId, since: Since = None, count: Most = None) -> None:
    """List the admitted people who are still inside: their pass is valid and they have not
    exited.
    """
    some = since_of(since, zone=zone_of(context.api, waitlist))
    print_list(context, waitlist, "inside", ADMITTED, count, **some)


@command("work", PANEL, "waitlist work bakery --on-failure park -- ./welcome.sh --loud")
@with_fields("claim", (FILTER, ORDER, LEASE))
def work(
    context: Context,
    waitlist: WaitlistId,
    program: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND",
            help="Program to run, which reads the claim as JSON from standard input. If the "
            "program has options, put -- before it.",
        ),
    ],
    claim: dict[str, Any],
    on_failure: Annotated[
        OnFailure,
        typer.Option("--on-failure", help="What happens to the entry if the program fails."),
    ] = OnFailure.release,
    concurrency: Annotated[
        int,
        typer.Option("--concurrency", min=1, max=64, help="Number of people to process at once."),
    ] = 1,
    poll: Annotated[
        float,
        typer.Option(
            "--poll",
            min=0.1,
            max=MOST_SECONDS,
            help="Number of seconds to wait before the next claim if the queue is empty.",
        ),
    ] = 2.0,
    most: Annotated[
        int | None,
        typer.Option("--max", min=1, help="Stop after serving this many people."),
    ] = None,
    until_empty: Annotated[
        bool, typer.Option("--until-empty", help="Stop when nobody is left to claim.")
    ] = False,
    retry_after: Annotated[
        int,
        typer.Option(
            "--retry-after",
            min=0,
            max=3600,
            help="Number of seconds before a released person can be claimed again. The "
            "time doubles with each failure, up to an hour.",
        ),
    ] = 10,
) -> int:
    """Claim people one by one, and run a program for each.

    The claim is extended while the program runs, and the person is admitted if it exits with code
    0.

    Press Ctrl-C to stop once the running programs have ended. Press it twice to stop the running
    programs as well. People whose program was stopped return to the queue.
    """
    from waitlist_cli.work.worker import Plan, run_workers

    plan = Plan(
        waitlist_id=waitlist,
        program=tuple(program),
        on_failure=on_failure,
        claim=claim,
        concurrency=concurrency,
        poll_seconds=poll,
        most=most,
        until_empty=until_empty,
        retry_seconds=retry_after,
    )
    return run_workers(context, plan)


def _admitted_text(entries: list[dict[str, Any]], count: int, refill: bool) -> str:
    if count == 0:
        return QUOTA_ENDED
    is_admitted = bool(entries) and all(entry["status"] == "admitted" for entry in entries)
    verb = "Admitted" if is_admitted else "Offered a slot to"
    if len(entries) == count:
        return f"{verb} {format_count(count, 'person', 'people')}.{offered_until(entries)}"
    rest = "The remaining slots go to the next people." if refill else NO_MORE
    return f"{verb} {len(entries):,} of {count:,} people.{offered_until(entries)} {rest}"
