"""A Python client that openapi-python-client generates from the OpenAPI document."""

import importlib
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.rules.sources import ROOT

GENERATOR = ROOT / ".venv-clients/bin/openapi-python-client"
PACKAGE = "generated_waitlist_client"
# The generator would otherwise format the code it writes, which takes a long time.
CONFIGURATION = "post_hooks: []\npackage_name_override: " + PACKAGE + "\n"
BASE_URL = "https://api.example.com"


@dataclass(frozen=True)
class PythonClient:
    package: Any

    def body(self, name: str, fields: dict[str, Any]) -> Any:
        models = importlib.import_module(f"{PACKAGE}.models")
        return getattr(models, name).from_dict(fields)

    def call(
        self,
        tag: str,
        operation_id: str,
        respond: Callable[[httpx.Request], httpx.Response],
        **arguments: Any,
    ) -> Any:
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", operation_id).lower()
        module = importlib.import_module(f"{PACKAGE}.api.{tag}.{name}")
        client = self.package.Client(
            base_url=BASE_URL, httpx_args={"transport": httpx.MockTransport(respond)}
        )
        with client:
            return module.sync_detailed(client=client, **arguments)


def generate(document: Path, folder: Path) -> PythonClient:
    write(document, folder)
    sys.path.insert(0, str(folder))
    try:
        return PythonClient(importlib.import_module(PACKAGE))
    finally:
        sys.path.remove(str(folder))


def write(document: Path, folder: Path) -> Path:
    if not GENERATOR.exists():
        raise FileNotFoundError(f"{GENERATOR} is missing: run `make client-generator` once")
    configuration = folder / "configuration.yaml"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    command = [str(GENERATOR), "generate", "--path", str(document), "--meta", "none"]
    options = ["--output-path", str(folder / PACKAGE), "--config", str(configuration)]
    done = subprocess.run(
        [*command, *options, "--fail-on-warning"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the generator failed:\n{done.stdout}{done.stderr}")
    return folder / PACKAGE
