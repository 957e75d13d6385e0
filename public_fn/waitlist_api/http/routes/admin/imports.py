"""Operators' route of imports."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.credentials import operator_of
from waitlist_api.entries.issue_token import TokenIssuer, TokenOf
from waitlist_api.errors import MAX_ROW_DETAIL_BYTES, MAX_ROW_ERRORS, InvalidFields, cut
from waitlist_api.http.errors import code_of
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.common import FieldProblem
from waitlist_api.http.schemas.imports import (
    ImportAnswer,
    ImportBody,
    ImportResultAnswer,
    ImportRowBody,
)
from waitlist_api.imports.rows import ImportedRow, ImportRow
from waitlist_api.imports.service import Imports
from waitlist_shared.errors import InternalError, WaitlistError

IMPORT = "/v1/admin/waitlists/<waitlist_id>/import"
ROUTE_KEY = f"POST {IMPORT}".replace("<waitlist_id>", "{waitlist_id}")


def is_import(event: Mapping[str, Any]) -> bool:
    """Return whether a request is an import, whose body may be larger than others."""
    return event.get("routeKey") == ROUTE_KEY


def admin_import_routes(imports: Imports, token_issuer: TokenIssuer) -> APIGatewayHttpRouter:
    """Return the operators' route of imports."""
    router = APIGatewayHttpRouter()

    @router.post(IMPORT, operation_id="importEntries")
    def import_entries(waitlist_id: WaitlistId, body: ImportBody) -> Response[ImportAnswer]:
        by = operator_of(router.current_event.raw_event)
        # Raises before the import writes anything if this stack issues no tokens.
        token_of = token_issuer.signer() if body.entry_tokens else None
        read = [(number, one) for number, one in enumerate(body.rows)]
        good = {number: _row(one) for number, one in read if isinstance(one, ImportRowBody)}
        results = {
            number: _refused(number, one) for number, one in read if isinstance(one, WaitlistError)
        }
        people = imports.put_in_line(waitlist_id, list(good.values()), by, body.ended, body.on_list)
        results |= {n: _result(n, one, token_of) for n, one in zip(good, people, strict=True)}
        return secret(_answer([results[number] for number in sorted(results)]))

    return router


def _row(body: ImportRowBody) -> ImportRow:
    return ImportRow(**dict(body))


def _answer(results: list[ImportResultAnswer]) -> ImportAnswer:
    counts = Counter(one.outcome for one in results)
    return ImportAnswer(
        joined=counts["joined"],
        already=counts["already"],
        ended=counts["ended"],
        refused=counts["refused"],
        warnings=sum(one.warning is not None for one in results),
        results=results,
    )


def _result(number: int, one: ImportedRow, token_of: TokenOf | None) -> ImportResultAnswer:
    if one.outcome is None or one.refusal is not None:
        return _refused(number, one.refusal or InternalError(), one.entry_id)
    token = None
    if token_of is not None and one.ticket is not None:
        token = token_of(one.waitlist_id, one.entry_id, one.ticket)
    return ImportResultAnswer(
        row=number,
        outcome=one.outcome,
        warning=one.warning,
        entry_id=one.entry_id,
        entry_token=token,
    )


def _refused(
    number: int, refusal: WaitlistError, entry_id: str | None = None
) -> ImportResultAnswer:
    errors = None
    if isinstance(refusal, InvalidFields):
        listed = refusal.errors[:MAX_ROW_ERRORS]
        errors = [FieldProblem(field=one.field, message=one.message) for one in listed]
    return ImportResultAnswer(
        row=number,
        outcome="refused",
        entry_id=entry_id,
        code=code_of(refusal),
        detail=cut(refusal.message, MAX_ROW_DETAIL_BYTES),
        errors=errors,
    )
