"""Defines arguments and options that several commands share, and the functions that parse them."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.output import CONTROLS, escaped_json

# The longest pause between two requests, in seconds.
MOST_SECONDS = 3600.0
ANYONE = "anyone"
# A filter can have several attributes, separated by commas. A comma separates attributes only if a
# name and `=` follow it. Any other comma is part of a value.
NEXT_NAME = re.compile(r",(?=[a-z][a-z0-9_]*=)")
WaitlistId = Annotated[str, typer.Argument(metavar="WAITLIST", help="Id of the waitlist.")]
EntryId = Annotated[
    str | None, typer.Argument(metavar="ENTRY", help="Entry id of the person.", show_default=False)
]
Customer = Annotated[
    str | None,
    typer.Option(
        "--customer",
        help="The person's customer id. Use this option instead of ENTRY.",
        show_default=False,
    ),
]


def check_not_blank(context: typer.Context, option: typer.CallbackParam, value: Any) -> Any:
    """Refuse an option with an empty value.

    A script passes an empty value if one of its variables is empty. If an empty filter were
    ignored, for example, a message for a few people would go to everyone on the waitlist. If an
    empty key were ignored, a repeated command would take effect a second time.
    """
    source = context.get_parameter_source(option.name or "")
    if source is not None and source.name == "COMMANDLINE" and not value.strip():
        raise typer.BadParameter("The value is empty. Give a value, or leave the option out.")
    return value


Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        callback=check_not_blank,
        help="Idempotency key of your choice. If you repeat the command with the same key, it has "
        "no further effect.",
        show_default=False,
    ),
]
Reason = Annotated[str, typer.Option("--reason", help="Reason to store in the person's history.")]
Delimiter = Annotated[
    str,
    typer.Option(
        "--delimiter",
        help="The CSV file's delimiter. Write `tab` for a tab. If the file begins with a line such "
        "as `sep=;`, that line takes precedence.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="Encoding of the file, such as utf-8, cp1252 or utf-16. By default, the encoding is "
        "detected.",
    ),
]
Filter = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="NAME=VALUE",
        help="Select only people with this attribute. Repeat the option to require several "
        "attributes.",
    ),
]
Prefer = Annotated[
    list[str] | None,
    typer.Option(
        "--prefer",
        metavar="NAME=VALUE[,NAME=VALUE]",
        help="Prefer people with these attributes. You can repeat the option to give several "
        "filters, the most preferred first. The filter 'anyone' matches everyone.",
    ),
]
HowMany = Annotated[int, typer.Option("-n", "--count", min=1, help="Maximum number of people.")]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="TIME",
        help="Include only what happened since this time: today, 30min, 1h, 2d, or "
        "2026-03-01T09:30. A time without a UTC offset is in the waitlist's time zone.",
    ),
]
Unverified = Annotated[
    bool,
    typer.Option("--unverified", help="Include only waiting people whose address is not verified."),
]
Asked = Annotated[
    bool,
    typer.Option(
        "--asked", help="Include only people who have been asked whether they are still waiting."
    ),
]
ProfileJson = Annotated[
    str | None,
    typer.Option("--profile-json", metavar="JSON", help="The whole profile as a JSON object."),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Profile field to set, as NAME=text or NAME:=JSON. To remove a field, give NAME= and "
        "no text.",
    ),
]
Attribute = Annotated[
    list[str] | None,
    typer.Option(
        "--attribute",
        metavar="NAME=VALUE",
        help="Attribute. Repeat the option to set several values. NAME= removes the attribute.",
    ),
]


def pair(text: str, option: str) -> tuple[str, str]:
    """Split a text of the form NAME=VALUE into the name and the value."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise WrongUsage(f"{option} {text}: give NAME=VALUE.")
    return name, value


