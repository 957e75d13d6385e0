"""Build the OpenAPI document from the routes and their declarations."""

from collections.abc import Mapping
from typing import Any, Literal

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
    Schema,
)
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from waitlist_api.http.openapi.responses import (
    BY_THE_GATEWAY,
    SECURITY_SCHEMES,
    SECURITY_SCHEMES_WITH_ISSUER,
    document_route,
)
from waitlist_api.http.request_log import HEADER
from waitlist_api.http.routing import add_route, all_routes
from waitlist_api.http.schemas.admin_entries import BumpBody, EditBody
from waitlist_api.http.schemas.problem import Problem
from waitlist_api.services import Services
from waitlist_shared.correlation import AWS_ID
from waitlist_shared.version import VERSION

# The service does not refuse a request whose id is neither a UUID nor a ULID, but replaces the id
# with its own. That is why the header's schema has no pattern.
_REQUEST_HEADER = Parameter(
    name=HEADER,
    description="The client's own id for this request, which must be a UUID or a ULID. Any other "
    "value is replaced. The id appears in each of the request's log lines.",
    required=False,
    **{"in": ParameterInType.header, "schema": {"type": "string"}},  # type: ignore[arg-type]
)
_RESPONSE_HEADER = {
    "description": "The id of this request, which appears in each of its log lines.",
    "schema": {"type": "string", "pattern": "^" + AWS_ID.pattern.removesuffix(r"\Z") + "$"},
}
ALWAYS, UNLESS_BY_THE_GATEWAY = "CorrelationId", "CorrelationIdOfTheService"
_HEADERS: dict[str, Header | Reference] = {
    ALWAYS: Header(**_RESPONSE_HEADER, required=True),  # type: ignore[arg-type]
    # Responses that API Gateway creates itself do not have this header. They have only
    # `apigw-requestid`.
    UNLESS_BY_THE_GATEWAY: Header(**_RESPONSE_HEADER, required=False),  # type: ignore[arg-type]
}
# The schemas that Powertools adds for its own validation errors. They are removed, because the API
# returns each error as a `Problem` instead.
UNUSED = ("HTTPValidationError", "ResponseValidationError", "ValidationError")
REF_TEMPLATE = "#/components/schemas/{model}"
METHODS = ("get", "put", "post", "delete", "patch")


class DocumentedResolver(APIGatewayHttpResolver):
    """A resolver that also serves the OpenAPI document at the path `/docs`."""

    def __init__(self, services: Services, *, has_accounts: bool) -> None:
        super().__init__(enable_validation=True)
        for route in all_routes(has_accounts=has_accounts):
            if route.operation.summary:
                documentation = document_route(route, has_accounts=has_accounts)
                add_route(self, route, services, **documentation)
        self.enable_swagger(
            path="/docs",
            title="Waiting list",
            version=VERSION,
            description="The waitlist API. Customers sign up for a waitlist, see their exact "
            "position, and can leave the waitlist. Operators reorder the waitlist and admit "
            "customers.",
            security_schemes=SECURITY_SCHEMES_WITH_ISSUER if has_accounts else SECURITY_SCHEMES,
        )

    def get_openapi_schema(self, **options: Any) -> OpenAPI:
        """Return the OpenAPI document with our own schemas and correlation ids."""
        document = super().get_openapi_schema(**options)
        document.components = document.components or Components()
        document.components.headers = _HEADERS
        document.components.schemas = _schemas(document.components.schemas or {})
        for path in (document.paths or {}).values():
            for operation in _operations(path):
                # If an operation needs no credentials, the document must say so with an empty
                # `security` list.
                operation.security = operation.security or []
                for parameter in operation.parameters or []:
                    # Use title case for header names, because generated clients show the names to
                    # their users.
                    if isinstance(parameter, Parameter) and parameter.in_ is ParameterInType.header:
                        parameter.name = parameter.name.title()
                operation.parameters = [*(operation.parameters or []), _REQUEST_HEADER]
                for status, response in (operation.responses or {}).items():
                    is_gateways = "application/json" in (response.content or {})
                    is_gateways = is_gateways and status in BY_THE_GATEWAY
                    name = UNLESS_BY_THE_GATEWAY if is_gateways else ALWAYS
                    reference = Reference(**{"$ref": f"#/components/headers/{name}"})
                    response.headers = {**(response.headers or {}), HEADER: reference}
        return document


def _schemas(generated: Mapping[str, Schema | Reference]) -> dict[str, Schema | Reference]:
    """Return the document's schemas, leaving out schemas that no route uses."""
    kept = {name: schema for name, schema in generated.items() if name not in UNUSED}
    models: list[tuple[type[BaseModel], Literal["validation"]]] = [
        (choice, "validation") for body in (BumpBody, EditBody) for choice in body.choices()
    ]
    # The routes refer to the error schema by name. If they contained the model instead, Powertools
    # would generate the schema again for each response of each route, and the whole document would
    # take twice as long.
    models.append((Problem, "validation"))
    _, named = models_json_schema(models, ref_template=REF_TEMPLATE)
    return kept | {name: Schema(**schema) for name, schema in named["$defs"].items()}


def _operations(path: PathItem) -> list[Operation]:
    found = (getattr(path, method) for method in METHODS)
    return [operation for operation in found if operation is not None]
