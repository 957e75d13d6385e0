"""Runs the commands in README.md and docs/app/tutorial.md as they are written, one after the other.

`make test` replaces curl with tests/support/curl.py. `make test-curl` runs the real curl.
"""

import os
import re
import shlex
import subprocess
import sys

import pytest

from tests.e2e.processes import Service, environment
from tests.rules.sources import ROOT
from tools.local.settings import DEFAULT_PORT

# With `--fail-with-body`, curl fails if the service refuses a request, and the script stops.
# Without the option, the exit code would be 0.
REAL_CURL = 'command curl -sS --fail-with-body --noproxy "*"'
STAND_IN = f"{shlex.quote(sys.executable)} -m tests.support.curl"


@pytest.mark.parametrize(
    ("name", "ends_with"),
    [("README.md", '"status":"offered"'), ("docs/app/tutorial.md", '"customer_id":"christine"')],
)
def test_the_commands_of_a_document_work_in_their_order(
    service: Service, name: str, ends_with: str
) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / name).read_text("utf-8"), re.M | re.S)
    commands = "".join(blocks).replace(f":{DEFAULT_PORT}/", f":{service.port}/")
    assert f":{service.port}/v1" in commands
    # These commands use a different name, because another test uses the name `bakery` on the same
    # service.
    commands = commands.replace("bakery", "readme")
    curl = REAL_CURL if "REAL_CURL" in os.environ else STAND_IN
    run = subprocess.run(
        ["sh", "-e"],
        input=f'curl() {{ {curl} "$@"; }}\n{commands}',
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert run.returncode == 0, run.stderr + run.stdout
    assert ends_with in run.stdout.splitlines()[-1]
