"""API Gateway's rate limits.

If there are too many requests, the response has status 429. Each limited route has a token bucket.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Self

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tools.local.routes import Routes

SIGNUP_RATE = {"Ref": "SignupRateLimit"}
# The ratio of the burst limit to the rate limit. The template's defaults have the same ratio.
BURST_SECONDS = 2


class Bucket:
    """A token bucket that gains `rate` tokens per second.

    It holds at most as many tokens as it gains in `BURST_SECONDS`.
    """

    def __init__(self, rate: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._monotonic = monotonic
        self._tokens = float(rate * BURST_SECONDS)
        self._filled_at = monotonic()

    def take(self) -> bool:
        """Return False if the bucket is empty."""
        now = self._monotonic()
        come = (now - self._filled_at) * self._rate
        self._tokens = min(self._tokens + come, self._rate * BURST_SECONDS)
        self._filled_at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class RateLimits:
    """The token buckets of all routes with the template's signup limit, by route key."""

    def __init__(self, routes: Routes, buckets: Mapping[str, Bucket]) -> None:
        self._routes = routes
        self._buckets = buckets

    @classmethod
    def from_template(
        cls,
        template: Mapping[str, Any],
        signups_per_second: int,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> Self:
        settings = template["Resources"]["Api"]["Properties"]["RouteSettings"]
        limited = [
            route_key
            for route_key, route in settings.items()
            if route["ThrottlingRateLimit"] == SIGNUP_RATE
        ]
        buckets = {route_key: Bucket(signups_per_second, monotonic) for route_key in limited}
        return cls(Routes.from_template(dict(template)), buckets)

    def let_pass(self, method: str, path: str) -> bool:
        bucket = self._buckets.get(self._routes.match(method, path).route_key)
        return bucket is None or bucket.take()


class RateLimited:
    """A middleware that refuses requests above the rate limits, without reading their bodies or
    calling a function.
    """

    def __init__(self, app: ASGIApp, limits: RateLimits) -> None:
        self._app = app
        self._limits = limits
        # The response that API Gateway sends above the rate limit. An HTTP API cannot add
        # Retry-After to it.
        self._refusal = JSONResponse({"message": "Too Many Requests"}, 429)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._limits.let_pass(scope["method"], scope["raw_path"].decode("latin-1")):
            await self._app(scope, receive, send)
        else:
            await self._refusal(scope, receive, send)
