"""Draws a poster with a QR code that opens a waitlist's customer page."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlsplit

from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.settings import NO_PAGE
from waitlist_cli.terminal.output import format_value

JOIN_HERE = {
    "en": "Join the line here",
    "de": "Hier anstellen",
    "fr": "Rejoignez la file ici",
    "es": "Únase a la fila aquí",
    "ar": "انضم إلى الطابور هنا",
}
NO_ADDRESS = (
    "The poster has no address, because customers of this stack have accounts and cannot join on "
    "its customer page. Give the address of your own page: waitlist poster {waitlist_id} "
    "--address https://…"
)
# A4 in millimetres.
WIDTH, HEIGHT, MARGIN = 210, 297, 16
BAND = 12
INNER = WIDTH - 2 * MARGIN
COLOUR = "#1d5fd1"
FAMILIES = {
    "sans": "system-ui, Helvetica, Arial, sans-serif",
    "serif": "ui-serif, Charter, Georgia, serif",
    "rounded": "ui-rounded, Quicksand, Nunito, sans-serif",
    "mono": "ui-monospace, Menlo, Consolas, monospace",
}
# The width of the white margin around a QR code, in modules (ISO/IEC 18004).
QUIET_ZONE = 4
LOGO_HEIGHT = 24
LARGEST_CODE = 120
# The width of an average character, as a fraction of the font size. Wide characters count as two.
CHARACTER = 0.62
# The maximum length of the address, which the poster also shows as text.
MAX_ADDRESS = 250
ELLIPSIS = "…"


def draw_poster(
    waitlist: Mapping[str, Any], languages: Sequence[str] = (), address: str | None = None
) -> str:
    """Return the A4 poster as an SVG document.

    By default, the poster asks people to join in every language. If a single language is given, the
    waitlist's name and text are also in that language, if the page has them.
    """
    url = _checked(address) if address else address_of(waitlist)
    page = waitlist["page"] or NO_PAGE
    if unknown := [language for language in languages if language not in JOIN_HERE]:
        raise WrongUsage(
            f"The poster has no language {unknown[0]!r}. Choose among {', '.join(JOIN_HERE)}."
        )
    shown = list(dict.fromkeys(languages or JOIN_HERE))
    own = page["texts"].get(shown[0], {}) if len(shown) == 1 else {}
    name = _clean(own.get("name", waitlist["name"]))
    about = _clean(own.get("text", page["text"]))
    colour = escape(page["colour"] or COLOUR)
    joins = [(language, JOIN_HERE[language]) for language in shown]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}mm" height="{HEIGHT}mm" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" text-anchor="middle" '
            f'font-family="{FAMILIES[page["font"]]}" fill="#111">',
            f"<title>{escape(name)}: {escape(url)}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
            f'<rect width="{WIDTH}" height="{BAND}" fill="{colour}"/>',
            *_content(name, about, colour, joins, url, page["logo_url"]),
            "</svg>\n",
        )
    )


def address_of(waitlist: Mapping[str, Any]) -> str:
    """Return the customer page's address. If people cannot join on the page, raise WrongUsage."""
    if not waitlist["page_url"]:
        raise WrongUsage(NO_ADDRESS.format(waitlist_id=waitlist["waitlist_id"]))
    return str(waitlist["page_url"])


def _content(
    name: str,
    about: str,
    colour: str,
    joins: Sequence[tuple[str, str]],
    url: str,
    logo: str | None,
) -> Iterator[str]:
    """Yield the SVG elements of the poster's texts, logo and QR code, from top to bottom."""
    # If there is a logo, give the name fewer lines, so that the QR code stays large enough for
    # phones to scan.
    size, lines = _fitted(name, (19, 15, 12, 9), 2 if logo else 3)
    bottom = BAND + 6.0
    if logo:
        # The poster contains only the logo's URL. The browser that prints the poster loads the
        # logo.
        yield (
            f'<image href="{escape(logo)}" x="{MARGIN}" y="{bottom:g}" width="{INNER}" '
            f'height="{LOGO_HEIGHT}"/>'
        )
        bottom += LOGO_HEIGHT
    for line in lines:
        bottom += size * 1.2
        yield _text(line, bottom, size, weight="bold")
    if about:
        size, lines = _fitted(about, (8, 6.5), 3)
        bottom += 4
        for line in lines:
            bottom += size * 1.35
            yield _text(line, bottom, size)
    url_size, url_lines = _fitted(url, (8, 6.5, 5, 4), 4)
    join_size = 14.0 if len(joins) == 1 else 9.0
    top_of_url = HEIGHT - MARGIN - url_size * 1.3 * len(url_lines)
    top_of_joins = top_of_url - 3 - join_size * 1.45 * len(joins)
    room = top_of_joins - bottom - 18
    side = min(LARGEST_CODE, INNER, room)
    top = bottom + 11 + (room - side) / 2
    yield from _code(url, (WIDTH - side) / 2, top, side, colour)
    for number, (language, line) in enumerate(joins, 1):
        yield _text(
            line, top_of_joins + number * join_size * 1.45, join_size, language, weight="bold"
        )
    for number, line in enumerate(url_lines, 1):
        yield _text(line, top_of_url + number * url_size * 1.3, url_size)


