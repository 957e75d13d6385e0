"""The providers that tell people from bots, and what an answer of theirs means. No I/O."""

from collections.abc import Collection, Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

Name = Literal["turnstile", "hcaptcha"]
Verdict = Literal["person", "refused", "wrong_secret", "no_verdict"]
# What the widget of the page is for; a token of another form of the same site is refused.
ACTION = "signup"
# The codes that blame the stack's secret, whatever the token is. The token of a caller can cause
# any other code: a token of another site causes `sitekey-secret-mismatch`, and the token of the
# provider's test keys causes `not-using-dummy-secret`.
WRONG_SECRET = {"invalid-input-secret", "missing-input-secret"}
OUT_OF_ORDER = "internal-error"


class Provider(Struct, frozen=True, kw_only=True):
    """Where a provider is asked, and what its widget needs of a page.

    `directives` are those of the page's Content-Security-Policy that get the `sources` added. One
    that `names_action` states the widget's action in its answers. One that `repeats` answers a
    repeated question with the same key as it answered the first; the others call it a duplicate.
    No token of its widget is longer than `max_token_length`.
    """

    name: Name
    verify_url: str
    script_url: str
    sources: str
    directives: tuple[str, ...]
    max_token_length: int
    names_action: bool = False
    repeats: bool = False

    def at(self, verify_url: str, script_url: str) -> "Provider":
        """Return the provider with a stand-in's addresses; an empty one keeps the provider's."""
        parts = urlsplit(script_url)
        return replace(
            self,
            verify_url=verify_url or self.verify_url,
            script_url=script_url or self.script_url,
            sources=f"{parts.scheme}://{parts.netloc}" if script_url else self.sources,
        )

    def question(self, secret: str, site_key: str, token: str, once_key: str) -> dict[str, str]:
        """Return the fields of a question about a token; a repeat has the same `once_key`."""
        fields = {"secret": secret, "response": token}
        if self.repeats:
            return {**fields, "idempotency_key": once_key}
        return {**fields, "sitekey": site_key}

    def verdict(self, answer: Any, hostnames: Collection[str]) -> Verdict:
        """Return what an answer says about a token of a page of these hosts; `*` is any."""
        if not isinstance(answer, Mapping) or not isinstance(answer.get("success"), bool):
            return "no_verdict"
        if not answer["success"]:
            return _reason(answer.get("error-codes"))
        if "*" not in hostnames and answer.get("hostname") not in hostnames:
            return "refused"
        if self.names_action and answer.get("action") != ACTION:
            return "refused"
        return "person"


def _reason(codes: Any) -> Verdict:
    given = {one for one in codes if isinstance(one, str)} if isinstance(codes, list) else set()
    if given & WRONG_SECRET:
        return "wrong_secret"
    return "no_verdict" if OUT_OF_ORDER in given else "refused"


PROVIDERS: dict[str, Provider] = {
    "turnstile": Provider(
        name="turnstile",
        verify_url="https://challenges.cloudflare.com/turnstile/v0/siteverify",
        script_url="https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit",
        sources="https://challenges.cloudflare.com",
        directives=("script-src", "frame-src"),
        # The documentation of Turnstile says so.
        max_token_length=2048,
        names_action=True,
        repeats=True,
    ),
    "hcaptcha": Provider(
        name="hcaptcha",
        verify_url="https://api.hcaptcha.com/siteverify",
        script_url="https://js.hcaptcha.com/1/api.js?render=explicit",
        sources="https://hcaptcha.com https://*.hcaptcha.com",
        directives=("script-src", "frame-src", "style-src", "connect-src"),
        # hCaptcha documents no length. The schema of signups has this limit.
        max_token_length=8192,
    ),
}
