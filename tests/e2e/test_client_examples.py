"""Runs the Python client in docs/app/client.md against the service that `make run` starts.

`make test-clients` also runs the clients in TypeScript and Kotlin, and compiles the client in
Swift.
"""

import secrets
import subprocess
import sys

from tests.e2e.processes import Service
from tests.rules.sources import ROOT
from tools.local.api_client import ApiClient

EXAMPLES = ROOT / "docs" / "app" / "examples"
POLICY = {"rate": {"count": 600, "per": "minute"}, "offer_seconds": 3600, "pass_seconds": 3600}


def test_the_example_client_joins_waits_enters_and_exits(service: Service) -> None:
    url, waitlist_id = f"http://127.0.0.1:{service.port}", f"clients-{secrets.token_hex(3)}"
    settings = {"name": "Clients", "admission": POLICY}
    with ApiClient(url) as client:
        client.operator("PUT", f"/v1/admin/waitlists/{waitlist_id}", json=settings)
        command = [sys.executable, str(EXAMPLES / "client.py"), url, waitlist_id]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        stats = client.operator("GET", f"/v1/admin/waitlists/{waitlist_id}/stats")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "joined at 1\nentered with a pass of 3 parts\nexited\n"
    assert (stats["admitted"], stats["inside"]) == (1, 0)
