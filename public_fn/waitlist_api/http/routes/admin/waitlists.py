"""Operators' routes of waitlists."""

from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from msgspec.structs import asdict

from waitlist_api import cursors
from waitlist_api.clock import iso
from waitlist_api.http.routes.params import Cursor, Limit, WaitlistId
from waitlist_api.http.schemas.waitlists import (
    RebuildAnswer,
    WaitlistBody,
    WaitlistConfigAnswer,
    WaitlistsAnswer,
)
from waitlist_api.records.rebuild_progress import RebuildProgress
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistSettings
from waitlist_api.waitlists.configure import Waitlists

WAITLISTS = "/v1/admin/waitlists"
WAITLIST = f"{WAITLISTS}/<waitlist_id>"


def admin_waitlist_routes(
    waitlist_cache: WaitlistCache, waitlists: Waitlists
) -> APIGatewayHttpRouter:
    """Return the operators' routes of waitlists."""
    router = APIGatewayHttpRouter()

    @router.get(WAITLISTS, operation_id="listWaitlists")
    def list_waitlists(cursor: Cursor = None, limit: Limit = 100) -> WaitlistsAnswer:
        records, following = waitlists.page(cursors.decode_text(cursor), limit)
        return WaitlistsAnswer(
            waitlists=[_config(record) for record in records], cursor=cursors.encode(following)
        )

    @router.put(WAITLIST, operation_id="putWaitlist")
    def put_waitlist(waitlist_id: WaitlistId, body: WaitlistBody) -> Response[WaitlistConfigAnswer]:
        record, is_new = waitlists.put(waitlist_id, WaitlistSettings(**body.settings()))
        return Response(201 if is_new else 200, "application/json", _config(record))

    @router.get(WAITLIST, operation_id="getWaitlistConfig")
    def get_waitlist(waitlist_id: WaitlistId) -> WaitlistConfigAnswer:
        return _config(waitlist_cache.look_up(waitlist_id))

    @router.delete(WAITLIST, operation_id="deleteWaitlist")
    def delete_waitlist(waitlist_id: WaitlistId) -> Response[Any]:
        waitlists.delete(waitlist_id)
        return Response(204)

    return router


def _progress(rebuild: RebuildProgress | None) -> RebuildAnswer | None:
    return None if rebuild is None else RebuildAnswer(done=rebuild.done, total=rebuild.total)


def _config(record: WaitlistRecord) -> WaitlistConfigAnswer:
    settings = record.settings
    admission, page, rest = settings.admission, settings.page, settings.rest
    fields = {
        **asdict(settings),
        "admission": admission.fields if admission else None,
        "page": page.body if page else None,
        "rest": rest.fields if rest else None,
    }
    return WaitlistConfigAnswer(
        waitlist_id=record.waitlist_id,
        **fields,
        segments_state=record.segments_state,
        rebuild=_progress(record.rebuild),
        version=record.version,
        created_at=iso(record.created_millis),
        updated_at=iso(record.updated_millis),
    )
