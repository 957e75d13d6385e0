"""Routes that publish the OpenID Connect discovery document, and the public keys that sites use to
check passes.
"""

from typing import Any

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.auth.passes import Passes
from waitlist_api.http.operation import Answer, anyone
from waitlist_api.http.request import Request
from waitlist_api.http.schemas.passes import DiscoveryAnswer, KeysAnswer

# Caches must not keep the public keys for long, because all sites must already know a new key when
# it signs its first pass.
CACHE_SECONDS = 300
CACHE_CONTROL = f"public, max-age={CACHE_SECONDS}"


class Routes(Struct, frozen=True):
    passes: Passes
    request: Request

    @anyone(
        "Get the OpenID Connect discovery document",
        Answer(
            200,
            "The discovery document, which contains the public keys' URL",
            headers="public_cache",
        ),
    )
    def get_pass_issuer(self) -> Response[DiscoveryAnswer]:
        """JWT authorizers and libraries read this document (OpenID Connect Discovery) to find the
        public keys for verifying a pass.
        """
        found = self.passes.discovery(self.request.base_url)
        return _cacheable(DiscoveryAnswer(**found))

    @anyone(
        "Get the public keys that verify passes",
        Answer(200, "The public keys", headers="public_cache"),
        problems=("keys_unavailable",),
    )
    def get_pass_keys(self) -> Response[KeysAnswer]:
        """A new key is published before it signs its first pass. An old key stays published until
        the last pass that it signed has expired.
        """
        return _cacheable(KeysAnswer.model_validate(self.passes.jwks()))


def _cacheable(answer: Any) -> Response[Any]:
    return Response(200, "application/json", answer, {"Cache-Control": CACHE_CONTROL})