def typed_filters(filters: Sequence[str] | None, prefer: Sequence[str] | None) -> dict[str, Any]:
    """Convert the --filter and --prefer options to fields of the request body.

    Raise WrongUsage if both options are given.
    """
    if filters and prefer:
        raise WrongUsage("Give either --filter or --prefer.")
    if prefer:
        return {"filters": [_preference(text) for text in prefer]}
    return {"filter": dict(pair(text, "--filter") for text in filters)} if filters else {}


def _preference(text: str) -> dict[str, str]:
    if text == ANYONE:
        return {}
    return dict(pair(part, "--prefer") for part in NEXT_NAME.split(text))


def filters_of(text: str, label: str) -> dict[str, Any]:
    """Convert the filters in a form's text field to the `filter` or `filters` field of a request.

    Each line contains one NAME=VALUE pair. A blank line separates two filters.
    """
    blocks: list[list[str]] = [[]]
    for line in map(str.strip, text.splitlines()):
        if line:
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    found = [
        {} if block == [ANYONE] else dict(pair(line, label) for line in block)
        for block in blocks
        if block
    ]
    if len(found) > 1:
        return {"filters": found}
    return {"filter": found[0]} if any(found) else {}


def profile_of(
    before: dict[str, Any], whole: str | None, texts: Sequence[str] | None
) -> dict[str, Any]:
    """Return a copy of the profile with the --profile-json and --set options applied."""
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
    """Return a copy of the attributes with the `--attribute` options applied.

    `label` is the name of the option in error messages.
    """
    typed: dict[str, list[str]] = {}
    for text in texts or ():
        name, value = pair(text, label)
        typed.setdefault(name, []).extend([value] if value else [])
    named = {name: values[0] if len(values) == 1 else values for name, values in typed.items()}
    return {name: value for name, value in {**before, **named}.items() if value != []}


def lines_of(text: str) -> list[str]:
    """Split the text in a form field into lines. Leave out empty lines."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def quote_value(value: str) -> str:
    """Format an attribute value for a line of a form.

    If the value contains invisible characters, format it as a JSON string, which makes them visible
    to the operator.
    """
    return escaped_json(value) if value.startswith('"') or CONTROLS.search(value) else value


def unquote_line(line: str) -> str:
    """Decode the value in a NAME=VALUE line if `quote_value` has encoded it as JSON.

    Raise WrongUsage if the JSON is not valid.
    """
    name, equals, value = line.partition("=")
    if not value.startswith('"'):
        return line
    text = _json(value, f"Attributes: {name}")
    if not isinstance(text, str):
        raise WrongUsage(f'Attributes: {name}: give a single text in quotes, such as "Ada".')
    return f"{name}{equals}{text}"


def json_object(text: str, option: str) -> dict[str, Any]:
    """Parse a JSON object from an option. Raise WrongUsage if the text is not a JSON object."""
    found = _json(text, option)
    if not isinstance(found, dict):
        raise WrongUsage(f'{option}: give a JSON object, such as {{"name": "Ada"}}.')
    return found


def _json(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise WrongUsage(f"{option} is not valid JSON: {error}") from error


def only_of(unverified: bool, asked: bool) -> dict[str, str]:
    """Convert the --unverified and --asked options to the `only` query parameter.

    Raise WrongUsage if both options are given.
    """
    if unverified and asked:
        raise WrongUsage("Give either --unverified or --asked, but not both.")
    if unverified:
        return {"only": "unverified"}
    return {"only": "asked"} if asked else {}


def read_json(path: str) -> Any:
    """Read and parse a JSON file. If `path` is "-", read standard input.

    Raise WrongUsage if the file cannot be read or is not valid JSON.
    """
    try:
        given = sys.stdin.read() if path == "-" else Path(path).read_text("utf-8")
        # Some Windows editors begin a UTF-8 file with a byte order mark. Remove the mark.
        return json.loads(given.removeprefix("\ufeff"))
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise WrongUsage(f"{path} is not JSON in UTF-8: {error}") from error
