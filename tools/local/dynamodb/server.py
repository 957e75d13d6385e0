"""A DynamoDB in memory (moto's): `python -m tools.local.dynamodb.server`, run as a child.

Its own process keeps it off the interpreter lock of the front.
"""

import gc
import threading

from moto.moto_server.werkzeug_app import create_backend_app
from werkzeug.test import EnvironBuilder, run_wsgi_app

from tools.local.child import serve_until_parent_ends
from tools.local.dynamodb.json import plain_json
from tools.local.dynamodb.queries import cheap_queries
from tools.local.dynamodb.transactions import cheap_transactions
from tools.local.dynamodb.writes import cheap_writes
from tools.local.http_message import HttpApp, HttpRequest, HttpResponse
from tools.local.http_server import HttpServer

# Items live on. To look through millions of them again and again takes seconds, in which nobody is
# answered: after so many requests what is there is not looked at any more.
REQUESTS_LOOKED_AT = 1_000


def main() -> None:
    server = HttpServer(port=0)
    server.start(dynamodb_app())
    try:
        serve_until_parent_ends(server.port)
    finally:
        server.stop()


def dynamodb_app() -> HttpApp:
    """Moto's application, one request at a time.

    Moto checks a condition and writes in two steps, so two conditional writes at once may both
    succeed; under the lock each request is atomic, as it is in DynamoDB.
    """
    cheap_transactions()
    cheap_queries()
    cheap_writes()
    plain_json()
    application = create_backend_app("dynamodb")
    lock = threading.Lock()
    requests = 0

    def app(request: HttpRequest) -> HttpResponse:
        environ = EnvironBuilder(
            path=request.target,
            method=request.method,
            headers=list(request.headers),
            data=request.body,
        ).get_environ()
        nonlocal requests
        with lock:
            requests += 1
            if requests % REQUESTS_LOOKED_AT == 0:
                gc.freeze()
            chunks, status, headers = run_wsgi_app(application, environ, buffered=True)
            body = b"".join(chunks)
        kept = [(name, value) for name, value in headers if name.lower() != "content-length"]
        return HttpResponse(int(status.split()[0]), tuple(kept), body)

    return app


if __name__ == "__main__":
    main()
