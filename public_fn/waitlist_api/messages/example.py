"""Composes messages with example data, for previews and test messages. It does no I/O."""

from collections.abc import Iterator

from waitlist_api.messages.compose import Letterhead, Message, compose
from waitlist_api.messages.kinds import BY_NAME
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.facets import Call, Contact, Hold, Joined, Question
from waitlist_api.settings.messages import LANGUAGES, Channel, MessageRules
from waitlist_api.settings.sms import count_sms_parts
from waitlist_api.settings.waitlist import WaitlistSettings

EXAMPLE_ADDRESS = "ada@example.com"
EXAMPLE_PLACE = "Room 2"
# In example messages, an offer lasts OFFER_MILLIS, and a customer has CONFIRM_MILLIS to confirm
# that they are still waiting.
OFFER_MILLIS, CONFIRM_MILLIS = 600_000, 14 * 86_400_000
NO_KINDS_CHOSEN = MessageRules(kinds=())
# How many characters longer a guest's personal link is than the link to the waitlist's page, for
# each type of link (`Kind.link`).
PROOF_CHARACTERS = {"place": 82, "verify": 92, "move": 127, "list": 0}


def compose_example(
    kind: str,
    language: str,
    waitlist_id: str,
    settings: WaitlistSettings,
    to: tuple[Channel, str],
    base_url: str,
    now_millis: int,
) -> Message:
    """Compose a message to a fictitious customer, with a link to the waitlist's page."""
    numbers = settings.call_numbers
    record = EntryRecord(
        waitlist_id=waitlist_id,
        entry_id="",
        customer_id="",
        status="waiting",
        join_id="",
        updated_millis=now_millis,
        hold=Hold(until_millis=now_millis + OFFER_MILLIS),
        question=Question(confirm_by_millis=now_millis + CONFIRM_MILLIS),
        contact=Contact(language=language),
        call=Call(to=EXAMPLE_PLACE),
        joined=Joined(call_number=f"{numbers.prefix}042" if numbers else ""),
    )
    rules = settings.messages or NO_KINDS_CHOSEN
    head = Letterhead(base_url, None)
    return compose(BY_NAME[kind], record, settings, rules, to, head, now_millis)


def count_parts_with_link(message: Message) -> int:
    """Return how many SMS parts the message needs with a guest's personal link."""
    proof = "x" * PROOF_CHARACTERS[BY_NAME[message.kind].link]
    return count_sms_parts(message.text.strip() + proof)


def compose_examples(
    waitlist_id: str,
    settings: WaitlistSettings,
    base_url: str,
    now_millis: int,
    *,
    kind: str | None = None,
    language: str | None = None,
) -> Iterator[tuple[str, Message]]:
    """Yield example emails, each with its language.

    If `kind` or `language` is given, yield only emails of this kind or in this language.
    """
    to: tuple[Channel, str] = ("mail", EXAMPLE_ADDRESS)
    for name in [kind] if kind else BY_NAME:
        for code in [language] if language else LANGUAGES:
            message = compose_example(name, code, waitlist_id, settings, to, base_url, now_millis)
            yield code, message
