"""What operators do with whole waitlists."""

from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api import cursors
from waitlist_api.clock import NowMillis, iso, iso_of
from waitlist_api.http.openapi import links
from waitlist_api.http.openapi.responses import SIGV4, answers, success
from waitlist_api.http.routes.params import Cursor, Limit, WaitlistId
from waitlist_api.http.schemas.waitlists import (
    RebuildAnswer,
    StatsAnswer,
    WaitlistBody,
    WaitlistConfigAnswer,
    WaitlistsAnswer,
)
from waitlist_api.records.rebuild_progress import Rebuild
from waitlist_api.records.waitlist_cache import Directory
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistSettings
from waitlist_api.waitlists.configure import Waitlists
from waitlist_shared.ranks import time_of

WAITLISTS = "/v1/admin/waitlists"
WAITLIST = f"{WAITLISTS}/<waitlist_id>"
USUAL = ("unauthorized", "waitlist_not_found", "record_unavailable")


def admin_waitlist_routes(
    directory: Directory, waitlists: Waitlists, now_millis: NowMillis
) -> APIGatewayHttpRouter:
    """Return the operators' routes of waitlists."""
    router = APIGatewayHttpRouter()

    @router.get(
        WAITLISTS,
        summary="List the waitlists",
        tags=["operator"],
        operation_id="listWaitlists",
        security=SIGV4,
        responses=answers(
            200,
            "A page of waitlists by id",
            "unauthorized",
            "record_unavailable",
            links=links.next_page("listWaitlists"),
        ),
    )
    def list_waitlists(cursor: Cursor = None, limit: Limit = 100) -> WaitlistsAnswer:
        records, following = waitlists.page(cursors.decode_text(cursor), limit)
        return WaitlistsAnswer(
            waitlists=[_config(record) for record in records], cursor=cursors.encode(following)
        )

    @router.put(
        WAITLIST,
        summary="Make a waitlist, or replace its whole configuration",
        tags=["operator"],
        operation_id="putWaitlist",
        security=SIGV4,
        responses={
            201: success(201, "The new waitlist", links.OF_A_WAITLIST),
            **answers(
                200,
                "The changed waitlist",
                "unauthorized",
                "not_found",
                "invalid_json",
                "waitlist_deleting",
                "unsupported_media_type",
                "record_unavailable",
                links=links.OF_A_WAITLIST,
            ),
        },
    )
    def put_waitlist(waitlist_id: WaitlistId, body: WaitlistBody) -> Response[WaitlistConfigAnswer]:
        record, is_new = waitlists.put(waitlist_id, WaitlistSettings(**body.settings()))
        return Response(201 if is_new else 200, "application/json", _config(record))

    @router.get(
        WAITLIST,
        summary="A waitlist's configuration",
        tags=["operator"],
        operation_id="getWaitlistConfig",
        security=SIGV4,
        responses=answers(200, "The waitlist", *USUAL),
    )
    def get_waitlist(waitlist_id: WaitlistId) -> WaitlistConfigAnswer:
        return _config(directory.look_up(waitlist_id))

    @router.delete(
        WAITLIST,
        summary="Delete a waitlist and everybody on it",
        description="Gone for everybody at once; the records are erased in the background.",
        tags=["operator"],
        operation_id="deleteWaitlist",
        security=SIGV4,
        responses=answers(204, "The waitlist is gone", *USUAL),
    )
    def delete_waitlist(waitlist_id: WaitlistId) -> Response[Any]:
        waitlists.delete(waitlist_id)
        return Response(204)

    @router.get(
        f"{WAITLIST}/stats",
        summary="How many wait, signed up, left",
        tags=["operator"],
        operation_id="getStats",
        security=SIGV4,
        responses=answers(200, "The counts, true at this moment", *USUAL, "rebuilding"),
    )
    def get_stats(waitlist_id: WaitlistId) -> StatsAnswer:
        stats = waitlists.stats(waitlist_id)
        oldest = None if stats.head_ticket is None else iso_of(time_of(stats.head_ticket))
        return StatsAnswer(
            waiting=stats.waiting,
            signed_up=stats.counters.signed_up,
            left=stats.counters.left,
            admitted=stats.counters.admitted,
            offered=stats.offered,
            parked=stats.parked,
            oldest_waiting_seconds=_age(now_millis(), _millis_of(stats.head_ticket)),
            oldest_parked_seconds=_age(now_millis(), stats.oldest_parked_millis),
            oldest_joined_at=oldest,
        )

    return router


def _age(now_millis: int, then_millis: int | None) -> int | None:
    """Whole seconds; never negative, whatever two clocks say."""
    return None if then_millis is None else max(0, (now_millis - then_millis) // 1000)


def _millis_of(ticket: int | None) -> int | None:
    return None if ticket is None else int(time_of(ticket).timestamp() * 1000)


def _progress(rebuild: Rebuild | None) -> RebuildAnswer | None:
    return None if rebuild is None else RebuildAnswer(done=rebuild.done, total=rebuild.total)


def _config(record: WaitlistRecord) -> WaitlistConfigAnswer:
    return WaitlistConfigAnswer(
        waitlist_id=record.waitlist_id,
        **asdict(record.settings),
        segments_state=record.segments_state,
        rebuild=_progress(record.rebuild),
        version=record.version,
        created_at=iso(record.created_millis),
        updated_at=iso(record.updated_millis),
    )
