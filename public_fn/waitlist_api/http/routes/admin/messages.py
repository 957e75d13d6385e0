"""Operator routes that list the messages to a person and show example messages."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from msgspec import Struct

from waitlist_api.auth.passes import Passes
from waitlist_api.clock import NowMillis, iso
from waitlist_api.entries.queries import EntryQueries
from waitlist_api.http.operation import Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.routes.params import EntryId, IdempotencyKey, WaitlistId
from waitlist_api.http.schemas.broadcasts import (
    MessageAnswer,
    MessageBody,
    NotReachedAnswer,
    ReachedAnswer,
)
from waitlist_api.http.schemas.invitations import texts_in
from waitlist_api.http.schemas.messages import (
    NoteAnswer,
    NotesAnswer,
    PreviewedAnswer,
    PreviewedMessagesAnswer,
    TestMessageAnswer,
    TestMessageBody,
)
from waitlist_api.messages.ask_trial import Trials
from waitlist_api.messages.broadcast import BroadcastCommand, Broadcasts
from waitlist_api.messages.example import compose_examples, count_parts_with_link
from waitlist_api.records.deliveries import Note
from waitlist_api.settings.messages import KindName
from waitlist_api.settings.texts import Language
from waitlist_api.waitlists.configure import Waitlists

OfKind = Annotated[KindName | None, Query(description="Only show messages of this kind.")]
InLanguage = Annotated[Language | None, Query(description="Only show messages in this language.")]


class Routes(Struct, frozen=True):
    entry_queries: EntryQueries
    waitlists: Waitlists
    trials: Trials
    broadcasts: Broadcasts
    now_millis: NowMillis
    passes: Passes
    request: Request

    @operator(
        "List the messages to a person with the outcome of each",
        Answer(200, "The messages, without addresses and texts"),
        problems=("entry_not_found",),
        audit="each_request",
    )
    def list_messages(self, waitlist_id: WaitlistId, entry_id: EntryId) -> NotesAnswer:
        """The list contains the messages since the customer's latest signup.

        A message is added once it has been sent, or once the service has decided not to send it.
        """
        return NotesAnswer(
            messages=[*map(_shown, self.entry_queries.messages(waitlist_id, entry_id))]
        )

    @operator(
        "Show a waitlist's messages with example data",
        Answer(200, "The messages, shown as emails"),
    )
    def preview_messages(
        self, waitlist_id: WaitlistId, kind: OfKind = None, language: InLanguage = None
    ) -> PreviewedMessagesAnswer:
        """The response contains an example of each kind of message in each language, including
        kinds that the waitlist does not send. The request sends no messages.
        """
        settings = self.waitlists.cached(waitlist_id).settings
        base_url = self.passes.issuer or self.request.base_url
        made = compose_examples(
            waitlist_id, settings, base_url, self.now_millis(), kind=kind, language=language
        )
        return PreviewedMessagesAnswer(
            messages=[
                PreviewedAnswer(
                    kind=message.kind,
                    language=spoken,
                    subject=message.subject,
                    text=message.text,
                    html=message.html,
                    sms_parts=count_parts_with_link(message),
                )
                for spoken, message in made
            ]
        )

    @operator(
        "Send a message to some or all people",
        Answer(200, "The message, and how many people it reaches"),
        problems=("no_messages", "rebuilding", "idempotency_key_reused"),
        audit="each_request",
    )
    def send_message(
        self, waitlist_id: WaitlistId, body: MessageBody, idempotency_key: IdempotencyKey = None
    ) -> MessageAnswer:
        """Each person gets the message at most once, by email or SMS, with a link to their place.
        People get no message if they have turned messages off, if their address does not work or is
        not verified, if they have left, or if they join after this request. Message limits and
        budgets apply. The waitlist needs the `messages` setting, but `messages.kinds` need not
        contain `message`. To see who would get the message, send `dry_run` first.
        """
        command = BroadcastCommand(
            waitlist_id=waitlist_id,
            by=self.request.operator,
            text=texts_in(body.text),
            entries=tuple(body.entries or ()),
            status=body.status,
            filter=body.filter or {},
            idempotency_key=idempotency_key or "",
        )
        act = self.broadcasts.count if body.dry_run else self.broadcasts.send
        found = act(command)
        reached = ReachedAnswer(mail=found.reached.get("mail", 0), sms=found.reached.get("sms", 0))
        return MessageAnswer(
            message_id=None if body.dry_run else str(found.stamp),
            dry_run=body.dry_run,
            state="running" if found.running else "done",
            people=reached.mail + reached.sms,
            reached=reached,
            not_reached=NotReachedAnswer(
                **{name: found.skipped.get(name, 0) for name in NotReachedAnswer.model_fields}
            ),
        )

    @operator(
        "Send a message with example data to one address",
        Answer(200, "The message has been sent"),
        problems=("no_messages",),
        audit="each_request",
    )
    def send_test_message(
        self, waitlist_id: WaitlistId, body: TestMessageBody
    ) -> TestMessageAnswer:
        """The message is sent from the stack's own address or number. The recipient's address is
        neither stored nor logged.
        """
        address = body.model_dump(include={"email", "phone"}, exclude_unset=True)
        self.trials.send(waitlist_id, body.kind, body.language or "", address)
        return TestMessageAnswer(outcome="sent")


def _shown(note: Note) -> NoteAnswer:
    return NoteAnswer(
        kind=note.kind,
        channel=note.channel or None,
        state=note.state,
        reason=note.reason or None,
        at=iso(note.millis),
    )
