"""Operator routes that read and change the configuration of waitlists."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api import cursors
from waitlist_api.auth.credentials import identify_operator
from waitlist_api.clock import NowMillis, iso
from waitlist_api.entries.questions import AskCommand, Questions
from waitlist_api.errors import (
    FieldError,
    InvalidFields,
    SettingsChanged,
    WaitlistDeleting,
    WaitlistExists,
    WaitlistNotFound,
)
from waitlist_api.http.etags import is_named
from waitlist_api.http.routes.params import Cursor, IfMatch, IfNoneMatch, Limit, WaitlistId
from waitlist_api.http.schemas.settings import settings_in, shown
from waitlist_api.http.schemas.waitlists import (
    AskAnswer,
    AskBody,
    RebuildAnswer,
    WaitlistBody,
    WaitlistConfigAnswer,
    WaitlistPatch,
    WaitlistsAnswer,
    WarningAnswer,
)
from waitlist_api.records.rebuild_progress import RebuildProgress
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_api.waitlists.configure import Waitlists
from waitlist_api.waitlists.setting_needs import Rule, Stack, broken_rules, contradictions

WAITLISTS = "/v1/admin/waitlists"
WAITLIST = f"{WAITLISTS}/<waitlist_id>"


def admin_waitlist_routes(
    waitlists: Waitlists, questions: Questions, stack: Stack, now_millis: NowMillis
) -> APIGatewayHttpRouter:
    router = APIGatewayHttpRouter()

    def config(record: WaitlistRecord) -> WaitlistConfigAnswer:
        warnings = broken_rules(record.settings, stack, now_millis())
        return _config(record, [_warning(rule) for rule in warnings])

    def answer(record: WaitlistRecord, is_new: bool = False) -> Response[WaitlistConfigAnswer]:
        headers: dict[str, str | list[str]] = {"ETag": _etag(record)}
        return Response(201 if is_new else 200, "application/json", config(record), headers)

    @router.get(WAITLISTS, operation_id="listWaitlists")
    def list_waitlists(cursor: Cursor = None, limit: Limit = 100) -> WaitlistsAnswer:
        records, following = waitlists.page(cursors.decode_text(cursor), limit)
        return WaitlistsAnswer(
            waitlists=[config(record) for record in records], cursor=cursors.encode(following)
        )

    def matched(
        waitlist_id: str,
        if_match: str | None,
        sent: Mapping[str, Any],
        act: Callable[[WaitlistRecord], Response[Any]],
    ) -> Response[Any]:
        """Call `act` and return its response. Raise SettingsChanged if the ETag does not match."""

        def checked(now: WaitlistRecord) -> Response[Any]:
            if if_match is not None and not is_named(_etag(now), if_match):
                raise SettingsChanged(*_differences(now, sent))
            return act(now)

        return waitlists.on_current(waitlist_id, checked)

    def replaced(
        waitlist_id: str, body: WaitlistBody, version: int | None = None
    ) -> Response[WaitlistConfigAnswer]:
        return answer(*waitlists.put(waitlist_id, _wanted(body), version))

    def created(waitlist_id: str, body: WaitlistBody) -> Response[WaitlistConfigAnswer]:
        new = waitlists.create(waitlist_id, _wanted(body))
        if new is not None:
            return answer(new, is_new=True)
        try:
            now = waitlists.current(waitlist_id)
        except WaitlistNotFound as error:
            raise WaitlistDeleting from error
        raise WaitlistExists(*_differences(now, body.model_dump(mode="json")))

    @router.put(WAITLIST, operation_id="putWaitlist")
    def put_waitlist(
        waitlist_id: WaitlistId,
        body: WaitlistBody,
        if_match: IfMatch = None,
        if_none_match: IfNoneMatch = None,
    ) -> Response[WaitlistConfigAnswer]:
        if if_match is not None and if_none_match is not None:
            raise InvalidFields(
                FieldError("header.if-none-match", "must not be sent together with If-Match")
            )
        if if_none_match is not None:
            return created(waitlist_id, body)
        if if_match is None:
            return replaced(waitlist_id, body)
        sent = body.model_dump(mode="json")
        return matched(
            waitlist_id, if_match, sent, lambda now: replaced(waitlist_id, body, now.version)
        )

    @router.patch(WAITLIST, operation_id="changeWaitlist")
    def change_waitlist(
        waitlist_id: WaitlistId, body: WaitlistPatch, if_match: IfMatch = None
    ) -> Response[WaitlistConfigAnswer]:
        def change(now: WaitlistRecord) -> Response[WaitlistConfigAnswer]:
            return replaced(waitlist_id, body.merged(_settings(now)), now.version)

        return matched(waitlist_id, if_match, body.given, change)

    @router.get(WAITLIST, operation_id="getWaitlistConfig")
    def get_waitlist(waitlist_id: WaitlistId) -> Response[WaitlistConfigAnswer]:
        return answer(waitlists.current(waitlist_id))

    @router.delete(WAITLIST, operation_id="deleteWaitlist")
    def delete_waitlist(waitlist_id: WaitlistId, if_match: IfMatch = None) -> Response[Any]:
        def delete(version: int | None = None) -> Response[Any]:
            waitlists.delete(waitlist_id, version)
            return Response(204)

        if if_match is None:
            return delete()
        return matched(waitlist_id, if_match, {}, lambda now: delete(now.version))

    @router.post(f"{WAITLIST}/confirm", operation_id="askAll")
    def ask_all(
        waitlist_id: WaitlistId, body: AskBody, cursor: Cursor = None, limit: Limit = 100
    ) -> AskAnswer:
        asked, following = questions.ask(
            AskCommand(
                waitlist_id=waitlist_id,
                by=identify_operator(router.current_event.raw_event),
                cursor=cursor,
                limit=limit,
                **body.model_dump(),
            )
        )
        return AskAnswer(asked=asked, cursor=following)

    return router


def _wanted(body: WaitlistBody) -> WaitlistSettings:
    """Return the settings in a request.

    Raise InvalidFields if the settings contradict each other.
    """
    settings: WaitlistSettings = settings_in(WaitlistSettings, body)
    if found := contradictions(settings):
        raise InvalidFields(
            *(FieldError(f"body.{rule.settings[0]}", rule.message) for rule in found)
        )
    return settings


def _warning(rule: Rule) -> WarningAnswer:
    return WarningAnswer(code=rule.code, message=rule.message, settings=list(rule.settings))


def _etag(record: WaitlistRecord) -> str:
    return f'"{record.version}"'


def _settings(record: WaitlistRecord) -> dict[str, Any]:
    """Return the stored settings in the format of a request body."""
    found = _config(record, []).model_dump(
        mode="json", by_alias=True, include=set(WaitlistBody.model_fields)
    )
    return dict(found)


def _differences(now: WaitlistRecord, sent: Mapping[str, Any]) -> list[FieldError]:
    """Return the settings whose stored value differs from the value in the request."""
    stored = _settings(now)
    return [
        FieldError(f"body.{name}", f"is {json.dumps(stored[name])} now")
        for name, value in sent.items()
        if name in stored and stored[name] != value
    ]


def _progress(rebuild: RebuildProgress | None) -> RebuildAnswer | None:
    return None if rebuild is None else RebuildAnswer(done=rebuild.done, total=rebuild.total)


def _config(record: WaitlistRecord, warnings: list[WarningAnswer]) -> WaitlistConfigAnswer:
    return WaitlistConfigAnswer(
        waitlist_id=record.waitlist_id,
        **shown(record.settings),
        segments_state=record.segments_state,
        rebuild=_progress(record.rebuild),
        warnings=warnings,
        version=record.version,
        created_at=iso(record.created_millis),
        updated_at=iso(record.updated_millis),
    )
