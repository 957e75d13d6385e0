"""Routes that publish the OpenID Connect discovery document and the public keys of passes."""

from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.passes import DISCOVERY_PATH, KEYS_PATH, Passes
from waitlist_api.http.edge import edge_url_of
from waitlist_api.http.schemas.passes import DiscoveryAnswer, KeysAnswer

# Caches must not keep the keys for long, so that verifiers know a new key before it signs its first
# pass.
CACHE_SECONDS = 300
CACHE_CONTROL = f"public, max-age={CACHE_SECONDS}"


def pass_routes(passes: Passes) -> APIGatewayHttpRouter:
    """Return the routes that verifiers of passes use."""
    router = APIGatewayHttpRouter()

    @router.get(DISCOVERY_PATH, operation_id="getPassIssuer")
    def get_pass_issuer() -> Response[DiscoveryAnswer]:
        found = passes.discovery(base_url_of(router.current_event.raw_event))
        return _cacheable(DiscoveryAnswer(**found))

    @router.get(KEYS_PATH, operation_id="getPassKeys")
    def get_pass_keys() -> Response[KeysAnswer]:
        return _cacheable(KeysAnswer.model_validate(passes.jwks()))

    return router


def base_url_of(event: dict[str, Any]) -> str:
    """Return the URL of CloudFront or, if the stack has no CloudFront, the URL of the API."""
    # Both URLs come from API Gateway, because a client could forge request headers.
    return edge_url_of(event) or f"https://{event['requestContext']['domainName']}"


def _cacheable(answer: Any) -> Response[Any]:
    return Response(200, "application/json", answer, {"Cache-Control": CACHE_CONTROL})
