"""Runs commands as an operator would type them, in this process or in a separate one."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from typer.main import get_command
from typer.testing import CliRunner, Result

from tests.e2e.processes import ROOT, environment
from waitlist_cli import commands
from waitlist_cli.terminal.command import app

PARTS = commands
GROUP: Any = get_command(app)
RUN_SECONDS = 60
# Prefixes of environment variables that would change how commands behave on a developer's computer.
# For example, PYTHONUNBUFFERED would hide errors that occur only with buffered output.
FOREIGN = ("WAITLIST_", "AWS_", "NO_COLOR", "FORCE_COLOR", "PORT", "PYTHONUNBUFFERED")


def clean_environment(**more: str) -> dict[str, str]:
    whole = environment()
    folders = os.pathsep.join([str(ROOT / "cli"), whole["PYTHONPATH"]])
    kept = {name: value for name, value in whole.items() if not name.startswith(FOREIGN)}
    nowhere = {"WAITLIST_CONFIG": os.devnull, "COLUMNS": "120"}
    return {**kept, **nowhere, "PYTHONPATH": folders, **more}


@dataclass(frozen=True)
class Typed:
    """Runs commands as if an operator had typed them. If `url` is None, the operator has not given
    the service's URL.
    """

    url: str | None = None

    def __call__(self, *words: str, stdin: str | None = None, **environ: str) -> Result:
        variables: dict[str, str | None] = {
            name: None for name in os.environ if name.startswith(FOREIGN)
        }
        variables |= {"WAITLIST_CONFIG": os.devnull, **environ}
        # Build the commands only once. Otherwise, Typer would build all of them for each call,
        # which takes longer than most calls.
        with patch("typer.testing._get_command", return_value=GROUP):
            return CliRunner().invoke(app, [*self.service, *words], input=stdin, env=variables)

    @property
    def service(self) -> list[str]:
        return ["--local", "--url", self.url] if self.url else []

    def run(self, *words: str, **more: Any) -> str:
        result = self(*words, **more)
        assert result.exit_code == 0, (words, result.output, result.exception)
        return str(result.stdout)

    def json(self, *words: str, **more: Any) -> Any:
        return json.loads(self.run("--json", *words, **more))

    def start(self, *words: str, **more: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "waitlist_cli", *self.service, *words],
            env=more.pop("env", None) or clean_environment(),
            stdin=more.pop("stdin", subprocess.DEVNULL),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )


def problem(result: Result) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(result.stderr.strip().splitlines()[-1])
    return document


def write_program(path: Path, text: str) -> str:
    path.write_text(f"#!{sys.executable}\n{text}", "utf-8")
    path.chmod(0o755)
    return str(path)
