"""The commands of README.md and docs/tutorial.md work as they stand, in their order."""

import re
import subprocess

import pytest

from tests.e2e.processes import Service
from tests.rules.sources import ROOT
from tools.local.settings import DEFAULT_PORT

# A refusal of the service ends the script; without this, curl would exit with 0.
CURL = 'set -eo pipefail; curl() { command curl -sS --fail-with-body --noproxy "*" "$@"; }\n'


@pytest.mark.parametrize(
    ("name", "ends_with"),
    [("README.md", '"status":"offered"'), ("docs/tutorial.md", '"customer_id":"christine"')],
)
def test_the_commands_work_in_their_order(service: Service, name: str, ends_with: str) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / name).read_text("utf-8"), re.M | re.S)
    commands = "".join(blocks).replace(f":{DEFAULT_PORT}/", f":{service.port}/")
    assert f":{service.port}/v1" in commands
    # The list of the banner's first steps, which a test of their own runs on the same service.
    commands = commands.replace("bakery", "readme")
    run = subprocess.run(
        ["bash"], input=CURL + commands, capture_output=True, encoding="utf-8", timeout=120
    )
    assert run.returncode == 0, run.stderr + run.stdout
    assert ends_with in run.stdout.splitlines()[-1]
