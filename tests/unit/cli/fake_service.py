"""A fake service that implements the import route and answers all other requests with prepared
responses.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]
MOST_ROWS = 500
MOST_BYTES = 2 * 1024 * 1024


def answer(status: int, body: object = None, **headers: str) -> Answer:
    content = b"" if body is None else json.dumps(body).encode()
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, content


def problem(status: int, code: str, detail: str = "because", **headers: str) -> Answer:
    return answer(status, {"code": code, "detail": detail, "status": status}, **headers)


@dataclass
class FakeService:
    """A fake service that sends prepared responses and stores imported people.

    If `answers` contains a request's method, that response is sent. All other requests get the next
    response from `script`. When `script` is empty, the service stores imported people.
    """

    url: str = ""
    script: list[Answer] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    on_request: Callable[[str], None] = lambda _path: None
    on_import: Callable[[int], None] = lambda _calls: None
    imports: int = 0
    # How many import requests lose their response. The service stores the people, but answers with
    # 503.
    lost_answers: int = 0
    keys: dict[str, str] = field(default_factory=dict)
    guests: set[str] = field(default_factory=set)

    def line(self) -> list[str]:
        return list(self.people)

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        self.requests.append((method, path, headers, body))
        self.on_request(path)
        if method in self.answers:
            return self.answers[method]
        if self.script:
            return self.script.pop(0)
        if method == "POST" and path.endswith(("/import", "/import/tokens")):
            self.imports += 1
            self.on_import(self.imports)
            done = self._import(body, with_tokens=path.endswith("/tokens"))
            if self.lost_answers:
                self.lost_answers -= 1
                return problem(503, "record_unavailable", Retry_After="0")
            return done
        if method == "GET" and path.endswith("/waitlists/bakery"):
            return answer(200, {"timezone": "UTC"})
        return problem(404, "not_found")

    def _import(self, body: bytes, *, with_tokens: bool) -> Answer:
        if len(body) > MOST_BYTES:
            return problem(413, "too_large")
        sent = json.loads(body)
        entries = sent["entries"]
        if not 0 < len(entries) <= MOST_ROWS:
            return problem(422, "invalid_request")
        results = [{"row": row, **self._one(entry)} for row, entry in enumerate(entries)]
        if with_tokens:
            results = [_with_token(one, entry) for one, entry in zip(results, entries, strict=True)]
        outcomes = [result["outcome"] for result in results]
        counts = {name: outcomes.count(name) for name in ("joined", "already", "ended", "refused")}
        return answer(200, {**counts, "results": results})

    def _one(self, entry: dict[str, Any]) -> dict[str, Any]:
        customer_id, key = entry["customer_id"], entry.pop("idempotency_key")
        if " " in customer_id:
            errors = [{"field": "customer_id", "message": "no spaces"}]
            refusal = {"outcome": "refused", "entry_id": None, "code": "invalid_request"}
            return {**refusal, "detail": "Not valid.", "errors": errors}
        if key == self.keys.get(customer_id):
            return {"outcome": "joined", "entry_id": "a" * 26}
        if customer_id in self.people:
            warning = "signed_up_by_guest" if customer_id in self.guests else None
            return {"outcome": "already", "entry_id": "a" * 26, "warning": warning}
        self.people[customer_id], self.keys[customer_id] = entry, key
        return {"outcome": "joined", "entry_id": "a" * 26}


def _with_token(result: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    is_on_list = result["outcome"] != "refused"
    return {**result, "entry_token": f"token-of-{entry['customer_id']}" if is_on_list else None}


@contextmanager
def running_fake() -> Iterator[FakeService]:
    service = FakeService()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, more, content = service.answer(self.command, self.path, headers, body)
            self.send_response(status)
            for name, value in {**more, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Write no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
