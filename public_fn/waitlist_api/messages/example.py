"""Messages with example data: what a list's people would get, for a preview or a test. No I/O."""

from collections.abc import Iterator

from waitlist_api.messages.compose import Channel, Letterhead, Message, compose
from waitlist_api.messages.kinds import BY_NAME
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.waitlists import WaitlistSettings
from waitlist_api.settings.messages import LANGUAGES, MessageRules
from waitlist_api.settings.sms import sms_parts

EXAMPLE_ADDRESS = "ada@example.com"
# The deadlines of an example: an offer's, and that of a question.
OFFER_MILLIS, CONFIRM_MILLIS = 600_000, 14 * 86_400_000
NONE_CHOSEN = MessageRules(kinds=())
# By how many characters a guest's link is longer than that of the list's page.
PROOF_CHARACTERS = {"place": 82, "verify": 92, "move": 127, "list": 0}


def example(
    kind: str,
    language: str,
    waitlist_id: str,
    settings: WaitlistSettings,
    to: tuple[Channel, str],
    base_url: str,
    now_millis: int,
) -> Message:
    """Return the message of a kind to a person who is on no list; it links to the list's page."""
    record = EntryRecord(
        waitlist_id=waitlist_id,
        entry_id="",
        customer_id="",
        status="waiting",
        join_id="",
        created_millis=now_millis,
        updated_millis=now_millis,
        claimed_until_millis=now_millis + OFFER_MILLIS,
        confirm_by_millis=now_millis + CONFIRM_MILLIS,
        language=language,
    )
    rules = settings.messages or NONE_CHOSEN
    head = Letterhead(base_url, None)
    return compose(BY_NAME[kind], record, settings, rules, to, head, now_millis)


def parts_with_link(message: Message) -> int:
    """Return in how many parts an example would be sent to a guest as an SMS, with their link."""
    proof = "x" * PROOF_CHARACTERS[BY_NAME[message.kind].link]
    return sms_parts(message.text.strip() + proof)


def examples(
    waitlist_id: str,
    settings: WaitlistSettings,
    base_url: str,
    now_millis: int,
    *,
    kind: str | None = None,
    language: str | None = None,
) -> Iterator[tuple[str, Message]]:
    """Yield messages as mails with their languages: of each kind, or of one, in the same way."""
    to: tuple[Channel, str] = ("mail", EXAMPLE_ADDRESS)
    for one in [kind] if kind else BY_NAME:
        for spoken in [language] if language else LANGUAGES:
            message = example(one, spoken, waitlist_id, settings, to, base_url, now_millis)
            yield spoken, message
