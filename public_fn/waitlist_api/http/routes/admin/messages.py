"""Operator routes that list the messages to a person and show example messages."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.clock import NowMillis, iso
from waitlist_api.entries.queries import EntryQueries
from waitlist_api.http.routes.admin.entries import ENTRY
from waitlist_api.http.routes.admin.waitlists import WAITLIST
from waitlist_api.http.routes.params import EntryId, WaitlistId
from waitlist_api.http.routes.passes import base_url_of
from waitlist_api.http.schemas.messages import (
    NoteAnswer,
    NotesAnswer,
    PreviewedAnswer,
    PreviewedMessagesAnswer,
    TestMessageAnswer,
    TestMessageBody,
)
from waitlist_api.messages.ask_trial import Trials
from waitlist_api.messages.example import compose_examples, count_parts_with_link
from waitlist_api.records.deliveries import Note
from waitlist_api.settings.messages import KindName
from waitlist_api.settings.texts import Language
from waitlist_api.waitlists.configure import Waitlists

OfKind = Annotated[KindName | None, Query(description="Only show messages of this kind.")]
InLanguage = Annotated[Language | None, Query(description="Only show messages in this language.")]


def admin_message_routes(
    entry_queries: EntryQueries,
    waitlists: Waitlists,
    trials: Trials,
    now_millis: NowMillis,
    public_url: str = "",
) -> APIGatewayHttpRouter:
    """Return the operator routes for messages. `public_url` is the base URL of the links in
    messages.

    If `public_url` is empty, the base URL is the URL of CloudFront or of the API.
    """
    router = APIGatewayHttpRouter()

    @router.get(f"{ENTRY}/messages", operation_id="listMessages")
    def list_messages(waitlist_id: WaitlistId, entry_id: EntryId) -> NotesAnswer:
        return NotesAnswer(messages=[*map(_shown, entry_queries.messages(waitlist_id, entry_id))])

    @router.get(f"{WAITLIST}/messages", operation_id="previewMessages")
    def preview_messages(
        waitlist_id: WaitlistId, kind: OfKind = None, language: InLanguage = None
    ) -> PreviewedMessagesAnswer:
        settings = waitlists.cached(waitlist_id).settings
        base_url = public_url or base_url_of(router.current_event.raw_event)
        made = compose_examples(
            waitlist_id, settings, base_url, now_millis(), kind=kind, language=language
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

    @router.post(f"{WAITLIST}/messages/test", operation_id="sendTestMessage")
    def send_test_message(waitlist_id: WaitlistId, body: TestMessageBody) -> TestMessageAnswer:
        address = body.model_dump(include={"email", "phone"}, exclude_unset=True)
        trials.send(waitlist_id, body.kind, body.language or "", address)
        return TestMessageAnswer(outcome="sent")

    return router


def _shown(note: Note) -> NoteAnswer:
    return NoteAnswer(
        kind=note.kind,
        channel=note.channel or None,
        state=note.state,
        reason=note.reason or None,
        at=iso(note.millis),
    )
