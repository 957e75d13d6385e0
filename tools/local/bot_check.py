"""A stand-in for the bot check's provider. It serves the widget's script and the `siteverify`
endpoint.

A token has the form `KIND.ACTION.ANYTHING.HOST`, for example `person.signup.1.127.0.0.1`. The
answer depends on the token's kind. `person` is accepted and `bot` is refused. `another-site` is
refused as a token for a different site key, and `test-key` as a token of the provider's test keys.
`down` is answered with 503, and `slow` after ten seconds.

Each token is accepted only once, except that a request with the same `idempotency_key` may be
repeated.

A request with a `sitekey` is answered as hCaptcha would, and any other request as Turnstile would.
"""

import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from tools.local.http_message import HttpRequest, HttpResponse, json_response

PATH = "/_local/bot-check"
VERIFY = f"{PATH}/siteverify"
SCRIPT = f"{PATH}/api.js"
SECRET = "local-bot-check-secret"
SITE_KEY = "local-site-key"
SLOW_SECONDS = 10
# The error code for a refused token. Turnstile always sends the same code, whereas hCaptcha sends
# different ones.
INVALID = "invalid-input-response"
OF_HCAPTCHA = {"another-site": "sitekey-secret-mismatch", "test-key": "not-using-dummy-secret"}
# This script replaces both providers' scripts. It has the functions that the page calls and shows a
# checkbox that creates a token.
WIDGET = """(() => {
  const hosts = new Map();
  const api = {
    render(host, { action = 'signup', callback }) {
      const box = document.createElement('input');
      box.type = 'checkbox';
      const label = document.createElement('label');
      label.append(box, ' I am a person (stand-in)');
      const id = `widget-${hosts.size}`;
      hosts.set(id, box);
      box.onchange = () => {
        const token = ['person', action, Math.random().toString(36).slice(2), location.hostname];
        if (box.checked) callback(token.join('.'));
      };
      host.replaceChildren(label);
      return id;
    },
    reset(id) {
      hosts.get(id).checked = false;
    },
    remove(id) {
      hosts.get(id)?.parentNode.remove();
    },
  };
  window.turnstile = window.hcaptcha = api;
})();
"""


class BotCheckStandIn:
    """A fake bot check provider, which answers requests to PATH."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: dict[str, str] = {}
        self.questions: list[dict[str, str]] = []
        # Setting this event ends the delay of slow responses.
        self.is_over = threading.Event()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if (request.method, request.raw_path) == ("GET", SCRIPT):
            headers = (("content-type", "text/javascript"), ("cache-control", "no-store"))
            return HttpResponse(200, headers, WIDGET.encode())
        if (request.method, request.raw_path) == ("POST", VERIFY):
            return self._verify(dict(parse_qsl(request.body.decode())))
        return json_response(404, {"message": "Not Found"})

    def _verify(self, fields: dict[str, str]) -> HttpResponse:
        with self._lock:
            self.questions.append(fields)
        kind, _, rest = fields.get("response", "").partition(".")
        if kind == "slow":
            self.is_over.wait(SLOW_SECONDS)
        if kind == "down":
            return HttpResponse(503, (), b"<html>busy</html>")
        return json_response(200, self._verdict(fields, kind, rest))

    def _verdict(self, fields: Mapping[str, str], kind: str, rest: str) -> dict[str, Any]:
        if fields.get("secret") != SECRET:
            return _refused("invalid-input-secret")
        action, _, more = rest.partition(".")
        host = more.partition(".")[2]
        is_hcaptcha = "sitekey" in fields
        if kind not in ("person", "slow") or not host:
            return _refused(OF_HCAPTCHA.get(kind, INVALID) if is_hcaptcha else INVALID)
        token, key = fields["response"], fields.get("idempotency_key", "")
        with self._lock:
            is_new = token not in self._used
            is_repeat = self._used.setdefault(token, key) == key != ""
        if not is_new and not is_repeat:
            return _refused("already-seen-response" if is_hcaptcha else "timeout-or-duplicate")
        return {"success": True, "error-codes": [], "hostname": host, "action": action}


def _refused(code: str) -> dict[str, Any]:
    return {"success": False, "error-codes": [code]}
