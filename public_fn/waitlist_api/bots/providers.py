"""The providers that tell people from bots, and what an answer of theirs means. No I/O."""

import hashlib
import uuid
from collections.abc import Collection, Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

Name = Literal["turnstile", "hcaptcha"]
Verdict = Literal["person", "refused", "wrong_secret", "no_verdict"]
# What the widget of the page is for; a token of another form of the same site is refused.
ACTION = "signup"
# Of the stack's secret, not of the customer's token.
WRONG_SECRET = {
    "invalid-input-secret",
    "invalid-or-already-seen-secret",
    "missing-input-secret",
    "not-using-dummy-secret",
    "sitekey-secret-mismatch",
}
OUT_OF_ORDER = "internal-error"


class Provider(Struct, frozen=True, kw_only=True):
    """Where a provider is asked, and what its widget needs of a page.

    `directives` are those of the page's Content-Security-Policy that get the `sources` added. One
    that `names_action` states the widget's action in its answers. One that `repeats` answers a
    repeated question with the same key as it answered the first; the others call it a duplicate.
    """

    name: Name
    verify_url: str
    script_url: str
    sources: str
    directives: tuple[str, ...]
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

    def question(self, secret: str, site_key: str, token: str, entry_id: str) -> dict[str, str]:
        """Return the fields of a question about a token that came with the signup of an entry."""
        fields = {"secret": secret, "response": token}
        if self.repeats:
            return {**fields, "idempotency_key": once_key(token, entry_id)}
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


def once_key(token: str, entry_id: str) -> str:
    """Return the key of a question: the same token for another entry is another question."""
    digest = hashlib.sha256(f"{entry_id}\0{token}".encode()).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


PROVIDERS: dict[str, Provider] = {
    "turnstile": Provider(
        name="turnstile",
        verify_url="https://challenges.cloudflare.com/turnstile/v0/siteverify",
        script_url="https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit",
        sources="https://challenges.cloudflare.com",
        directives=("script-src", "frame-src"),
        names_action=True,
        repeats=True,
    ),
    "hcaptcha": Provider(
        name="hcaptcha",
        verify_url="https://api.hcaptcha.com/siteverify",
        script_url="https://js.hcaptcha.com/1/api.js?render=explicit",
        sources="https://hcaptcha.com https://*.hcaptcha.com",
        directives=("script-src", "frame-src", "style-src", "connect-src"),
    ),
}
