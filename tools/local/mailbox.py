"""The local mailbox, which shows the emails and SMS that a deployed service would have sent.

No message leaves this computer. A thread reads the events in the table and stores the messages in
memory. The mailbox is available as a page at /_local/mailbox and as JSON at /_local/mailbox.json.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from msgspec.structs import asdict
from phonenumbers import SUPPORTED_REGIONS

from tools.local.background import Background
from tools.local.function import Invocation
from tools.local.http_message import HttpRequest, HttpResponse, json_response
from tools.local.start_page import HEADERS, STYLE
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.clock import iso, now_millis
from waitlist_api.config import MAILS_PER_DAY, SMS_PARTS_PER_DAY
from waitlist_api.messages.compose import Letterhead, Message
from waitlist_api.messages.kinds import BY_EVENT, EntryEvent
from waitlist_api.messages.limits import Limits
from waitlist_api.messages.sender import Sender, TryAgain
from waitlist_api.messages.trial import send_trial
from waitlist_api.records.broadcasts import BroadcastRecords
from waitlist_api.records.deliveries import Deliveries, Delivery
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import HISTORY
from waitlist_api.records.invitations import InvitationRecords
from waitlist_api.records.invitees import Invitees
from waitlist_api.records.ledger import Ledger
from waitlist_api.records.message_counts import MessageCounts
from waitlist_api.records.message_limits import Budgets, Targets
from waitlist_api.records.published import Detail, is_published
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.table import Table
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_api.settings.messages import MessageRules
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_api.webhooks.deliver import webhook_id
from waitlist_api.webhooks.signatures import Signatures
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ranks import millis_of

PATH = "/_local/mailbox"
EACH_SECONDS = 1.0
# The thread spends at most a twentieth of its time reading the table.
SHARE = 20
# The maximum number of waitlists in a filter. DynamoDB limits a filter to 4 KB.
MOST_LISTS = 100
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Mailbox: local run</title><style>{style}</style>
<main>
<h1>Mailbox</h1>
<p>The messages that the service sends to people, newest last. Nothing leaves this machine.</p>
{messages}
</main>
</html>
"""
# In production, the operator's backend sends the links that verify addresses if a waitlist has no
# `messages`. A developer's computer has no such backend, so the mailbox sends them. It accepts
# telephone numbers from all countries.
LINKS = MessageRules(
    kinds=("verify",),
    sms_countries=tuple(sorted(SUPPORTED_REGIONS)),
    sms_number_types=("mobile", "fixed_line", "voip", "unknown"),
)

NOT_SENT = "(not sent, because WEBHOOK_URL is not set)"

logger = logging.getLogger(__name__)
Event = tuple[int, str, str, str, str]


class LocalSender(Sender, frozen=True):
    """Sends messages as the messages function does.

    If a waitlist has no settings for messages, it also sends the links that verify addresses.
    """

    def find_rules(self, settings: WaitlistSettings) -> MessageRules | None:
        return settings.messages or (LINKS if settings.identity else None)


