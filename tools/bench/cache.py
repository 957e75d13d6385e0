"""Polls of the board through nginx before the local service, beside polls straight at it.

nginx keeps a board as CloudFront does: as long as the answer says, and the old one while one
request fetches the new one.
"""

import http.client
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import httpx

from tools.bench.line import BenchError
from tools.bench.sizes import Sizes
from tools.bench.targets import Row
from tools.deploy.containers import Endpoint
from tools.deploy.processes import Failed, background
from tools.local.aws import local_operator
from tools.local.http_server import HOST, free_port
from tools.local.service import LocalService
from tools.local.settings import Settings
from waitlist_shared.limits import MAX_BATCH

LIST = "/v1/admin/waitlists/bench"
BOARD = "/v1/waitlists/bench/board"
CLIENTS = 8
STATUS = "x-cache-status"
CONFIG = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 1;
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  proxy_cache_path {folder}/cache keys_zone=boards:1m;
  server {{
    listen {listen};
    location / {{
      proxy_pass {service};
      proxy_cache boards;
      proxy_cache_key $uri;
      proxy_cache_lock on;
      proxy_cache_use_stale updating;
      proxy_cache_background_update on;
      add_header {status} $upstream_cache_status;
    }}
  }}
}}
"""


def cache_rows(sizes: Sizes, advance: Callable[[], object]) -> list[Row]:
    """Measure polls a second on both ways, and how many of them reach the service."""
    program = shutil.which("nginx")
    if program is None:
        raise BenchError("nginx is needed: apt-get install nginx-light, or brew install nginx")
    with LocalService(Settings(port=0)) as service, TemporaryDirectory() as folder:
        _fill(service.url, sizes.polled)
        with _nginx(program, Path(folder), service.url) as cache:
            advance()
            direct, _ = _polls(service.url, sizes.poll_seconds)
            advance()
            cached, statuses = _polls(cache, sizes.poll_seconds)
            advance()
    reached = sum(count for status, count in statuses.items() if status in ("MISS", "EXPIRED"))
    updated = statuses["UPDATING"] + statuses["STALE"]
    asked = statuses.total()
    seconds = sizes.poll_seconds
    return [
        Row(
            name=f"polls of a board of {sizes.polled:,}, through nginx",
            beside="straight at the service",
            ratio=cached / direct,
            spread=None,
            ours=f"{cached / seconds:,.0f}/s",
            baseline=f"{direct / seconds:,.0f}/s",
            target=None,
        ),
        Row(
            name="polls that waited for the service",
            beside="polls",
            ratio=reached / asked,
            spread=None,
            ours=f"{reached:,} (and {updated:,} got the old one meantime)",
            baseline=f"{asked:,}",
            target=None,
        ),
    ]


def _fill(url: str, people: int) -> None:
    operator = local_operator()
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
        client.put(LIST, json={"name": "Bench"}, auth=operator).raise_for_status()
        for first in range(0, people, MAX_BATCH):
            numbers = range(first, min(first + MAX_BATCH, people))
            rows = [{"customer_id": f"customer-{number:07d}"} for number in numbers]
            body = {"entries": rows}
            client.post(f"{LIST}/import", json=body, auth=operator).raise_for_status()


@contextmanager
def _nginx(program: str, folder: Path, service: str) -> Iterator[str]:
    endpoint = Endpoint(HOST, free_port())
    # Started by root, nginx writes its cache as another user.
    folder.chmod(0o755)
    config = folder / "nginx.conf"
    listen = f"{endpoint.host}:{endpoint.port}"
    config.write_text(CONFIG.format(folder=folder, listen=listen, service=service, status=STATUS))
    command = [program, "-p", str(folder), "-c", str(config)]
    try:
        with background(command, endpoint, folder / "nginx.log", os.environ):
            yield f"http://{listen}"
    except Failed as error:
        raise BenchError(str(error)) from error


def _polls(url: str, seconds: float) -> tuple[int, Counter[str]]:
    """Poll the board with several clients; return the polls, and how the cache answered them."""
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(CLIENTS) as pool:
        found = list(pool.map(lambda _: _client(url, until), range(CLIENTS)))
    statuses = sum(found, Counter[str]())
    return statuses.total(), statuses


def _client(url: str, until: float) -> Counter[str]:
    statuses: Counter[str] = Counter()
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    while time.monotonic() < until:
        connection.request("GET", BOARD)
        answer = connection.getresponse()
        answer.read()
        if answer.status != http.HTTPStatus.OK:
            raise BenchError(f"a poll was answered {answer.status}")
        statuses[answer.headers.get(STATUS, "")] += 1
    connection.close()
    return statuses
