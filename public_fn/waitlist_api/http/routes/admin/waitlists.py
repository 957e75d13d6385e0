"""Operator routes that read and change a waitlist's configuration."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api import cursors
from waitlist_api.auth.passes import Passes
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
from waitlist_api.http.operation import JSON, Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.routes.admin.params import Cursor, IfMatch, IfNoneMatch, Limit
from waitlist_api.http.routes.params import WaitlistId
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
from waitlist_api.settings.notice import Notice
from waitlist_api.settings.stack import Stack
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_api.waitlists.configure import Waitlists
from waitlist_api.waitlists.setting_needs import Rule, broken_rules, contradictions

MERGE_PATCH = "application/merge-patch+json"


class Routes(Struct, frozen=True):
    waitlists: Waitlists
    questions: Questions
    passes: Passes
    stack: Stack
    now_millis: NowMillis
    request: Request

    def _config(self, record: WaitlistRecord) -> WaitlistConfigAnswer:
        warnings = broken_rules(record.settings, self.stack, self.now_millis())
        return _config(
            record,
            [_warning(rule) for rule in warnings],
            self._page_url(record.waitlist_id),
            record.notice_at(self.now_millis()),
        )

    def _page_url(self, waitlist_id: str) -> str | None:
        """Return the URL of the customer page, or None if customers cannot join on this page."""
        if self.stack.has_accounts:
            return None
        return f"{self.passes.issuer or self.request.base_url}/w/{waitlist_id}"

    def _answer(
        self, record: WaitlistRecord, is_new: bool = False
    ) -> Response[WaitlistConfigAnswer]:
        headers: dict[str, str | list[str]] = {"ETag": _etag(record)}
        return Response(201 if is_new else 200, "application/json", self._config(record), headers)

    @operator(
        "List waitlists",
        Answer(200, "A page of waitlists, sorted by id", links="next_page"),
        problems=("record_unavailable",),
    )
    def list_waitlists(self, cursor: Cursor = None, limit: Limit = 100) -> WaitlistsAnswer:
        records, following = self.waitlists.page(cursors.decode_text(cursor), limit)
        return WaitlistsAnswer(
            waitlists=[self._config(record) for record in records], cursor=cursors.encode(following)
        )

    def _matched(
        self,
        waitlist_id: str,
        if_match: str | None,
        sent: Mapping[str, Any],
        act: Callable[[WaitlistRecord], Response[Any]],
    ) -> Response[Any]:
        """Call `act` with the current waitlist, and return its response.

        Raise SettingsChanged if the request has an `If-Match` header that does not match the
        current version of the settings.
        """

        def checked(now: WaitlistRecord) -> Response[Any]:
            if if_match is not None and not is_named(_etag(now), if_match):
                raise SettingsChanged(*_differences(now, sent))
            return act(now)

        return self.waitlists.on_current(waitlist_id, checked)

    def _replaced(
        self, waitlist_id: str, body: WaitlistBody, version: int | None = None
    ) -> Response[WaitlistConfigAnswer]:
        return self._answer(*self.waitlists.put(waitlist_id, _wanted(body), version))

    def _created(self, waitlist_id: str, body: WaitlistBody) -> Response[WaitlistConfigAnswer]:
        new = self.waitlists.create(waitlist_id, _wanted(body))
        if new is not None:
            return self._answer(new, is_new=True)
        try:
            now = self.waitlists.current(waitlist_id)
        except WaitlistNotFound as error:
            raise WaitlistDeleting from error
        raise WaitlistExists(*_differences(now, body.model_dump(mode="json")))

    @operator(
        "Create a waitlist, or replace its whole configuration",
        Answer(201, "The new waitlist", links="waitlist", headers="etag"),
        (Answer(200, "The changed waitlist", links="waitlist", headers="etag"),),
        problems=("waitlist_deleting", "settings_changed", "waitlist_exists"),
        audit="each_request",
    )
    def put_waitlist(
        self,
        waitlist_id: WaitlistId,
        body: WaitlistBody,
        if_match: IfMatch = None,
        if_none_match: IfNoneMatch = None,
    ) -> Response[WaitlistConfigAnswer]:
        """A request with `If-None-Match: *` creates a new waitlist, and never replaces an existing
        one.
        """
        if if_match is not None and if_none_match is not None:
            raise InvalidFields(
                FieldError("header.if-none-match", "must not be sent together with If-Match")
            )
        if if_none_match is not None:
            return self._created(waitlist_id, body)
        if if_match is None:
            return self._replaced(waitlist_id, body)
        sent = body.model_dump(mode="json")
        return self._matched(
            waitlist_id, if_match, sent, lambda now: self._replaced(waitlist_id, body, now.version)
        )

    @operator(
        "Change some of a waitlist's settings",
        Answer(200, "The changed waitlist", links="waitlist", headers="etag"),
        problems=("waitlist_deleting", "settings_changed", "rebuilding"),
        audit="each_request",
        # No other operation accepts the media type of a merge patch. For example, a PATCH request
        # for an entry replaces the whole profile, so it would delete every field that a merge patch
        # leaves out.
        media_types=(JSON, MERGE_PATCH, ""),
    )
    def change_waitlist(
        self, waitlist_id: WaitlistId, body: WaitlistPatch, if_match: IfMatch = None
    ) -> Response[WaitlistConfigAnswer]:
        """The body is a JSON Merge Patch (RFC 7396). Its media type is
        `application/merge-patch+json` or `application/json`.

        If two operators change different settings at the same time, both changes are kept. If they
        change the same setting, the later change wins. With `If-Match`, the later change is refused
        instead. A request that changes nothing does not create a new version.
        """

        def change(now: WaitlistRecord) -> Response[WaitlistConfigAnswer]:
            return self._replaced(waitlist_id, body.merged(_settings(now)), now.version)

        return self._matched(waitlist_id, if_match, body.given, change)

    @operator(
        "Get a waitlist's configuration",
        Answer(200, "The waitlist", headers="etag"),
    )
    def get_waitlist_config(self, waitlist_id: WaitlistId) -> Response[WaitlistConfigAnswer]:
        return self._answer(self.waitlists.current(waitlist_id))

    @operator(
        "Delete a waitlist and all its entries",
        Answer(204, "The waitlist is deleted"),
        problems=("settings_changed",),
        audit="each_request",
    )
    def delete_waitlist(self, waitlist_id: WaitlistId, if_match: IfMatch = None) -> Response[Any]:
        """The waitlist disappears at once. Its records are erased in the background."""

        def delete(version: int | None = None) -> Response[Any]:
            self.waitlists.delete(waitlist_id, version)
            return Response(204)

        if if_match is None:
            return delete()
        return self._matched(waitlist_id, if_match, {}, lambda now: delete(now.version))

    @operator(
        "Ask customers now whether they are still waiting",
        Answer(200, "The number of entries on this page that were asked"),
        problems=("confirm_off", "rebuilding"),
    )
    def ask_all(
        self, waitlist_id: WaitlistId, body: AskBody, cursor: Cursor = None, limit: Limit = 100
    ) -> AskAnswer:
        """This operation asks customers whether they are still waiting. It skips customers who have
        already been asked, and customers whose entries are not ready.

        Each request processes one page of entries. Repeat the request with the returned `cursor`
        until `cursor` is null.
        """
        asked, following = self.questions.ask(
            AskCommand(
                waitlist_id=waitlist_id,
                by=self.request.operator,
                cursor=cursor,
                limit=limit,
                **body.model_dump(),
            )
        )
        return AskAnswer(asked=asked, cursor=following)


def _wanted(body: WaitlistBody) -> WaitlistSettings:
    """Return the waitlist settings in a request body.

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
    """Return the settings in the request whose values differ from the stored ones."""
    stored = _settings(now)
    return [
        FieldError(f"body.{name}", f"is {json.dumps(stored[name])} now")
        for name, value in sent.items()
        if name in stored and stored[name] != value
    ]


def _progress(rebuild: RebuildProgress | None) -> RebuildAnswer | None:
    return None if rebuild is None else RebuildAnswer(done=rebuild.done, total=rebuild.total)


def _config(
    record: WaitlistRecord,
    warnings: list[WarningAnswer],
    page_url: str | None = None,
    notice: Notice | None = None,
) -> WaitlistConfigAnswer:
    return WaitlistConfigAnswer(
        waitlist_id=record.waitlist_id,
        **shown(record.settings),
        page_url=page_url,
        segments_state=record.segments_state,
        rebuild=_progress(record.rebuild),
        warnings=warnings,
        notice=shown(notice),
        version=record.version,
        created_at=iso(record.created_millis),
        updated_at=iso(record.updated_millis),
    )
