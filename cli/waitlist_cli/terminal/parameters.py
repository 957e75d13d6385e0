"""Arguments and options that several commands share, and their conversion."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.output import CONTROLS, escaped_json

# Longest pause between two requests.
MOST_SECONDS = 3600.0
MOST_DELAY_SECONDS = 12 * 3600
ANYONE = "anyone"
# A comma in a value is not followed by a name.
NEXT_NAME = re.compile(r",(?=[a-z][a-z0-9_]*=)")
WaitlistId = Annotated[str, typer.Argument(metavar="WAITLIST", help="The waitlist's id.")]
EntryId = Annotated[
    str | None, typer.Argument(metavar="ENTRY", help="The person's entry id.", show_default=False)
]
Customer = Annotated[
    str | None,
    typer.Option("--customer", help="The customer's id, instead of ENTRY.", show_default=False),
]
Reason = Annotated[str, typer.Option("--reason", help="Stored in the person's history.")]
ClaimToken = Annotated[str, typer.Option("--token", help="The claim_token of the claim.")]
Lease = Annotated[
    int | None,
    typer.Option("--lease", min=1, help="Seconds. Default: the waitlist's lease."),
]
Back = Annotated[
    bool, typer.Option("--back", help="To the end of the queue, instead of the old place.")
]
Delay = Annotated[
    int,
    typer.Option(
        "--delay",
        min=0,
        max=MOST_DELAY_SECONDS,
        help="Seconds for which the person is passed over.",
    ),
]
Delimiter = Annotated[
    str, typer.Option("--delimiter", help="Of a CSV; tab for a tab. A line sep=; says it too.")
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", help="Such as utf-8, cp1252 or utf-16. Default: found in the file."),
]
Filter = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="NAME=VALUE",
        help="Only people with this attribute. Several filters name one segment.",
    ),
]
Prefer = Annotated[
    list[str] | None,
    typer.Option(
        "--prefer",
        metavar="NAME=VALUE[,NAME=VALUE]",
        help="Repeat it in order of preference: each person is of the first that has one. "
        "'anyone' is everyone.",
    ),
]
Newest = Annotated[
    bool, typer.Option("--newest", help="From the tail of the queue, not from the head.")
]
HowMany = Annotated[int, typer.Option("-n", "--count", min=1, help="How many.")]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="TIME",
        help="From that time on: today (UTC), 30min, 1h, 2d, or 2026-03-01T09:30:00+01:00.",
    ),
]
Unverified = Annotated[
    bool,
    typer.Option("--unverified", help="Of those who wait, only who has not proved the address."),
]
Asked = Annotated[
    bool,
    typer.Option("--asked", help="Of those who wait, only who is asked if they still do."),
]
ProfileJson = Annotated[
    str | None, typer.Option("--profile-json", metavar="JSON", help="The whole profile.")
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A field of the profile: NAME=text or NAME:=JSON. NAME= removes it.",
    ),
]
Attribute = Annotated[
    list[str] | None,
    typer.Option(
        "--attribute",
        metavar="NAME=VALUE",
        help="An attribute; repeat it for several values. NAME= removes it.",
    ),
]


def pair(text: str, option: str) -> tuple[str, str]:
    """Return the name and the value of NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise WrongUsage(f"{option} {text}: give NAME=VALUE.")
    return name, value


def filter_of(texts: Sequence[str] | None) -> dict[str, str] | None:
    """Return the filter of a claim."""
    return dict(pair(text, "--filter") for text in texts or ()) or None


def preferences_of(
    texts: Sequence[str] | None, filters: Sequence[str] | None
) -> list[dict[str, str]] | None:
    """Return the filters of a claim in order of preference; raises WrongUsage beside `filters`."""
    if texts and filters:
        raise WrongUsage("Give either --filter or --prefer.")
    return [_preference(text) for text in texts or ()] or None


def _preference(text: str) -> dict[str, str]:
    if text == ANYONE:
        return {}
    return dict(pair(part, "--prefer") for part in NEXT_NAME.split(text))


def filters_of(text: str, label: str) -> list[dict[str, str]]:
    """Return the filters of a field: NAME=VALUE a line, a blank line between two filters."""
    blocks: list[list[str]] = [[]]
    for line in map(str.strip, text.splitlines()):
        if line:
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [
        {} if block == [ANYONE] else dict(pair(line, label) for line in block)
        for block in blocks
        if block
    ]


def profile_of(
    before: dict[str, Any], whole: str | None, texts: Sequence[str] | None
) -> dict[str, Any]:
    """Return a profile with the typed changes."""
    profile = dict(before) if whole is None else json_object(whole, "--profile-json")
    for text in texts or ():
        name, value = pair(text, "--set")
        if name.endswith(":"):
            profile[name[:-1]] = _json(value, f"--set {text}")
        elif value:
            profile[name] = value
        else:
            profile.pop(name, None)
    return profile


def attributes_of(
    before: dict[str, Any], texts: Sequence[str] | None, label: str = "--attribute"
) -> dict[str, Any]:
    """Return attributes with the typed ones replaced; `label` names them in errors."""
    typed: dict[str, list[str]] = {}
    for text in texts or ():
        name, value = pair(text, label)
        typed.setdefault(name, []).extend([value] if value else [])
    named = {name: values[0] if len(values) == 1 else values for name, values in typed.items()}
    return {name: value for name, value in {**before, **named}.items() if value != []}


def quoted(value: str) -> str:
    """Return a value for a line of a form: as JSON if it has letters that are not shown.

    An operator who cannot see a direction control would save it again without knowing it.
    """
    return escaped_json(value) if value.startswith('"') or CONTROLS.search(value) else value


def unquoted(line: str) -> str:
    """Undo `quoted` in a line NAME=VALUE; raises WrongUsage."""
    name, equals, value = line.partition("=")
    if not value.startswith('"'):
        return line
    text = _json(value, f"Attributes: {name}")
    if not isinstance(text, str):
        raise WrongUsage(f'Attributes: {name}: give one text in quotes, such as "Ada".')
    return f"{name}{equals}{text}"


def json_object(text: str, option: str) -> dict[str, Any]:
    """Return a typed JSON object."""
    found = _json(text, option)
    if not isinstance(found, dict):
        raise WrongUsage(f'{option}: give a JSON object, such as {{"name": "Ada"}}.')
    return found


def _json(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise WrongUsage(f"{option}: invalid JSON: {error}") from error


def only_of(unverified: bool, asked: bool) -> dict[str, str]:
    """Return the query parameter `only`; none without an option. Raises WrongUsage."""
    if unverified and asked:
        raise WrongUsage("Give one of --unverified and --asked: no one is both.")
    if unverified:
        return {"only": "unverified"}
    return {"only": "asked"} if asked else {}


def read_json(path: str) -> Any:
    """Return what a JSON file has, or the standard input; raises WrongUsage."""
    try:
        given = sys.stdin.read() if path == "-" else Path(path).read_text("utf-8")
        # Editors of Windows begin UTF-8 with a byte order mark.
        return json.loads(given.removeprefix("\ufeff"))
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise WrongUsage(f"{path} is not JSON in UTF-8: {error}") from error
