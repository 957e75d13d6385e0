"""The page that shows the OpenAPI document. Only the local server has a route for this page."""

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.http.openapi.document import DocumentedResolver
from waitlist_api.http.operation import anyone
from waitlist_api.http.request import Request
from waitlist_api.services import Services


class Routes(Struct, frozen=True):
    services: Services
    tokens: EntryTokens | None
    request: Request

    @anyone()
    def get_docs(self) -> Response[str]:
        resolver = DocumentedResolver(self.services, has_accounts=self.tokens is None)
        answer = resolver.resolve(self.request.event, None)  # type: ignore[arg-type]
        return Response(answer["statusCode"], answer["headers"]["Content-Type"], answer["body"])
