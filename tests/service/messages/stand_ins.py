"""A local server that stands in for SES, End User Messaging and SQS."""

import base64
import json
import threading
from collections.abc import Callable
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

# A response's status and body. None stands for a connection that is closed without a response.
Answer = tuple[int, dict[str, Any]] | None
# The seconds in the `Retry-After` header of each 429 response.
RETRY_AFTER = 25
SENT: Answer = (200, {"MessageId": "0001", "Successful": [], "Failed": []})


class StandIns:
    """Stores what the fake AWS server accepts, until a test creates the next object.

    The `failing` function chooses the server's response to each message. All tests in a process
    share the server, so they can also share the AWS clients that use its URL.
    """

    def __init__(self) -> None:
        self.mails: list[dict[str, Any]] = []
        self.texts: list[dict[str, Any]] = []
        self.pauses: list[dict[str, Any]] = []
        self.failing: Callable[[dict[str, Any]], Answer] = lambda _: SENT
        server = _server()
        server.present = self
        self.url = f"http://127.0.0.1:{server.server_port}"

    def to(self) -> list[str]:
        return [one["Destination"]["ToAddresses"][0] for one in self.mails]

    def subjects(self) -> list[str]:
        return [str(mime(one)["Subject"]) for one in self.mails]

    def handle(self, path: str, target: str, body: dict[str, Any]) -> Answer:
        if path == "/v2/email/outbound-emails":
            answer = self.failing(body)
            if answer == SENT or answer is None:
                self.mails.append(body)
            return answer
        if target == "PinpointSMSVoiceV2.SendTextMessage":
            answer = self.failing(body)
            if answer == SENT:
                self.texts.append(body)
            return answer
        assert target == "AmazonSQS.ChangeMessageVisibilityBatch", (path, target)
        self.pauses += body["Entries"]
        return SENT


class _Server(ThreadingHTTPServer):
    # The stand-ins of the test that is running.
    present: StandIns


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    # Send the headers and the body in one packet, because two packets would delay each response.
    wbufsize = -1

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        body = json.loads(self.rfile.read(length))
        path, target = urlsplit(self.path).path, self.headers.get("x-amz-target", "")
        answer = self.server.present.handle(path, target, body)
        if answer is None:
            self.close_connection = True
            return
        status, fields = answer
        content = json.dumps(fields).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        if status == 429:
            self.send_header("retry-after", str(RETRY_AFTER))
        if "__type" in fields:
            self.send_header("x-amzn-errortype", fields["__type"])
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None: ...


@cache
def _server() -> _Server:
    server = _Server(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


def raw_of(mail: dict[str, Any]) -> bytes:
    return base64.b64decode(mail["Content"]["Raw"]["Data"])


def mime(mail: dict[str, Any]) -> EmailMessage:
    parsed = message_from_bytes(raw_of(mail), policy=default)
    assert isinstance(parsed, EmailMessage)
    assert not parsed.defects
    return parsed


def part(mail: dict[str, Any], subtype: str) -> str:
    body = mime(mail).get_body((subtype,))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def error(status: int, name: str, **more: Any) -> Answer:
    """Return an error response with an email address in its text, which the service must not
    log.
    """
    said = {"__type": name, "message": "about ada@example.com", **more}
    return status, said
