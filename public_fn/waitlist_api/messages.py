"""Messages to the people of a list. A sender sends what is true of an event at that moment."""

from html import escape
from typing import Literal

from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.entries.issue_token import place_link, verify_link
from waitlist_api.records.asks import LINK_ASKED
from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.intents import VERIFICATION_ASKED
from waitlist_api.records.waitlists import WaitlistSettings
from waitlist_shared.ranks import millis_of

EVENTS = (VERIFICATION_ASKED, LINK_ASKED)
# Kind, subject and text.
VERIFY = (
    "verify",
    "{name}: confirm your place",
    "Open this link and press the button to keep your place in the line for {name}. Without that "
    "you lose it. If you have not joined, do nothing.",
)
LINK = (
    "link",
    "{name}: your place",
    "This link opens your place in the line for {name}. Keep it to yourself.",
)


class Message(Struct, frozen=True):
    """A message to one address."""

    channel: Literal["mail", "sms"]
    kind: str
    to: str
    subject: str
    text: str
    html: str


def message_of(
    event: HistoryEvent,
    record: EntryRecord,
    settings: WaitlistSettings,
    tokens: EntryTokens,
    base_url: str,
) -> Message | None:
    """Return the message that an event asks for; None if its stay has ended.

    The link's code is of the time of the event, so a message that is sent twice is the same.
    """
    rules = settings.identity
    to = None if rules is None else record.profile.get(rules.field)
    is_of_this_stay = record.status in PRESENT and event.stamp > (record.ticket or 0)
    if rules is None or not isinstance(to, str) or not is_of_this_stay:
        return None
    if event.event == VERIFICATION_ASKED:
        kind, subject, said = VERIFY
        url = verify_link(tokens, record, millis_of(event.stamp), base_url)
    else:
        kind, subject, said = LINK
        url = place_link(tokens, record, base_url)
    text = said.format(name=settings.name)
    return Message(
        channel="mail" if rules.field == "email" else "sms",
        kind=kind,
        to=to.strip(),
        subject=subject.format(name=settings.name),
        text=f"{text}\n\n{url}\n",
        html=f'<p>{escape(text)}</p><p><a href="{escape(url)}">{escape(url)}</a></p>',
    )
