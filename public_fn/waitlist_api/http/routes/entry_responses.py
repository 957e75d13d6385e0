"""Builds the responses that show customers their own entries."""

from typing import Any, TypeVar

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.admission.call import Calls
from waitlist_api.clock import NowMillis
from waitlist_api.entries.position import EntryView
from waitlist_api.estimates.pace import wait_at
from waitlist_api.http.polling import CLAIMED_SECONDS, POLLS_OF_PRESENCE, poll_after_seconds
from waitlist_api.http.readiness import count_ready_ahead, readiness_fields
from waitlist_api.http.schemas.call import call_answer
from waitlist_api.http.schemas.entries import EntryAnswer
from waitlist_api.http.schemas.wait import estimate_fields

Answer = TypeVar("Answer", bound=EntryAnswer)
SIGNUP_PROBLEMS = (
    "banned",
    "already_on_list",
    "already_left",
    "already_admitted",
    "not_open_yet",
    "waitlist_closed",
    "waitlist_full",
    "not_waiting",
    "idempotency_key_reused",
    "too_many_changes",
    "rebuilding",
)


class EntryResponses(Struct, frozen=True):
    """Builds the responses about an entry that several routes return."""

    calls: Calls
    now_millis: NowMillis

    def signed_up(self, answer: Answer, *, is_new: bool) -> Response[Answer]:
        """Return the response to a signup. If the signup created the entry, add the entry's URL."""
        if not is_new:
            return Response(200, "application/json", answer)
        # The URL of the entry is relative to the request's URL, because a gateway may add a prefix
        # to the path.
        location: dict[str, str | list[str]] = {"Location": f"entries/{answer.entry_id}"}
        return Response(201, "application/json", answer, location)

    def fields(self, waitlist_id: str, view: EntryView, *positions: int) -> dict[str, Any]:
        """Return the fields that every response about an entry contains."""
        wait, turn, call, now_millis = None, None, None, self.now_millis()
        if (ready_ahead := count_ready_ahead(view)) is not None:
            turn = ready_ahead + 1
            wait = wait_at(turn, view.pace, now_millis)
        # While an entry is not ready, its polling interval depends on its position in the queue,
        # not on the number of ready entries ahead. If most entries are not ready, that number is
        # low even at the end of the queue, and too many customers would poll as often as the
        # customer at the head of the queue.
        distance = view.position if view.not_ready else turn
        seconds = poll_after_seconds(
            view.status, distance, *positions, not_ready=view.not_ready or (), now_millis=now_millis
        )
        if seconds is not None and view.presence_seconds is not None:
            seconds = min(seconds, view.presence_seconds // POLLS_OF_PRESENCE)
        if view.is_claimed:
            seconds = CLAIMED_SECONDS
            call = self.calls.find(waitlist_id, view.entry_id)
        return {
            **view.answer,
            **readiness_fields(view),
            **estimate_fields(wait),
            "rank": view.rank,
            "call_number": view.call_number,
            "call": call_answer(call),
            "poll_after_seconds": seconds,
        }
