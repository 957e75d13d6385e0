"""Runs Schemathesis with a document, a kind of stack and a caller."""

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
# With these options, each operation succeeds at least once, and is also refused for each possible
# reason. `make fuzz` sends more requests.
BRIEFLY = ("--max-examples=5", "--generation-deterministic", "--continue-on-failure")


@dataclass(frozen=True)
class Stack:
    """A kind of stack: its OpenAPI document, the environment variables that select it, and the
    options that limit the tested operations.
    """

    document: Path
    environ: dict[str, str]
    asked: tuple[str, ...] = ()


GUESTS = Stack(document_file("guests.json"), {})
ACCOUNTS = Stack(
    document_file("jwt.json"),
    {"JWT_ISSUER": "https://issuer.example.com", "JWT_AUDIENCE": "waitlist"},
    # Operator routes are the same on both kinds of stack. Include only the operator route that
    # creates the waitlist of the customers.
    (
        "--include-tag=customer",
        "--include-tag=anyone",
        "--include-operation-id=putWaitlist",
        # This operation is left out, because customers with accounts have no address to verify.
        "--exclude-operation-id=verify",
        "--exclude-operation-id=sendLink",
    ),
)


@dataclass(frozen=True)
class Campaign:
    """Sends a running service the requests that an OpenAPI document allows, and many that the
    document forbids.
    """

    stack: Stack
    url: str

    def command(self, options: Sequence[str]) -> list[str]:
        """Return the command line that runs Schemathesis with these options."""
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
        """The environment variables for Schemathesis and its hooks."""
        return environment(**self.stack.environ, FUZZ_URL=self.url, NO_COLOR="1")

    def run_briefly(self, *options: str) -> "Outcome":
        """Run the campaign with few requests, and return its outcome."""
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
    """The result of a campaign: whether it found no failures, and its report.

    The report says how to repeat the requests.
    """

    is_clean: bool
    report: str

    def of(self, operation: str) -> str:
        """Return the part of the report that is about one operation."""
        heading = re.compile(r"^_+ (.+?) _+$", re.MULTILINE)
        _, *parts = heading.split(self.report)
        return dict(zip(parts[::2], parts[1::2], strict=True)).get(operation, "")


@contextmanager
def campaign_of(stack: Stack) -> Iterator[Campaign]:
    """Start a service for this kind of stack, and create the waitlists that the requests use."""
    with running_service(**stack.environ) as service:
        with closing(Scene(service.url, None)) as scene:
            scene.prepare()
        yield Campaign(stack, service.url)
