"""Shows a waitlist's message counts, a preview of each message, and the message settings."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, save_settings, seen, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.picked_times import zones
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.operations.action import Field
from waitlist_cli.operations.declared import defaults, settings
from waitlist_cli.operations.messages import (
    KINDS,
    LANGUAGES,
    pieces,
    previews,
    send_test,
    split_preview,
)
from waitlist_cli.operations.zone_countries import language_of, zone_countries

PATH = "/lists/{waitlist}/messages"
ABOUT = settings()["messages.kinds"].choices
SPOKEN = settings()["messages.language"].choices
USUAL = "offered"
# The message form's initial values if the waitlist sends no messages yet.
NO_RULES = {**defaults("messages"), "kinds": []}
SMS_COUNTRIES = Field("sms_countries", "SMS to these countries")
# The types of phone numbers that a waitlist can send SMS messages to.
NUMBER_TYPES = settings()["messages.sms_number_types"].choices


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist_id, query = waitlist_of(request), request.query_params
        waitlist = console.get(f"/{waitlist_id}")
        rules = waitlist["messages"]
        kind = _checked(KINDS, query.get("kind"), USUAL)
        language = _checked(LANGUAGES, query.get("language"), rules["language"] if rules else "en")
        (preview,) = previews(console.api, waitlist_id, kind, language)
        words, url = split_preview(preview)
        counts = console.get(f"/{waitlist_id}/stats")["messages"] if rules else None
        return console.page(
            request,
            "messages.html",
            waitlist=waitlist,
            about=ABOUT,
            spoken=SPOKEN,
            kind=kind,
            language=language,
            subject=pieces(preview["subject"]),
            lines=[*map(pieces, words)],
            url=url,
            counts={count["kind"]: count for count in counts or ()},
            rules=rules or NO_RULES,
            own_words=_format_texts((rules or NO_RULES)["texts"]),
            number_types=NUMBER_TYPES,
            sms_parts=preview["sms_parts"],
            zones=zones(),
            proposed=language_of(zone_countries().get(waitlist["timezone"], "")),
            seen=seen(waitlist, ["messages"]),
        )

    def send(request: Request, form: Form) -> Response:
        """Send a test message to the operator."""
        to = form.text("to")
        kind = _checked(KINDS, form.text("kind"), USUAL)
        language = _checked(LANGUAGES, form.text("language"), LANGUAGES[0])
        address = {"email" if "@" in to else "phone": to}
        send_test(console.api, waitlist_of(request), kind, language, address)
        to_page = f"/lists/{waitlist_of(request)}/messages?kind={kind}&language={language}"
        return console.done("The message has been sent to you.", to=to_page)

    def save(request: Request, form: Form) -> Response:
        waitlist_id = waitlist_of(request)
        try:
            given, notice = {"messages": _typed(form)}, "The message settings were saved."
            return save_settings(console, PATH, waitlist_id, form, given, notice)
        except Refused as error:
            # The service's errors name these settings with the prefix `messages.`. Remove the
            # prefix, because the names of the form's fields do not have it.
            fields = [
                replace(found, field=found.field.replace("body.messages.", "body."))
                for found in error.fields
            ]
            raise Refused(error.message, error.code, error.status, fields) from error

    return [
        Route(PATH, show),
        Route(PATH, with_form(save), methods=["POST"]),
        Route(f"{PATH}/test", with_form(send), methods=["POST"]),
    ]


def _typed(form: Form) -> dict[str, Any] | None:
    """Return the `messages` setting that the form describes, or None if no message is chosen."""
    if not (kinds := form.getlist("kind")):
        return None
    near = form.number("near", "How many people are near")
    return {
        "kinds": kinds,
        "near": NO_RULES["near"] if near is None else near,
        "language": form.text("language") or NO_RULES["language"],
        "timezone": form.text("timezone") or NO_RULES["timezone"],
        "texts": _read_texts(form.lines("texts")),
        "sms_countries": country_codes(SMS_COUNTRIES, form.text("sms_countries")),
        "sms_number_types": form.getlist("number_type") or NO_RULES["sms_number_types"],
        "sms_parts_per_day": form.number("sms_parts_per_day", "SMS parts a day"),
        "mails_per_day": form.number("mails_per_day", "Emails a day"),
    }


def country_codes(field: Field, typed: str) -> list[str]:
    """Return the country codes in a form field's text."""
    countries = typed.upper().replace(",", " ").split()
    for country in countries:
        if not re.fullmatch("[A-Z]{2}", country):
            raise field.wrong(
                f"{country} is not a country code. Write two letters for each country, such as DE."
            )
    return countries


def _read_texts(lines: list[str]) -> dict[str, Any]:
    """Parse the operator's own texts for messages.

    A line such as `de.offered.subject: Torte` replaces one standard text in one language.
    """
    texts: dict[str, Any] = {}
    for line in lines:
        place, _, words = line.partition(":")
        names = place.strip().split(".")
        if len(names) != len(("language", "kind", "part")):
            raise WrongUsage(
                f"Own words: {line!r} must begin with a language, a message and a part, such as "
                "en.offered.subject:."
            )
        language, kind, part = names
        own = texts.setdefault(language, {}).setdefault(kind, {})
        own[part] = words.strip().replace("\\n", "\n")
    return texts


def _format_texts(texts: Mapping[str, Mapping[str, Mapping[str, str | None]]]) -> str:
    """Format the operator's own message texts for the form field."""
    return "\n".join(
        f"{language}.{kind}.{part}: {words}".replace("\n", "\\n")
        for language, kinds in texts.items()
        for kind, parts in kinds.items()
        for part, words in parts.items()
        if words
    )


def _checked(names: tuple[str, ...], chosen: str | None, usual: str) -> str:
    if chosen is not None and chosen not in names:
        raise WrongUsage(f"{chosen!r} is not valid. Choose one of {', '.join(names)}.")
    return chosen or usual
