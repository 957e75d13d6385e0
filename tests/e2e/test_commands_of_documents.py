"""Runs the commands in README.md and docs/app/tutorial.md as they are written, one after the other.

`make test` replaces curl with tests/support/curl.py. `make test-curl` runs the real curl.
"""

import os
import re
import shlex
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.processes import Service, environment
from tests.rules.sources import ROOT
from tests.support.curl import send
from tools.local.settings import DEFAULT_PORT

# With `--fail-with-body`, curl fails if the service refuses a request, and the script stops.
# Without the option, the exit code would be 0.
REAL_CURL = 'curl() { command curl -sS --fail-with-body --noproxy "*" "$@"; }'
# The exit code of curl if the service refuses a request.
HTTP_ERROR = 22


@contextmanager
def standing_in_for_curl(folder: Path) -> Iterator[str]:
    """Yield a shell function that replaces curl. The function lets this process send the request,
    because starting a Python process for each request would take half a second.

    The shell writes curl's arguments to the first pipe. It reads curl's exit code and output from
    the second pipe.
    """
    asked, answered = (folder / name for name in ("asked", "answered"))
    for pipe in (asked, answered):
        os.mkfifo(pipe)

    def answer() -> None:
        while words := asked.read_text(encoding="utf-8").split("\0")[:-1]:
            with answered.open("w", encoding="utf-8") as output:
                response = send(words)
                output.write(f"{HTTP_ERROR if response.is_error else 0}\n{response.text}")

    answering = threading.Thread(target=answer, daemon=True)
    answering.start()
    given, taken = shlex.quote(str(asked)), shlex.quote(str(answered))
    yield (
        f"curl() {{ printf '%s\\0' \"$@\" >{given}; "
        f'{{ read -r code; cat; }} <{taken}; return "$code"; }}'
    )
    # The shell has ended. If the first pipe is opened and closed, the thread reads an empty request
    # and ends. With O_RDWR, opening the pipe never blocks, even if the thread has failed.
    os.close(os.open(asked, os.O_RDWR))
    answering.join()


@pytest.mark.parametrize(
    ("name", "ends_with"),
    [("README.md", '"status":"offered"'), ("docs/app/tutorial.md", '"customer_id":"christine"')],
)
def test_the_commands_of_a_document_work_in_their_order(
    service: Service, tmp_path: Path, name: str, ends_with: str
) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / name).read_text("utf-8"), re.M | re.S)
    commands = "".join(blocks).replace(f":{DEFAULT_PORT}/", f":{service.port}/")
    assert f":{service.port}/v1" in commands
    # These commands use a different name, because another test uses the name `bakery` on the same
    # service.
    commands = commands.replace("bakery", "readme")
    if "REAL_CURL" in os.environ:
        run = run_shell(f"{REAL_CURL}\n{commands}")
    else:
        with standing_in_for_curl(tmp_path) as curl:
            run = run_shell(f"{curl}\n{commands}")
    assert run.returncode == 0, run.stderr + run.stdout
    assert ends_with in run.stdout.splitlines()[-1]


def run_shell(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-e"],
        input=script,
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
