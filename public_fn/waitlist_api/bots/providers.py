"""The supported bot-protection providers, and how to interpret their answers.

This module does no I/O.
"""

from collections.abc import Collection, Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

Name = Literal["turnstile", "hcaptcha"]
Verdict = Literal["person", "refused", "wrong_secret", "no_verdict"]
# The action name that the customer page passes to the widget. The provider stores it in each token,
# so tokens from other forms on the same site can be refused.
ACTION = "signup"
# These error codes mean that the provider rejects the stack's secret. Any other error code may be
# the fault of the guest's token.
WRONG_SECRET = {"invalid-input-secret", "missing-input-secret"}
OUT_OF_ORDER = "internal-error"


class Provider(Struct, frozen=True, kw_only=True):
    """A bot-protection provider and its widget.

    The Content-Security-Policy of a page with the widget must allow `sources` in each of the
    `directives`.
    """

    name: Name
    verify_url: str
    script_url: str
    sources: str
    directives: tuple[str, ...]
    max_token_length: int
    names_action: bool = False
    # True if the provider gives the same answer to a retry with the same idempotency key.
    repeats: bool = False

    def at(self, verify_url: str, script_url: str) -> "Provider":
        """Return a copy of the provider that uses a test server's URLs.

        If a URL is empty, the copy keeps the provider's own.
        """
        parts = urlsplit(script_url)
        return replace(
            self,
            verify_url=verify_url or self.verify_url,
            script_url=script_url or self.script_url,
            sources=f"{parts.scheme}://{parts.netloc}" if script_url else self.sources,
        )

    def question(self, secret: str, site_key: str, token: str, once_key: str) -> dict[str, str]:
        """Return the form fields of a request to check a token.

        A retry must use the same `once_key`.
        """
        fields = {"secret": secret, "response": token}
        if self.repeats:
            return {**fields, "idempotency_key": once_key}
        return {**fields, "sitekey": site_key}

    def verdict(self, answer: Any, hostnames: Collection[str]) -> Verdict:
        """Interpret the provider's answer.

        `hostnames` contains the allowed hosts, or `*` to allow any host.
        """
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
    given = {code for code in codes if isinstance(code, str)} if isinstance(codes, list) else set()
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
        # The maximum token length in Turnstile's documentation.
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
        # hCaptcha documents no maximum token length, so use the limit in the signup schema.
        max_token_length=8192,
    ),
}
