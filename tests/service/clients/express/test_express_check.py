"""Tests the Express code in docs/app/admission-pass.md that checks passes.

It must accept valid passes and refuse everything else. `make test-express` installs what these
tests need.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.passes import ENTRY_ID, EVENTS, Issuer, documented_check, issuer_at_a_url
from tests.support.plain_http import plain_client

HERE = Path(__file__).resolve().parent
# The program prints its port and then receives webhooks, one per POST request. It ends when its
# standard input is closed.
SERVER = """
app.post("/events", express.json(), (request, response) => {
  onEvent(request.body);
  response.end();
});
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());
"""


@contextmanager
def place(issuer: Issuer) -> Iterator[str]:
    """Run the documented server, and yield its URL."""
    program = documented_check("js", issuer) + SERVER
    command = ["node", "--input-type=module", "--eval", program]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=HERE, stdin=pipe, stdout=pipe, text=True) as node:
        assert node.stdin is not None
        assert node.stdout is not None
        yield f"http://127.0.0.1:{int(node.stdout.readline())}"
        node.stdin.close()


def test_it_lets_passes_of_its_list_in_and_no_others() -> None:
    """P5"""
    with issuer_at_a_url() as issuer, place(issuer) as url, plain_client() as http:

        def shop(token: str) -> httpx.Response:
            return http.get(f"{url}/shop", headers={"Authorization": f"Bearer {token}"})

        assert shop(issuer.issue()).json() == {"welcome": ENTRY_ID}
        for name, token in issuer.refused().items():
            assert shop(token).status_code == 401, name
        assert http.get(f"{url}/shop").status_code == 401


def test_a_pass_serves_the_browser_that_used_it_first_until_its_customer_exits() -> None:
    """A pass stands for one admission, so a second browser cannot use it (promise P4)."""
    with issuer_at_a_url() as issuer, place(issuer) as url, plain_client() as http:

        def shop(cookie: str, jti: str) -> httpx.Response:
            # The cookie is `Secure`, and an HTTP client would send it only over TLS, so the test
            # adds the cookie to the request itself.
            headers = {"Authorization": f"Bearer {issuer.issue(jti=jti)}", "Cookie": cookie}
            return http.get(f"{url}/shop", headers=headers)

        answer = shop("theme=dark", "one")
        first, *rules = answer.headers["set-cookie"].split("; ")
        assert {"HttpOnly", "Secure", "SameSite=Lax"} <= set(rules)
        assert shop(f"theme=dark; {first}", "one").status_code == 200
        assert shop("", "one").status_code == shop("session=other", "one").status_code == 403
        second, *_ = shop("", "two").headers["set-cookie"].split("; ")
        for event in EVENTS:
            sent = {"content-type": "application/json"}
            http.post(f"{url}/events", content=json.dumps(event), headers=sent)
        assert shop(first, "one").status_code == 403
        assert shop(second, "two").status_code == 200
        assert shop(first, "three").status_code == 403