def draw_code(url: str) -> tuple[int, str]:
    """Return the QR code of a URL: the number of modules on each side, and the dark modules as an
    SVG path. The code includes the white margin that scanners need.
    """
    # Import segno here, because only a few commands draw QR codes.
    import segno

    modules = segno.make_qr(url, error="m").matrix
    dots = "".join(
        f"M{x + QUIET_ZONE} {y + QUIET_ZONE}h1v1h-1z"
        for y, row in enumerate(modules)
        for x, is_dark in enumerate(row)
        if is_dark
    )
    return len(modules) + 2 * QUIET_ZONE, dots


def _code(url: str, left: float, top: float, side: float, colour: str) -> Iterator[str]:
    """Yield the QR code with a coloured frame. The code is black on white, so that it can be
    scanned in any light.
    """
    count, dots = draw_code(url)
    yield (
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{side:.2f}" height="{side:.2f}" rx="4" '
        f'fill="#fff" stroke="{colour}" stroke-width="3"/>'
    )
    yield (
        f'<path transform="translate({left:.2f} {top:.2f}) scale({side / count:.5f})" d="{dots}" '
        'fill="#000" shape-rendering="crispEdges"/>'
    )


def _text(line: str, bottom: float, size: float, language: str = "", weight: str = "normal") -> str:
    own = f' xml:lang="{language}"' if language else ""
    return (
        f'<text x="{WIDTH / 2:g}" y="{bottom:.2f}" font-size="{size:.2f}" font-weight="{weight}" '
        f'unicode-bidi="plaintext"{own}>{escape(line)}</text>'
    )


def _checked(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    is_whole = parts.scheme in ("http", "https") and bool(parts.hostname)
    if not is_whole or not address.isprintable() or " " in address or len(address) > MAX_ADDRESS:
        raise WrongUsage(
            f"{address[:MAX_ADDRESS]!r} is not the address of a web page. Give an address of at "
            f"most {MAX_ADDRESS} characters that begins with https://."
        )
    return address


def _clean(text: str) -> str:
    """Replace control characters, some of which are not allowed in SVG documents."""
    return format_value(" ".join(text.split()))


def _fitted(text: str, sizes: Sequence[float], most: int) -> tuple[float, list[str]]:
    """Return the largest font size at which the text fits on `most` lines, and the lines.

    If the text does not fit even at the smallest size, shorten it.
    """
    for size in sizes:
        lines = _wrapped(text, INNER / (size * CHARACTER))
        if len(lines) <= most:
            return size, lines
    *whole, last = lines[:most]
    return size, [*whole, f"{last[:-1].rstrip()}{ELLIPSIS}"]


def _wrapped(text: str, width: float) -> list[str]:
    """Split a text into lines of at most this width. Split words that are longer than a line."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        while _length(word) > width:
            if line:
                lines.append(line)
                line = ""
            at = next(at for at in range(1, len(word) + 1) if _length(word[: at + 1]) > width)
            # Split an address after the last slash or hyphen that fits on the line.
            at = max(word.rfind(sign, 0, at) for sign in "/-") + 1 or at
            lines.append(word[:at])
            word = word[at:]
        wider = f"{line} {word}".strip()
        if _length(wider) > width:
            lines.append(line)
            wider = word
        line = wider
    return [*lines, line] if line else lines


def _length(text: str) -> float:
    """Return the width of a text, as a multiple of an average character's width."""
    return sum(
        2 if unicodedata.east_asian_width(sign) in "WF" else 1.35 if sign.isupper() else 1
        for sign in text
    )
