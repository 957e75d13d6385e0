"""The mailbox of the local run: the messages that the record asks for, as they read at this moment.

Nothing is stored, and nothing is sent but webhooks to WEBHOOK_URL, if that is set. A page at
/_local/mailbox, and JSON at /_local/mailbox.json.
"""

from collections.abc import Iterator
from functools import partial
from html import escape
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from tools.local.http_message import HttpRequest, HttpResponse, json_response
from tools.local.start_page import HEADERS, STYLE
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.clock import iso
from waitlist_api.messages import EVENTS, Message, message_of
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import HISTORY, HistoryEvent
from waitlist_api.records.table import Table
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_api.records.webhooks import Detail, is_published
from waitlist_api.webhooks.deliver import webhook_id
from waitlist_api.webhooks.signatures import Signatures
from waitlist_shared.ranks import millis_of

PATH = "/_local/mailbox"
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Mailbox: local run</title><style>{style}</style>
<h1>Mailbox</h1>
<p>What the service asks to be sent, newest last. Nothing leaves this machine.</p>
{messages}
</html>
"""


class Mailbox(Struct, frozen=True):
    """Answers the messages of all lists in a table, by its client.

    `webhook` are the URL and the secret of webhooks; without it there are none.
    """

    table: Table
    tokens: EntryTokens
    webhook: tuple[str, str] | None = None

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method != "GET" or not request.names_this_machine:
            return json_response(403, {"message": "Only this machine reads its mailbox, by GET."})
        messages = self._messages(f"http://{request.header('host')}")
        shown = [(stamp, _shown(stamp, message)) for stamp, message in messages]
        shown = sorted([*shown, *self._webhooks()], key=lambda one: one[0])
        if request.raw_path == f"{PATH}.json":
            return json_response(200, {"messages": [one for _, one in shown]})
        listed = "\n".join(_item(one) for _, one in shown) or "<p>There is none yet.</p>"
        html = PAGE.format(style=STYLE, messages=listed)
        return HttpResponse(200, HEADERS, html.encode("utf-8", "replace"))

    def _webhooks(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the stamps and the webhooks of all events, each signed at its time."""
        url, secret = self.webhook or ("", "")
        if not secret:
            return
        for item in self._history():
            plain = _plain(item)
            if not is_published(plain):
                continue
            stamp, detail = int(plain["stamp"]), Detail.of_history(plain)
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

    def _messages(self, url: str) -> list[tuple[int, Message]]:
        """Return the stamps and the messages, oldest first."""
        entries, waitlists = EntryRecords(self.table), WaitlistRecords(self.table)
        found = []
        for waitlist_id, entry_id, name, stamp in self._events():
            waitlist, record = waitlists.get(waitlist_id), entries.get(waitlist_id, entry_id)
            if waitlist is None or record is None:
                continue
            event = HistoryEvent(stamp=stamp, event=name, by="customer")
            message = message_of(event, record, waitlist.settings, self.tokens, url)
            if message is not None:
                found.append((stamp, message))
        return sorted(found, key=lambda one: one[0])

    def _events(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield list, entry, name and stamp of the events that ask for messages."""
        for item in self._history():
            name = item["event"]["S"]
            if name in EVENTS:
                ids = item["waitlist_id"]["S"], item["entry_id"]["S"]
                yield *ids, name, int(item["stamp"]["N"])

    def _history(self) -> Iterator[dict[str, Any]]:
        """Yield the events of all entries."""
        more: dict[str, Any] | None = {}
        while more is not None:
            page = self.table.client.scan(TableName=self.table.name, **more)
            last = page.get("LastEvaluatedKey")
            more = {"ExclusiveStartKey": last} if last else None
            yield from (one for one in page["Items"] if one["sk"]["S"].startswith(HISTORY))


def _shown(stamp: int, message: Message) -> dict[str, Any]:
    return {"at": iso(millis_of(stamp)), **asdict(message), "headers": {}, "body": None}


def _item(message: dict[str, Any]) -> str:
    said = message["html"] or f"<pre>{escape(message['body'] or '')}</pre>"
    return (
        f"<article><h2>{escape(message['subject'] or message['kind'])}</h2>"
        f"<p>{escape(message['channel'])} to <bdi>{escape(message['to'])}</bdi>, "
        f"{message['at']}</p>{said}</article>"
    )


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    """Return the texts and numbers of an item, as text."""
    return {name: next(iter(typed.values())) for name, typed in item.items()}