class Mailbox(Background):
    """A mailbox with messages from every waitlist in a table."""

    def __init__(
        self,
        table: Table,
        tokens: EntryTokens,
        url: str,
        now_millis: Callable[[], int] = now_millis,
        webhook: tuple[str, str] | None = None,
        *,
        is_for_guests: bool = True,
    ) -> None:
        """`webhook` contains the webhook's URL and secret. If it is None, webhooks are not
        shown.
        """
        super().__init__("mailbox")
        self._webhook = webhook
        self._table = table
        self._now_millis = now_millis
        self._waitlists = WaitlistRecords(table)
        self._counts = MessageCounts(table)
        self._sender = LocalSender(
            EntryRecords(table, now_millis),
            self._waitlists,
            Deliveries(table),
            Recipients(table, now_millis),
            Ledger(table),
            Limits(
                targets=Targets(table),
                budgets=Budgets(table),
                tokens=tokens,
                mails_per_day=MAILS_PER_DAY,
                sms_parts_per_day=SMS_PARTS_PER_DAY,
                has_accounts=not is_for_guests,
            ),
            InvitationRecords(table, now_millis, Invitees(table)),
            BroadcastRecords(table, now_millis),
            {"mail": self, "sms": self},
            Letterhead(url, tokens, is_for_guests),
            now_millis,
        )
        self._messages: list[tuple[int, Message]] = []
        self._handled: set[Event] = set()
        # When each waitlist's messages were last turned off. Events from before then cause no
        # messages.
        self._silent_until: dict[str, int] = {}
        self._lock = threading.Lock()

    def send(self, message: Message, _: Delivery | None) -> None:
        self._messages.append((self._now_millis(), message))

    def invoke(self, payload: bytes) -> Invocation:
        """Answer a call to the messages function by storing its test message in the mailbox."""
        outcome = send_trial(self._sender, json.loads(payload))
        return Invocation(json.dumps({"outcome": outcome}).encode())

    def deliver(self) -> None:
        with self._lock:
            now = self._now_millis()
            sends = {found.waitlist_id: self._sends(found) for found in self._waitlists.all()}
            sending = sorted(name for name, is_sending in sends.items() if is_sending)
            if not sending:
                return
            for event in sorted(set(self._events(sending)) - self._handled):
                if millis_of(event[0]) < self._silent_until.get(event[1], 0):
                    self._handled.add(event)
                else:
                    self._deliver(event)
            self._silent_until |= dict.fromkeys(sends.keys() - sending, now)
            self._counts.take(self._sender.deliveries.tally)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method != "GET" or not request.names_this_machine:
            return json_response(
                403, {"message": "Only programs on this machine may read the mailbox, with GET."}
            )
        self.deliver()
        messages = [(at, _shown(at, message)) for at, message in list(self._messages)]
        hooks = [(millis_of(stamp), hook) for stamp, hook in self._webhooks()]
        shown = [item for _, item in sorted([*messages, *hooks], key=lambda timed: timed[0])]
        if request.raw_path == f"{PATH}.json":
            return json_response(200, {"messages": shown})
        listed = "\n".join(map(_item, shown)) or "<p>There are no messages yet.</p>"
        html = PAGE.format(style=STYLE, messages=listed)
        return HttpResponse(200, HEADERS, html.encode("utf-8", "replace"))

    def _webhooks(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the webhooks for all published events. Each one is signed with the time of its
        event.
        """
        url, secret = self._webhook or ("", "")
        if not secret:
            return
        for item in self._history():
            plain = _plain(item)
            if not is_published(plain):
                continue
            stamp, detail = int(plain["stamp"]), Detail.from_history_item(plain)
            signatures = Signatures(lambda: secret, partial(millis_of, stamp))
            yield (
                stamp,
                {
                    "at": detail.at,
                    "channel": "webhook",
                    "kind": detail.event,
                    "to": url,
                    "subject": "",
                    "text": "",
                    "html": "",
                    "headers": signatures.headers(webhook_id(detail), detail.body),
                    "body": detail.body.decode(),
                },
            )

    def _run(self) -> None:
        pause = EACH_SECONDS
        while not self._stopping.wait(pause):
            began = time.monotonic()
            try:
                self.deliver()
            except (WaitlistError, BotoCoreError, ClientError) as error:
                logger.warning("the mailbox could not read the table: %s", type(error).__name__)
            pause = max(EACH_SECONDS, SHARE * (time.monotonic() - began))

    def _sends(self, waitlist: Any) -> bool:
        return self._sender.find_rules(waitlist.settings) is not None

    def _deliver(self, event: Event) -> None:
        stamp, waitlist_id, entry_id, name, by = event
        entry_event = EntryEvent(
            waitlist_id=waitlist_id, entry_id=entry_id, event=name, stamp=stamp, by=by
        )
        try:
            self._sender.handle(entry_event)
        except TryAgain:
            return
        self._handled.add(event)

    def _events(self, waitlist_ids: Sequence[str]) -> Iterator[Event]:
        for first in range(0, len(waitlist_ids), MOST_LISTS):
            for item in self._history(waitlist_ids[first : first + MOST_LISTS]):
                name = item["event"]["S"]
                if name in BY_EVENT:
                    ids = item["waitlist_id"]["S"], item["entry_id"]["S"]
                    yield int(item["stamp"]["N"]), *ids, name, item["by_kind"]["S"]

    def _history(self, waitlist_ids: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield the events of the given waitlists, or of all waitlists if none are given.

        Reading only a few waitlists' events is much faster.
        """
        lists = {f":list{number}": {"S": name} for number, name in enumerate(waitlist_ids)}
        condition = "begins_with(#sk, :history)"
        names = {"#sk": "sk"}
        if lists:
            condition += f" AND ({' OR '.join(f'#list = {value}' for value in lists)})"
            names["#list"] = "waitlist_id"
        request = {
            "TableName": self._table.name,
            "FilterExpression": condition,
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": {":history": {"S": HISTORY}, **lists},
        }
        more: dict[str, Any] | None = {}
        while more is not None:
            page = self._table.client.scan(**request, **more)
            last = page.get("LastEvaluatedKey")
            more = {"ExclusiveStartKey": last} if last else None
            yield from page["Items"]


def _shown(at_millis: int, message: Message) -> dict[str, Any]:
    shown = {"at": iso(at_millis), **asdict(message), "body": None}
    del shown["sender"]
    return shown


def _item(message: dict[str, Any]) -> str:
    text = f"<pre>{escape(message['body'] or '')}</pre>"
    if message["text"]:
        # The last line of a message is the link.
        before, _, url = escape(message["text"].strip()).rpartition("\n")
        said = before.strip().replace("\n", "<br>")
        text = f'<p>{said}</p><p><a href="{url}">{url}</a></p>'
    if one_click := message["headers"].get("List-Unsubscribe"):
        text += f'<p><a href="{escape(one_click[1:-1])}">Unsubscribe</a></p>'
    to = f"to <bdi>{escape(message['to'])}</bdi>" if message["to"] else NOT_SENT
    return (
        f"<article><h2>{escape(message['subject'] or message['kind'])}</h2>"
        f"<p>{escape(message['channel'])} {to}, {message['at']}</p>{text}</article>"
    )


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    return {name: next(iter(typed.values())) for name, typed in item.items()}
