"""Operators' route of imports."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from msgspec import Struct

from waitlist_api.auth.credentials import operator_of
from waitlist_api.entries.identify import CUSTOMER_ID, Identities
from waitlist_api.entries.issue_token import TokenIssuer, TokenOf, link_with
from waitlist_api.errors import MAX_ROW_DETAIL_BYTES, MAX_ROW_ERRORS, FieldError, InvalidFields, cut
from waitlist_api.http.errors import code_of
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.routes.passes import base_url_of
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
NO_CUSTOMER = FieldError(CUSTOMER_ID, "Field required")
ROUTE_KEY = f"POST {IMPORT}".replace("<waitlist_id>", "{waitlist_id}")


def is_import(event: Mapping[str, Any]) -> bool:
    """Return whether a request is an import, whose body may be larger than others."""
    return event.get("routeKey") == ROUTE_KEY


class Links(Struct, frozen=True):
    """Signs the tokens of an answer, and writes the links with them."""

    token_of: TokenOf
    base_url: str


def admin_import_routes(
    imports: Imports,
    token_issuer: TokenIssuer,
    identities: Identities | None,
    public_url: str = "",
) -> APIGatewayHttpRouter:
    """Return the operators' route of imports; without `identities` customers have accounts."""
    router = APIGatewayHttpRouter()

    @router.post(IMPORT, operation_id="importEntries")
    def import_entries(waitlist_id: WaitlistId, body: ImportBody) -> Response[ImportAnswer]:
        by = operator_of(router.current_event.raw_event)
        # Raises before the import writes anything if this stack issues no tokens.
        links = None
        if body.entry_tokens and not body.dry_run:
            base_url = public_url or base_url_of(router.current_event.raw_event)
            links = Links(token_issuer.signer(), base_url)
        read = list(enumerate(_identified(identities, waitlist_id, body.rows)))
        good = {number: one for number, one in read if isinstance(one, ImportRow)}
        results = {
            number: _refused(number, one) for number, one in read if isinstance(one, WaitlistError)
        }
        rows = list(good.values())
        if body.dry_run:
            people = imports.try_out(waitlist_id, rows, body.ended, body.on_list)
        else:
            people = imports.put_in_line(waitlist_id, rows, by, body.ended, body.on_list)
        results |= {n: _result(n, one, links) for n, one in zip(good, people, strict=True)}
        return secret(_answer([results[number] for number in sorted(results)]))

    return router


def _identified(
    identities: Identities | None, waitlist_id: str, rows: Sequence[ImportRowBody | WaitlistError]
) -> Iterator[ImportRow | WaitlistError]:
    """Yield the rows, each with its customer id, and what refuses the others."""
    identify = None
    for one in rows:
        if isinstance(one, WaitlistError):
            yield one
        elif one.customer_id is not None:
            yield one.row()
        elif identities is None:
            yield InvalidFields(NO_CUSTOMER)
        else:
            identify = identify or identities.by_profile(waitlist_id)
            try:
                yield one.row(customer_id=identify(one.profile), identify=identify)
            except InvalidFields as refusal:
                yield refusal


def _answer(results: list[ImportResultAnswer]) -> ImportAnswer:
    counts = Counter(one.outcome for one in results)
    return ImportAnswer(
        joined=counts["joined"],
        already=counts["already"],
        ended=counts["ended"],
        banned=counts["banned"],
        refused=counts["refused"],
        without_address=sum(one.has_no_address for one in results),
        warnings=sum(one.warning is not None for one in results),
        results=results,
    )


def _result(number: int, one: ImportedRow, links: Links | None) -> ImportResultAnswer:
    if one.outcome is None or one.refusal is not None:
        return _refused(number, one.refusal or InternalError(), one.entry_id)
    token = link = None
    if links is not None and one.ticket is not None:
        token = links.token_of(one.waitlist_id, one.entry_id, one.ticket)
        link = link_with(one.waitlist_id, one.entry_id, token, links.base_url)
    return ImportResultAnswer(
        row=number,
        outcome=one.outcome,
        warning=one.warning,
        entry_id=one.entry_id,
        entry_token=token,
        link=link,
        has_no_address=one.has_no_address,
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
