"""The messages of a list: how each kind reads in each language, and counts."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.messages import (
    KINDS,
    LANGUAGES,
    pieces,
    previews,
    send_test,
    words_of,
)

PATH = "/lists/{waitlist}/messages"
ABOUT = {
    "joined": "The person has a place",
    "verify": "To verify the address",
    "link": "The link, asked for once more",
    "address": "To verify a new address",
    "near": "The turn is near",
    "offered": "It is the person's turn",
    "ending": "The offer ends soon",
    "confirm": "Still there?",
    "admitted": "The person was let in",
    "left": "The stay has ended",
}
SPOKEN = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "ar": "العربية"}
USUAL = "offered"


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist_id, query = waitlist_of(request), request.query_params
        waitlist = console.get(f"/{waitlist_id}")
        rules = waitlist["messages"]
        kind = _one_of(KINDS, query.get("kind"), USUAL)
        language = _one_of(LANGUAGES, query.get("language"), rules["language"] if rules else "en")
        (preview,) = previews(console.api, waitlist_id, kind, language)
        words, url = words_of(preview)
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
            counts={one["kind"]: one for one in counts or ()},
        )

    def send(request: Request, form: Form) -> Response:
        """Send one to the operator."""
        to = form.text("to")
        kind = _one_of(KINDS, form.text("kind"), USUAL)
        language = _one_of(LANGUAGES, form.text("language"), LANGUAGES[0])
        address = {"email" if "@" in to else "phone": to}
        send_test(console.api, waitlist_of(request), kind, language, address)
        to_page = f"/lists/{waitlist_of(request)}/messages?kind={kind}&language={language}"
        return console.done("The message is sent to you.", to=to_page)

    return [Route(PATH, show), Route(f"{PATH}/test", with_form(send), methods=["POST"])]


def _one_of(names: tuple[str, ...], chosen: str | None, usual: str) -> str:
    if chosen is not None and chosen not in names:
        raise WrongUsage(f"{chosen!r} is none of {', '.join(names)}.")
    return chosen or usual
