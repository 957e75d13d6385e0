"""Runs Schemathesis against a service.

The caller chooses an OpenAPI document, and whether customers are guests or have accounts.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.fuzz.scene import Scene
from tests.e2e.processes import ROOT, environment, running_service
from tests.support.openapi import document_file

CONFIGURATION = Path(__file__).resolve().parent / "schemathesis.toml"
# Options that make Schemathesis send few requests. Each operation still succeeds at least once. If
# several operations have a field of the same name, only one of them gets each value of the field.
# `make fuzz` sends more requests.
BRIEFLY = ("--max-examples=5", "--generation-deterministic", "--continue-on-failure")


@dataclass(frozen=True)
class Stack:
    """A service that the fuzz tests start, with its OpenAPI document, its environment variables,
    and extra options for Schemathesis.
    """

    document: Path
    environ: dict[str, str]
    asked: tuple[str, ...] = ()


GUESTS = Stack(document_file("guests.json"), {})
ACCOUNTS = Stack(
    document_file("jwt.json"),
    {"JWT_ISSUER": "https://issuer.example.com", "JWT_AUDIENCE": "waitlist"},
    # Operator routes are the same for guests and for accounts. The tests with accounts need only
    # the operator route that creates a waitlist.
    (
        "--include-tag=customer",
        "--include-tag=anyone",
        "--include-operation-id=putWaitlist",
        # Customers with accounts have no address to verify, so these operations are left out.
        "--exclude-operation-id=verify",
        "--exclude-operation-id=sendLink",
    ),
)


@dataclass(frozen=True)
class Campaign:
    stack: Stack
    url: str

    def command(self, options: Sequence[str]) -> list[str]:
        schemathesis = [sys.executable, "-m", "schemathesis.cli"]
        configured = [
            *schemathesis,
            "--config-file",
            str(CONFIGURATION),
            "run",
            str(self.stack.document),
        ]
        return [*configured, "--url", self.url, *self.stack.asked, *options]

    @property
    def environ(self) -> dict[str, str]:
        return environment(**self.stack.environ, FUZZ_URL=self.url, NO_COLOR="1")

    def run_briefly(self, *options: str) -> "Outcome":
        done = subprocess.run(
            self.command([*BRIEFLY, *options]),
            cwd=ROOT,
            env={**self.environ, "FUZZ_BRIEFLY": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return Outcome(done.returncode == 0, done.stdout)


@dataclass(frozen=True)
class Outcome:
    is_clean: bool
    report: str

    def of(self, operation: str) -> str:
        heading = re.compile(r"^_+ (.+?) _+$", re.MULTILINE)
        _, *parts = heading.split(self.report)
        return dict(zip(parts[::2], parts[1::2], strict=True)).get(operation, "")


@contextmanager
def campaign_of(stack: Stack) -> Iterator[Campaign]:
    with running_service(**stack.environ) as service:
        with closing(Scene(service.url, None)) as scene:
            scene.prepare()
        yield Campaign(stack, service.url)
