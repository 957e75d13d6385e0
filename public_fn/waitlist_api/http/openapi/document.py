"""Completes the OpenAPI document: correlation ids, security and named bodies of every operation."""

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

from waitlist_api.http.openapi.responses import BY_THE_GATEWAY
from waitlist_api.http.request_log import HEADER
from waitlist_api.http.schemas.entries import BumpBody, EditBody
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
# Powertools' own errors: every refusal is a Problem here.
UNUSED = ("HTTPValidationError", "ResponseValidationError", "ValidationError")
REF_TEMPLATE = "#/components/schemas/{model}"
METHODS = ("get", "put", "post", "delete", "patch")


class CorrelatedResolver(APIGatewayHttpResolver):
    """Powertools' resolver, whose document adds what the routes themselves do not declare."""

    def routes(self) -> list[tuple[str, str]]:
        """Return the method and the path of each route, with parameters as `<name>`."""
        return [(one.method, one.path) for one in (*self._static_routes, *self._dynamic_routes)]

    def get_openapi_schema(self, **options: Any) -> OpenAPI:
        """Return the document, with the header of requests and answers at each operation."""
        document = super().get_openapi_schema(**options)
        document.components = document.components or Components()
        document.components.headers = _HEADERS
        document.components.schemas = _schemas(document.components.schemas or {})
        for path in (document.paths or {}).values():
            for operation in _operations(path):
                # An empty list says that a route asks for no credentials; none says nothing.
                operation.security = operation.security or []
                for parameter in operation.parameters or []:
                    # Powertools writes them in lower case: generated code spells them as here.
                    if isinstance(parameter, Parameter) and parameter.in_ is ParameterInType.header:
                        parameter.name = parameter.name.title()
                operation.parameters = [*(operation.parameters or []), _ASKED]
                for status, response in (operation.responses or {}).items():
                    name = UNLESS_BY_THE_GATEWAY if status in BY_THE_GATEWAY else ALWAYS
                    reference = Reference(**{"$ref": f"#/components/headers/{name}"})
                    response.headers = {**(response.headers or {}), HEADER: reference}
        return document


def _schemas(generated: Mapping[str, Schema | Reference]) -> dict[str, Schema | Reference]:
    """Add the named bodies of a choice; leave out what Powertools adds and no route answers."""
    kept = {name: schema for name, schema in generated.items() if name not in UNUSED}
    choices: list[tuple[type[BaseModel], Literal["validation"]]] = [
        (one, "validation") for body in (BumpBody, EditBody) for one in body.choices()
    ]
    _, named = models_json_schema(choices, ref_template=REF_TEMPLATE)
    return kept | {name: Schema(**schema) for name, schema in named["$defs"].items()}


def _operations(path: PathItem) -> list[Operation]:
    return [one for method in METHODS if (one := getattr(path, method)) is not None]
