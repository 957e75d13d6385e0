"""Operators' routes of messages: what became of those to one person."""

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.clock import iso
from waitlist_api.entries.queries import EntryQueries
from waitlist_api.http.routes.admin.entries import ENTRY
from waitlist_api.http.routes.params import EntryId, WaitlistId
from waitlist_api.http.schemas.messages import NoteAnswer, NotesAnswer
from waitlist_api.records.deliveries import Note


def admin_message_routes(entry_queries: EntryQueries) -> APIGatewayHttpRouter:
    """Return the operators' routes of messages."""
    router = APIGatewayHttpRouter()

    @router.get(f"{ENTRY}/messages", operation_id="listMessages")
    def list_messages(waitlist_id: WaitlistId, entry_id: EntryId) -> NotesAnswer:
        return NotesAnswer(messages=[*map(_shown, entry_queries.messages(waitlist_id, entry_id))])

    return router


def _shown(note: Note) -> NoteAnswer:
    return NoteAnswer(
        kind=note.kind,
        channel=note.channel or None,
        state=note.state,
        reason=note.reason or None,
        at=iso(note.millis),
    )
