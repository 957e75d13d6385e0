"""Composes a message to a customer: its subject, text, HTML, link and headers."""

from collections.abc import Mapping
from datetime import UTC, datetime
from html import escape
from types import MappingProxyType
from zoneinfo import ZoneInfo

from msgspec import Struct, field

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.entries.issue_token import move_link, place_link, verify_link
from waitlist_api.entries.unsubscribe import ONE_CLICK, unsubscribe_path
from waitlist_api.messages.kinds import Kind
from waitlist_api.messages.words import choose_words, fill_placeholders, load_texts
from waitlist_api.records.entry import EntryRecord
from waitlist_api.settings.messages import LANGUAGES, Channel, MessageRules, OwnText
from waitlist_api.settings.texts import Language
from waitlist_api.settings.waitlist import WaitlistSettings

BLUE = "#1f5fbf"
# Two Unicode characters that enclose text in a different writing direction, such as a Latin name in
# an Arabic sentence. FSI comes before the text, and PDI after it.
FSI, PDI = "\u2068", "\u2069"
# The HTML uses tables and inline styles, because all email programs support them.
HTML = """<!doctype html>
<html lang="{language}" dir="{direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{subject}</title></head>
<body style="margin:0;padding:24px;background:#f4f4f4;color:#222;font:16px/1.5 sans-serif">
<table role="presentation" align="center" cellpadding="0" cellspacing="0" \
style="max-width:560px;width:100%;background:#fff;border-radius:8px">
<tr><td style="padding:32px;text-align:start">
{logo}<h1 style="margin:0 0 16px;font-size:20px"><bdi>{name}</bdi></h1>
<p style="margin:0 0 24px">{text}</p>
<p style="margin:0"><a href="{url}" style="display:inline-block;padding:12px 20px;\
border-radius:6px;background:{colour};color:{ink};text-decoration:none">{button}</a></p>
</td></tr>
</table>
</body>
</html>
"""


class Message(Struct, frozen=True, kw_only=True):
    """A message to one address. `sender` is the display name in an email's From header."""

    channel: Channel
    kind: str
    to: str
    sender: str
    subject: str
    text: str
    html: str
    headers: dict[str, str] = field(default_factory=dict)


class Letterhead(Struct, frozen=True):
    """The base URL of the links in messages, and the keys that sign the links.

    Without keys, all links lead to the waitlist's page.
    """

    base_url: str
    tokens: EntryTokens | None
    is_for_guests: bool = True

    def link(self, kind: Kind, record: EntryRecord, at_millis: int) -> str:
        """Return the link in a message.

        If the link contains a code, `at_millis` is when the code is issued.
        """
        if self.tokens is None or not self.is_for_guests or kind.link == "list":
            return f"{self.base_url}/w/{record.waitlist_id}"
        if kind.link == "verify":
            return verify_link(self.tokens, record, at_millis, self.base_url)
        if kind.link == "move":
            return move_link(self.tokens, record, at_millis, self.base_url)
        return place_link(self.tokens, record, self.base_url)

    def unsubscribe_headers(self, record: EntryRecord) -> dict[str, str]:
        """Return the email headers that let the customer unsubscribe from their email program."""
        if self.tokens is None:
            return {}
        code = self.tokens.unsubscribe_code(*record.key, record.ticket or 0)
        url = f"{self.base_url}{unsubscribe_path(record.waitlist_id, code)}"
        return {"List-Unsubscribe": f"<{url}>", "List-Unsubscribe-Post": ONE_CLICK}


def compose(
    kind: Kind,
    record: EntryRecord,
    settings: WaitlistSettings,
    rules: MessageRules,
    to: tuple[Channel, str],
    head: Letterhead,
    at_millis: int,
    own_texts: Mapping[Language, OwnText] = MappingProxyType({}),
) -> Message:
    """Compose a message of this kind about an entry.

    `own_texts` contains the texts, by language, that an operator has written for an invitation or a
    broadcast.
    """
    chosen = record.contact.language
    language = next((code for code in LANGUAGES if code == chosen), rules.language)
    if kind.is_written and own_texts and language not in own_texts:
        # An operator has written the texts of this message, and there is no default text. If there
        # is no text in the customer's language, use one in a different language.
        language = rules.language if rules.language in own_texts else next(iter(own_texts))
    number = record.joined.call_number
    own = own_texts.get(language)
    words = choose_words(kind.name, language, rules, own, has_number=number != "")
    until = _time(kind.until_millis(record), rules.timezone or settings.timezone, language)
    direction = load_texts(language)["direction"]
    values = {"name": settings.name, "until": until, "to": record.call.to, "number": number}
    if direction == "rtl":
        # Put FSI and PDI around each value, so that a Latin name keeps its writing direction in an
        # Arabic text and does not change the order of the words around it.
        values = {name: f"{FSI}{value}{PDI}" for name, value in values.items()}
    subject, text = (
        fill_placeholders(words["subject"], values),
        fill_placeholders(words["text"], values),
    )
    url = head.link(kind, record, at_millis)
    channel, address = to
    page = settings.page
    colour = (page.colour if page else None) or BLUE
    logo = page.logo_url if page else None
    html = HTML.format(
        language=language,
        direction=direction,
        subject=escape(subject),
        name=escape(settings.name),
        logo=f'<p style="margin:0 0 16px"><img src="{escape(logo)}" alt="" height="48"></p>\n'
        if logo
        else "",
        text=escape(text).replace("\n", "<br>\n"),
        url=escape(url),
        colour=colour,
        ink=_ink(colour),
        button=escape(fill_placeholders(words["button"], values)),
    )
    return Message(
        channel=channel,
        kind=kind.name,
        to=address,
        sender=settings.name,
        subject=" ".join(subject.split()),
        text=f"{text}\n\n{url}\n",
        html=html if channel == "mail" else "",
        headers={} if channel == "sms" or kind.is_requested else head.unsubscribe_headers(record),
    )


def _time(millis: int, zone: str, language: Language) -> str:
    """Format a time with its time zone, such as `14:03 on 29 November 2026 (CET)`."""
    if not millis:
        return ""
    moment, texts = datetime.fromtimestamp(millis / 1000, UTC), load_texts(language)
    local = moment.astimezone(ZoneInfo(zone))
    parts = {
        "clock": f"{local:%H:%M}",
        "day": str(local.day),
        "month": texts["months"].split()[local.month - 1],
        "year": str(local.year),
        "zone": f"{local:%Z}",
    }
    return fill_placeholders(texts["time"], parts)


def _ink(colour: str) -> str:
    """Return black or white, depending on which has more contrast with the background colour."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))

    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    light = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    # `light` is the relative luminance of the background. Its contrast ratio is (light + 0.05) /
    # 0.05 with black, and 1.05 / (light + 0.05) with white.
    return "#000000" if (light + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"
