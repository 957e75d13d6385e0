"""Shows a waitlist's poster, to print or download."""

from urllib.parse import urlencode

from jinja2.filters import do_mark_safe
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.content_policy import HEADER, content_policy
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.operations.poster import JOIN_HERE, address_of, draw_poster
from waitlist_cli.operations.settings import NO_PAGE

PATH = "/lists/{waitlist}/poster"
LANGUAGES = (
    ("en", "English"),
    ("de", "German"),
    ("fr", "French"),
    ("es", "Spanish"),
    ("ar", "Arabic"),
)


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist = console.get(f"/{waitlist_of(request)}")
        chosen = _languages(request)
        query = urlencode([("language", language) for language in chosen])
        response = console.page(
            request,
            "poster.html",
            waitlist=waitlist,
            address=address_of(waitlist),
            languages=LANGUAGES,
            chosen=chosen,
            # The SVG is inlined in the page, because browsers load no logo for an SVG in <img>.
            # `draw_poster` escapes all the waitlist's settings.
            poster=do_mark_safe(draw_poster(waitlist, chosen)),
            file=f"{request.url.path}.svg?{query}",
        )
        logo = (waitlist["page"] or NO_PAGE)["logo_url"]
        response.headers[HEADER] = content_policy(pictures=[logo])
        return response

    def download(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        svg = draw_poster(console.get(f"/{waitlist_id}"), _languages(request))
        name = f'attachment; filename="{waitlist_id}-poster.svg"'
        headers = {"Content-Disposition": name}
        return Response(svg, media_type="image/svg+xml", headers=headers)

    return [Route(PATH, show), Route(f"{PATH}.svg", download)]


def _languages(request: Request) -> list[str]:
    """Return the chosen languages, or all of them if none is chosen."""
    chosen = request.query_params.getlist("language")
    return [language for language in JOIN_HERE if language in chosen] or list(JOIN_HERE)
