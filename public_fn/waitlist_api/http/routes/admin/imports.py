"""Operator routes that import entries."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import get_args

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.auth.passes import Passes
from waitlist_api.entries.identify import CUSTOMER_ID, Identities
from waitlist_api.entries.issue_token import TokenIssuer, TokenOf, link_with
from waitlist_api.errors import MAX_ROW_DETAIL_BYTES, MAX_ROW_ERRORS, FieldError, InvalidFields, cut
from waitlist_api.http import json_body
from waitlist_api.http.errors import code_of
from waitlist_api.http.operation import Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.imports import (
    MAX_IMPORT_BYTES,
    ImportAnswer,
    ImportBody,
    ImportResultAnswer,
    ImportResultWithTokenAnswer,
    ImportRowBody,
    ImportWithTokensAnswer,
)
from waitlist_api.http.schemas.problem import FieldProblem
from waitlist_api.imports.rows import ImportedRow, ImportRow, Outcome, RowWarning
from waitlist_api.imports.service import Imports
from waitlist_shared.errors import InternalError, WaitlistError

# The result of an imported row, or the reason why the row was refused.
Row = ImportedRow | WaitlistError
NO_CUSTOMER = FieldError(CUSTOMER_ID, "is required")
# An import's rows are checked one by one after the request is parsed, so an invalid row is refused
# without failing the whole request.
import_route = partial(
    operator, audit="each_request", max_body_bytes=MAX_IMPORT_BYTES, parse=json_body.parse
)


class Links(Struct, frozen=True):
    """Creates an entry token and a link for each imported row."""

    waitlist_id: str
    token_of: TokenOf
    base_url: str


class Routes(Struct, frozen=True):
    imports: Imports
    token_issuer: TokenIssuer
    identities: Identities | None
    passes: Passes
    request: Request

    @import_route(
        "Import up to 500 entries, even into a closed waitlist",
        Answer(200, "The outcome of each row", headers="no_store"),
        problems=("rebuilding",),
    )
    def import_entries(self, waitlist_id: WaitlistId, body: ImportBody) -> Response[ImportAnswer]:
        """Each row is validated separately. If the waitlist's page asks for an email address or a
        telephone number, the row must have such an address or number, or no answer. Invalid rows
        are refused, and all other rows are imported in the order of the request. It is safe to
        repeat an import. Customers who are already on the waitlist are reported as `already`.
        Customers who have left or were admitted are reported as `ended`, unless the request's
        `ended` is `rejoin`. The body may have at most 2 MB.
        """
        results = [_result(number, row) for number, row in self._imported(waitlist_id, body)]
        return secret(ImportAnswer(**_counts(results), results=results))

    # IAM permissions apply to whole routes. Imports that return tokens have their own route, so
    # that an operator can be allowed to import entries but not to get tokens.
    @import_route(
        "Import entries and get their entry tokens",
        Answer(200, "The outcome and the entry token of each row", headers="no_store"),
        problems=("no_entry_tokens", "rebuilding"),
    )
    def import_with_tokens(
        self, waitlist_id: WaitlistId, body: ImportBody
    ) -> Response[ImportWithTokensAnswer]:
        """This operation works like `importEntries`, but the response also contains the entry
        tokens of the imported customers. Anyone who has a token can act as the customer. That is
        why this operation has its own IAM permission. If customers sign in with an OIDC issuer, the
        request fails with `no_entry_tokens`.
        """
        # If customers have accounts, the stack issues no entry tokens, and `signer` raises an
        # error. Call it before the import, so that it fails before any row is written.
        base_url = self.passes.issuer or self.request.base_url
        links = Links(waitlist_id, self.token_issuer.signer(), base_url)
        results = [
            _with_token(_result(number, row), row, None if body.dry_run else links)
            for number, row in self._imported(waitlist_id, body)
        ]
        return secret(ImportWithTokensAnswer(**_counts(results), results=results))

    def _imported(self, waitlist_id: str, body: ImportBody) -> list[tuple[int, Row]]:
        """Import the rows. Return each row's number and result."""
        by = self.request.operator
        read = list(enumerate(_identified(self.identities, waitlist_id, body.rows)))
        valid = {number: row for number, row in read if isinstance(row, ImportRow)}
        found: dict[int, Row] = {
            number: row for number, row in read if isinstance(row, WaitlistError)
        }
        rows = list(valid.values())
        if body.dry_run:
            people = self.imports.preview(waitlist_id, rows, body.ended, body.on_list)
        else:
            people = self.imports.import_rows(waitlist_id, rows, by, body.ended, body.on_list)
        found |= zip(valid, people, strict=True)
        return sorted(found.items(), key=itemgetter(0))


def _identified(
    identities: Identities | None, waitlist_id: str, rows: Sequence[ImportRowBody | WaitlistError]
) -> Iterator[ImportRow | WaitlistError]:
    """Yield each row with its customer id, or the reason why it is refused."""
    identify = None
    for row in rows:
        if isinstance(row, WaitlistError):
            yield row
        elif row.customer_id is not None:
            found = identities and identities.find_customer_id(waitlist_id, row.profile)
            yield row.to_import_row(is_beside_address=found not in (None, row.customer_id))
        elif identities is None:
            yield InvalidFields(NO_CUSTOMER)
        else:
            identify = identify or identities.profile_identifier(waitlist_id)
            try:
                yield row.to_import_row(customer_id=identify(row.profile), identify=identify)
            except InvalidFields as refusal:
                yield refusal


def _counts(results: Sequence[ImportResultAnswer]) -> dict[str, int]:
    outcomes = Counter(result.outcome for result in results)
    return {
        **{name: outcomes[name] for name in get_args(Outcome)},
        "without_address": sum(result.has_no_address for result in results),
        "warnings": sum(result.warning is not None for result in results),
    }


def _result(number: int, row: Row) -> ImportResultAnswer:
    if isinstance(row, WaitlistError):
        return _refused(number, row)
    if row.outcome is None or row.refusal is not None:
        return _refused(number, row.refusal or InternalError(), row.entry_id)
    return ImportResultAnswer(
        row=number,
        outcome=row.outcome,
        warning=_warning_of(row),
        entry_id=row.entry_id,
        has_no_address=row.has_no_address,
    )


def _warning_of(row: ImportedRow) -> RowWarning | None:
    return row.warning or ("another_address" if row.row.is_beside_address else None)


def _with_token(
    result: ImportResultAnswer, row: Row, links: Links | None
) -> ImportResultWithTokenAnswer:
    token = link = None
    ticket = row.ticket if isinstance(row, ImportedRow) and row.refusal is None else None
    if links is not None and ticket is not None and result.entry_id is not None:
        token = links.token_of(links.waitlist_id, result.entry_id, ticket)
        link = link_with(links.waitlist_id, result.entry_id, token, links.base_url)
    return ImportResultWithTokenAnswer(**dict(result), entry_token=token, link=link)


def _refused(
    number: int, refusal: WaitlistError, entry_id: str | None = None
) -> ImportResultAnswer:
    errors = None
    if isinstance(refusal, InvalidFields):
        listed = refusal.errors[:MAX_ROW_ERRORS]
        errors = [FieldProblem(field=error.field, message=error.message) for error in listed]
    return ImportResultAnswer(
        row=number,
        outcome="refused",
        entry_id=entry_id,
        code=code_of(refusal),
        detail=cut(refusal.message, MAX_ROW_DETAIL_BYTES),
        errors=errors,
    )
