"""Issues admission passes, and runs the pass checks from docs/app/admission-pass.md."""

import base64
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.rules.sources import ROOT
from tests.unit.tools.fakes import serving, url_of
from tools.local.http_message import json_response
from tools.local.kms import KEY_ARN, LocalKms
from waitlist_api.auth.passes import KmsKeys, Passes

WAITLIST_ID, ENTRY_ID = "bakery", "a" * 26
PASS_SECONDS = 600
# After these events, an app must refuse the passes whose ids (`jti`) are `one` and `three`, but
# still accept the pass `two`.
EVENTS = [
    {"event": "admitted", "jti": "two"},
    {"event": "exited", "jti": "one"},
    {"event": "joined", "jti": "three"},
    {"event": "joined", "jti": ""},
    {"event": "erased"},
]
DOCUMENT = ROOT / "docs" / "app" / "admission-pass.md"
DOCUMENTED_ISSUER = "https://queue.example.com"


@dataclass(frozen=True)
class Issuer:
    passes: Passes
    url: str

    def issue(
        self,
        waitlist_id: str = WAITLIST_ID,
        admitted_seconds_ago: float = 1,
        jti: str = "b" * 26,
    ) -> str:
        begins = int((time.time() - admitted_seconds_ago) * 1000)
        ends = begins + PASS_SECONDS * 1000
        return self.passes.issue(waitlist_id, ENTRY_ID, jti, begins, ends, self.url)

    def other(self) -> "Issuer":
        return Issuer(_passes(), self.url)

    def refused(self) -> dict[str, str]:
        return {
            "expired": self.issue(admitted_seconds_ago=PASS_SECONDS + 60),
            "of another list": self.issue("other"),
            "changed": changed(self.issue()),
            "of another issuer": self.other().issue(),
        }


@contextmanager
def issuer_at_a_url() -> Iterator[Issuer]:
    passes = _passes()
    with serving(lambda _: json_response(200, passes.jwks())) as server:
        yield Issuer(passes, url_of(server))


def documented_check(language: str, issuer: Issuer) -> str:
    """Return the example program from docs/app/admission-pass.md, with the URL of a test issuer."""
    (code,) = re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert DOCUMENTED_ISSUER in code
    return str(code.replace(DOCUMENTED_ISSUER, issuer.url))


def _passes() -> Passes:
    kms = LocalKms()
    return Passes(KmsKeys((KEY_ARN,), lambda: kms))


def changed(token: str) -> str:
    """Return a forged pass that names a different customer but has this pass's signature."""
    header, content, signature = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(content + "=="))
    forged = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "b" * 26}).encode())
    return f"{header}.{forged.rstrip(b'=').decode()}.{signature}"
