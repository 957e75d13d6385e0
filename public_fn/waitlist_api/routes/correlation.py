"""Says of every operation, in the OpenAPI document, by which id its lines are found in the logs."""

from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.models import (
    Components,
    Header,
    OpenAPI,
    Operation,
    Parameter,
    ParameterInType,
    PathItem,
    Reference,
)

from waitlist_api.routes.documentation import BY_THE_GATEWAY
from waitlist_api.telling.request_lines import HEADER
from waitlist_shared.correlation import GIVEN

# No pattern: any other value is replaced, and refuses nothing.
_ASKED = Parameter(
    name=HEADER,
    description="An id of the client's own, a UUID or a ULID, by which all that is logged of this "
    "request is found. Anything else is replaced: it could name a person.",
    required=False,
    **{"in": ParameterInType.header, "schema": {"type": "string"}},  # type: ignore[arg-type]
)
_ANSWERED = {
    "description": "The id by which all that is logged of this request is found.",
    "schema": {"type": "string", "pattern": "^" + GIVEN.pattern.removesuffix(r"\Z") + "$"},
}
ALWAYS, UNLESS_BY_THE_GATEWAY = "CorrelationId", "CorrelationIdOfTheService"
_HEADERS: dict[str, Header | Reference] = {
    ALWAYS: Header(**_ANSWERED, required=True),  # type: ignore[arg-type]
    # What API Gateway answers by itself has its own `apigw-requestid` alone.
    UNLESS_BY_THE_GATEWAY: Header(**_ANSWERED, required=False),  # type: ignore[arg-type]
}
METHODS = ("get", "put", "post", "delete", "patch")


class CorrelatedResolver(APIGatewayHttpResolver):
    """Powertools' resolver, whose document tells of what the routes themselves do not see."""

    def get_openapi_schema(self, **options: Any) -> OpenAPI:
        """Return the document, with the header of requests and answers at each operation."""
        document = super().get_openapi_schema(**options)
        document.components = document.components or Components()
        document.components.headers = _HEADERS
        for path in (document.paths or {}).values():
            for operation in _operations(path):
                operation.parameters = [*(operation.parameters or []), _ASKED]
                for status, response in (operation.responses or {}).items():
                    name = UNLESS_BY_THE_GATEWAY if status in BY_THE_GATEWAY else ALWAYS
                    reference = Reference(**{"$ref": f"#/components/headers/{name}"})
                    response.headers = {**(response.headers or {}), HEADER: reference}
        return document


def _operations(path: PathItem) -> list[Operation]:
    return [one for method in METHODS if (one := getattr(path, method)) is not None]
